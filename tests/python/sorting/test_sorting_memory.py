# SPDX-License-Identifier: BSD-3-Clause
"""What sorts needs little memory beside its operands: the most that was in use, these and the result among it, over the
operands. tests/bench/sort_memory.py prints the figures themselves."""

import gc

import pytest

import gamelan

SIZE = 3 << 19  # blocks of a third, a half, a quarter are sizes that the heap has
ROOM = 3 << 19  # bytes of a rank that do not grow with the operands: a run of 8,192 keys is sorted at once

PROGRAMS = {  # operands: "a" distinct floats, "n" few different integers
    "sort": (3.0, "a", lambda np, a: np.sort(a)),
    "sort of few values": (3.0, "n", lambda np, n: np.sort(n)),
    "sort of what lies close together": (3.0, "c", lambda np, c: np.sort(c)),
    "sort in place": (3.0, "a", lambda np, a: a.sort()),
    "argsort": (3.0, "a", lambda np, a: np.argsort(a)),
    "argsort of few values": (3.0, "n", lambda np, n: np.argsort(n)),
    "argsort of what lies close together": (3.0, "c", lambda np, c: np.argsort(c)),
    "unique": (3.1, "a", lambda np, a: np.unique(a)),
    "unique of few values": (3.1, "n", lambda np, n: np.unique(n)),
    "lexsort": (3.0, "an", lambda np, a, n: np.lexsort((a, n))),
}


def operand(letter):
    rng = gamelan.random.default_rng(1)
    if letter == "n":
        return rng.integers(0, 100, SIZE)
    a = rng.random(SIZE)
    return gamelan.where(a < 1e-3, a - 1e9, 5 + a * 1e-9) if letter == "c" else a  # "c": and a few that lie far away


@pytest.mark.parametrize("name", PROGRAMS)
def test_peak(engine, ranks, name):
    if not ranks:
        pytest.skip("the model has no heap")
    bound, letters, program = PROGRAMS[name]
    operands = [operand(letter) for letter in letters]
    bytes_of_all = sum(array.nbytes for array in operands)
    gc.collect()
    gamelan.sync()
    gamelan.stats(reset=True)
    others = gamelan.stats()["heap_bytes"] - bytes_of_all
    result = program(gamelan, *operands)
    gamelan.sync()
    assert gamelan.stats()["heap_peak"] - others <= bound * bytes_of_all + ranks * ROOM, result
