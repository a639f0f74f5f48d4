# SPDX-License-Identifier: BSD-3-Clause
"""Transforms need three times their operand at most, and no element passes through the kernel."""
import pytest

import gamelan
from gamelan import _core

SIDE = 512

PROGRAMS = {
    "line": lambda a: gamelan.fft.fft(a.reshape(-1)),
    "two axes": lambda a: gamelan.fft.fft2(a),
    "inverse": lambda a: gamelan.fft.ifft2(a, norm="ortho"),
    "three axes": lambda a: gamelan.fft.fftn(a.reshape(64, 64, 64)),
    "first axis": lambda a: gamelan.fft.fft(a, axis=0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_peak(ranks, engine, name):
    if ranks == 0:
        pytest.skip("the model has no heap")
    rng = gamelan.random.default_rng(1)
    a = rng.random((SIDE, SIDE)) + 1j * rng.random((SIDE, SIDE))
    _core.flush(True)
    gamelan.stats(reset=True)
    before = gamelan.stats()["fetch_bytes"]
    result = PROGRAMS[name](a)
    _core.flush(True)
    stats = gamelan.stats()
    assert stats["heap_peak"] < 3.1 * a.nbytes + ranks * 65536, "operand, what lies between, result"
    assert stats["fetch_bytes"] == before and result.size == a.size
