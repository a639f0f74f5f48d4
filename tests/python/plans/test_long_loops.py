# SPDX-License-Identifier: BSD-3-Clause
"""Loops of thousands of commands in one go: linear in time, bounded in memory, exact up to an error in the middle and after it."""

import gc
import os
import time

import gamelan
import numpy
import pytest

ELEMENTS = 3_000


@pytest.fixture
def engines(engine, ranks):
    if not ranks:
        pytest.skip("about what real engines hold")
    return engine


def turns(x, count):
    for _ in range(count):
        x = x * 0.5 + 1.0
    return x


def heap(name="heap_bytes"):
    gamelan.sync()
    return gamelan.stats()[name]


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_loop_that_never_reads_is_computed_in_bounded_memory(engines):
    x = gamelan.ones(ELEMENTS)
    x = turns(x, 1_000)
    gamelan.stats(reset=True)
    before = resident_bytes()
    x = turns(x, 10_000)
    assert heap("heap_peak") < 64 * 8 * ELEMENTS + (1 << 20)
    assert resident_bytes() - before < 64 << 20
    assert gamelan.stats()["batches"] > 4, "what is recorded goes to the engines long before somebody asks"
    assert float(x[0]) == 2.0


def test_time_grows_with_the_number_of_commands_and_no_faster(engines):
    def seconds(count):
        start = time.perf_counter()
        float(turns(gamelan.ones(ELEMENTS), count)[0])
        return time.perf_counter() - start

    seconds(500)
    few, many = (min(seconds(count) for _ in range(4)) for count in (3_000, 12_000))
    assert many / few < 7, (few, many)


def test_a_wrong_line_among_ten_thousand(engines):
    """NumPy's error at the guilty line; what stood before it counts, what it would have written does not change."""
    x, kept = gamelan.ones(ELEMENTS), gamelan.zeros(ELEMENTS)
    before = heap()
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        for turn in range(10_000):
            x = x * 0.5 + 1.0
            if turn == 5_000:
                kept[:] = x[:-1] + gamelan.ones(7)  # the guilty line
    assert "the guilty line" in str(caught.traceback[0].statement)
    assert float(kept.sum()) == 0.0
    assert float(x[0]) == numpy.float64(2.0)
    del caught
    x = turns(x, 10)
    gc.collect()
    assert heap() <= before + 8 * ELEMENTS


@pytest.mark.parametrize("shape", [(1, 50), (2, 50), (3, 1), (1, 1), (5,), (0, 7), (7, 0)], ids=str)
def test_more_ranks_than_rows_and_empty_blocks(engine, shape):
    data = numpy.random.default_rng(3).standard_normal(shape)
    a = gamelan.array(data)
    for program in (
        lambda np, v: v * 2 - v[::-1],
        lambda np, v: (v + 1).sum(axis=0),
        lambda np, v: v.sum(),
        lambda np, v: (v.T @ v) if v.ndim == 2 else v @ v,
        lambda np, v: np.where(v > 0, v, v[:1]) if v.shape[0] else v,
        lambda np, v: np.sort(v, axis=-1),
        lambda np, v: np.cumsum(v),
    ):
        got, wanted = numpy.asarray(program(gamelan, a)), program(numpy, data)
        assert got.shape == wanted.shape and got.dtype == wanted.dtype
        numpy.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
