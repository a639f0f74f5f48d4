# SPDX-License-Identifier: BSD-3-Clause
"""A box of an array is written and then all of it is read: one pass, whose results and bits are those of two."""

import numpy
import pytest

import gamelan
from gamelan import _core

SHAPES = [(50,), (4099,), (37, 64), (9, 700), (700, 9), (8, 12, 13)]


def data(shape, dtype="f8"):
    return (numpy.arange(numpy.prod(shape)).reshape(shape) * 7 % 32).astype(dtype) / (8 if dtype[0] == "f" else 1)


def sweep(np, grid):
    """Interior from its neighbours along every axis; what changed, as a sum, a maximum and an array."""
    inner = (slice(1, -1),) * grid.ndim
    old = grid.copy()
    total = 0
    for axis in range(grid.ndim):
        for side in (slice(None, -2), slice(2, None)):
            total = total + grid[inner[:axis] + (side,) + inner[axis + 1 :]]
    grid[inner] = total
    change = grid - old
    return [(change**2).sum(), abs(grid).max(), change]


def boundary(np, grid):
    """The box lies at an end, and is written in place."""
    grid[:-2] += 1
    return [grid.sum(), grid.min(axis=0), grid * 2]


def swapped(np, grid):
    """Both are read the other way round."""
    grid[::-1][1:] = 3
    return [grid[::-1].sum(), np.where(grid > 2, grid, -grid).sum()]


def stepped(np, grid):
    """Every other row is no box: these are two passes."""
    grid[::2] = 5
    return [grid.sum(), grid + 1]


def chained(np, grid):
    """What follows the box is read by what follows."""
    other = np.full(grid.shape, 2.0)
    grid[1:] = grid[:-1] * 0.5
    twice = grid * other
    return [twice, (twice - grid).sum(), twice.max()]


def rescaled(np, grid):
    """What follows the box is bound for the array itself, which an interior would keep from its pass."""
    grid[1:] = 2
    grid[...] = grid * 0.5 + 1
    return [grid.sum()]


def measured_inside(np, grid):
    """The box's values are folded after the whole was: as an interior they would have to be stored for it."""
    work = grid[1:] + grid[:-1]
    grid[1:] = work
    return [grid.sum(), abs(work).max()]


def numbered(np, grid):
    """The box is numbered: its elements count in the box, not in the whole."""
    grid[1:] = np.arange(grid[1:].size).reshape(grid[1:].shape)
    return [grid * 2, grid.sum()]


def tiny(np, grid):
    """A box that is less than half of what is read."""
    grid[:2] = 0
    return [grid * 2, grid.sum()]


def written_again(np, grid):
    """The whole is read before and after a second box is written."""
    grid[2:] = 1
    first = grid + 0
    grid[:2] = first[-2:]
    return [first, grid.sum(), grid - first]


# Programs, and whether an interior makes one pass of theirs. (Swapped: where reduction blocks end with blocks, which on a line they may not.)
PROGRAMS = {sweep: True, boundary: True, swapped: None, stepped: False, chained: True, rescaled: False, measured_inside: False,
            numbered: True, tiny: False, written_again: True}  # fmt: skip


def run(program, shape, dtype, ranks):
    """The results, and whether the plan had an interior."""
    grid = gamelan.array(data(shape, dtype))
    gamelan.sync()
    results = program(gamelan, grid)
    plan = gamelan.explain() if ranks else ""
    return [numpy.asarray(result) for result in [*results, grid]], "interior over" in plan


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_equals_numpy_and_the_same_bits_as_in_two_passes(engine, ranks, program, shape, dtype):
    grid = data(shape, dtype)
    expected = [numpy.asarray(result) for result in [*program(numpy, grid), grid]]
    together, has_interior = run(program, shape, dtype, ranks)
    assert PROGRAMS[program] is None or has_interior == (PROGRAMS[program] and bool(ranks))
    for got, want in zip(together, expected, strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        numpy.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "f4" else 1e-12)
    _core.flush(True)
    _core.configure([("disable_passes", "interior")])
    try:
        apart, has_interior = run(program, shape, dtype, ranks)
    finally:
        _core.flush(True)
        _core.configure([("disable_passes", "")])
    assert not has_interior and [got.tobytes() for got in together] == [got.tobytes() for got in apart]


def test_laplace_with_its_norm_is_one_pass(engine, ranks):
    if not ranks:
        pytest.skip("the model has no passes")
    grid = gamelan.array(data((64, 64)))
    gamelan.sync()
    old = grid.copy()
    grid[1:-1, 1:-1] = (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]) / 4
    norm = ((grid - old) ** 2).sum()
    text = gamelan.explain()
    assert text.count("step ") == 2 and "interior over 62x62" in text  # the pass, and the fold of its partials
    del norm
