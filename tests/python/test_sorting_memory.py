# SPDX-License-Identifier: BSD-3-Clause
"""What sorts needs little memory beside its operands: the most that was in use, these and the result among it, over the
operands. tests/bench/sort_memory.py prints the figures themselves."""
import gc

import pytest

import gamelan

SIZE = 3 << 19  # blocks of a third, a half, a quarter are sizes that the heap has
ROOM = 3 << 19  # bytes of a rank that do not grow with the operands: a run of 8,192 keys is sorted at once

PROGRAMS = {
    "sort": (3.0, lambda np, a, n: np.sort(a)),
    "sort of few values": (3.0, lambda np, a, n: np.sort(n)),
    "sort of what is nearly one value": (3.0, lambda np, a, n: np.sort(np.where(a < 1e-3, a, 5 + a * 1e-9))),
    "sort in place": (3.0, lambda np, a, n: a.sort()),
    "argsort": (3.0, lambda np, a, n: np.argsort(a)),
    "argsort of few values": (3.0, lambda np, a, n: np.argsort(n)),
    "unique": (3.1, lambda np, a, n: np.unique(a)),
    "unique of few values": (3.1, lambda np, a, n: np.unique(n)),
    "lexsort": (4.0, lambda np, a, n: np.lexsort((a, n))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_peak(engine, ranks, name):
    if not ranks:
        pytest.skip("the model has no heap")
    rng = gamelan.random.default_rng(1)
    bound, program = PROGRAMS[name]
    a, n = rng.random(SIZE), rng.integers(0, 100, SIZE)
    gc.collect()
    gamelan.sync()
    gamelan.stats(reset=True)
    others = gamelan.stats()["heap_bytes"] - a.nbytes
    result = program(gamelan, a, n)
    gamelan.sync()
    assert gamelan.stats()["heap_peak"] - others <= bound * a.nbytes + ranks * ROOM, result
