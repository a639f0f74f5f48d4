# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that a batch leaves equal to a view of another are stored when somebody could tell the difference, not before."""

import gamelan
import numpy
import pytest


def turn(np, grid):
    """A batch that leaves `work` equal to the inside of `grid`."""
    work = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    grid[1:-1, 1:-1] = work
    return work


def sync(np):
    if np is gamelan:
        np.sync()


def _read(np, grid, work):
    return [work * 2, grid]


def _change_the_view(np, grid, work):
    grid[3] = -1.0
    sync(np)
    return [work, grid]


def _change_elsewhere(np, grid, work):
    grid[0] = -1.0
    sync(np)
    return [work, grid]


def _change_it(np, grid, work):
    work[1:3] += 10.0
    sync(np)
    return [work, grid]


def _change_a_view_of_it(np, grid, work):
    part = work[::2, 1]
    sync(np)
    part[:] = 7.0
    sync(np)
    return [work, grid, part]


def _many_turns(np, grid, work):
    kept = [work]
    for _ in range(4):
        work = turn(np, grid)
        sync(np)
        kept.append(work)
    return [*kept, grid]


def _drop_the_grid(np, grid, work):
    del grid
    sync(np)
    return [work]


def _assign_twice(np, grid, work):
    other = numpy.zeros(work.shape) if np is numpy else np.zeros(work.shape)
    sync(np)
    more = work + 1
    other[...] = more
    grid[1:-1, 1:-1] = more
    sync(np)
    other += 1
    sync(np)
    return [more, other, grid, work]


def _chain(np, grid, work):
    other = np.zeros(grid.shape)
    sync(np)
    twice = work * 2
    other[1:-1, 1:-1] = twice
    sync(np)
    half = other * 0.5
    grid[...] = half
    sync(np)
    other[:] = 0
    grid[:] = 1
    return [twice, half, other, grid, work]


AFTERWARDS = [
    _read,
    _change_the_view,
    _change_elsewhere,
    _change_it,
    _change_a_view_of_it,
    _many_turns,
    _drop_the_grid,
    _assign_twice,
    _chain,
]


@pytest.mark.parametrize("afterwards", AFTERWARDS, ids=lambda each: each.__name__[1:])
def test_nobody_can_tell(engine, afterwards):
    start = numpy.random.default_rng(3).random((12, 9))
    results = []
    for np in (numpy, gamelan):
        grid = np.array(start)
        sync(np)
        work = turn(np, grid)
        sync(np)
        results.append(afterwards(np, grid, work))
        del grid, work
    for expected, got in zip(*results):
        numpy.testing.assert_array_equal(numpy.asarray(got), expected)


@pytest.mark.parametrize(
    "assign", ["grid[:, 1:-1] = work", "grid[:] = work", "grid[1:-1, 1:-1] = work[None]", "grid[1:-1, 1:-1] = 2 * work"]
)
def test_what_is_no_copy_is_stored(engine, assign):
    start = numpy.random.default_rng(3).random((6, 5))
    results = []
    for np in (numpy, gamelan):
        names = {
            "grid": np.array(start.astype("f4")),
            "work": np.array(start[0, 1:-1]) + 1 if assign.startswith("grid[:,") else None,
        }
        sync(np)
        if names["work"] is None:
            names["work"] = np.array(start)[1:-1, 1:-1] + 1 if "1:-1, 1" in assign else np.array(start) + 1
        exec(assign, names)
        sync(np)
        names["grid"][:] = 0
        results.append(numpy.asarray(names["work"]))
    numpy.testing.assert_array_equal(*results)


def test_a_loop_stores_the_grid_only(engine, ranks):
    if not ranks:
        pytest.skip("the model has no heap")
    n = 600
    grid = gamelan.array(numpy.random.default_rng(1).random((n, n)))
    for _ in range(3):
        work = turn(gamelan, grid)
        delta = float(abs(work - grid[1:-1, 1:-1]).sum())
    assert delta == 0
    gamelan.stats(reset=True)
    for _ in range(5):
        work = turn(gamelan, grid)
        float(abs(work).sum())
    # Two versions of the grid, partial sums; `work` is in the middle of none of it.
    assert gamelan.stats()["heap_peak"] < 2.5 * grid.nbytes + 64 * 1024
