# SPDX-License-Identifier: BSD-3-Clause
"""Values that machine code folds while it computes them: the bits, results and warnings are those of two passes."""

import warnings

import numpy
import pytest

import gamelan
from gamelan import _core

# Large enough for reduction blocks that are worth lanes of their own: pieces of rows, rows, and several rows.
SHAPES = [(140000,), (190, 701), (700, 190), (2, 3, 24000), (16, 64, 64), (2000, 300)]


def data(shape, dtype):
    """Numbers that are no sums of a few powers of two: an order of its own would show in the last bit."""
    values = numpy.sin(numpy.arange(numpy.prod(shape), dtype="f8").reshape(shape) * 1.7) * 3
    values.flat[::97] = -0.0
    return values.astype(dtype)


def plain(np, x, y):
    return [((x - y) ** 2).sum(), abs(x - y).max(), (x * y + 1).min(), (x * 0.001 + 1).prod(), np.where(x > 0, x, y).sum()]


def rows(np, x, y):
    mean = x.mean(axis=-1, keepdims=True)
    return [((x - y) ** 2).sum(axis=-1), (x - mean).max(axis=-1), ((x - mean) * y).sum(), ((x - x.sum()) + y).min()]


def views(np, x, y):
    return [((x[..., 1:-1] - y[..., :-2]) ** 2).sum(), abs(x[..., ::2] + y[..., ::2]).sum(), (x[..., ::-1] - y).max()]


def converted(np, x, y):
    return [(x.astype("f8") - y).sum(), (x * 2 + y).sum(dtype="f8"), ((x > y) * x).sum()]


def stencil(np, x, y):
    """The rim is computed by another program than the interior, and belongs to the same sums."""
    grid, inner, results = x.copy(), (slice(1, -1),) * x.ndim, []
    for _ in range(3):
        old = grid.copy()
        grid[inner] = (grid[(slice(None, -2),) + inner[1:]] + grid[(slice(2, None),) + inner[1:]] + y[inner]) / 3
        results += [((grid - old) ** 2).sum(), abs(grid - old).max()]
    return results + [grid]


def stored(np, x, y):
    """What is folded is kept, too; and is read again where it is written."""
    kept = x * 2
    kept += y
    return [(kept * kept).sum(), kept, (kept - 1).sum()]


@pytest.fixture
def compiling(engine, ranks):
    """A function that chooses what is compiled."""

    def choose(which):
        _core.flush(True)
        _core.configure([("compile", which)])

    if not ranks:
        pytest.skip("a model compiles nothing")
    yield choose
    choose("hot")


def bits(program, np, x, y):
    return [(numpy.asarray(each).dtype, numpy.asarray(each).tobytes()) for each in program(np, x, y)]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", [plain, rows, views, converted, stencil, stored])
def test_bits_are_those_of_two_passes(program, shape, dtype, compiling):
    x, y = data(shape, dtype), data(shape, dtype)[..., ::-1] + 1
    expected = program(numpy, x, y)
    arrays = gamelan.asarray(x), gamelan.asarray(y)
    found = []
    for which in ("off", "always"):
        compiling(which)
        found.append(bits(program, gamelan, *arrays))
        for got, wanted in zip(program(gamelan, *arrays), expected):
            numpy.testing.assert_allclose(
                got, wanted, rtol=1e-12 if dtype == "f8" else 1e-4, atol=1e-4 if dtype == "f4" else 1e-9
            )
    assert found[0] == found[1]


@pytest.mark.parametrize("place", [(0, 0), (40, 350), (189, 700), (40, 0)])
def test_nan_infinity_and_their_warnings(place, compiling):
    """The command that warns is found where values are folded at once, in the interior and at the rim."""

    def program(np, x, y):
        x[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1]
        return (x - y).sum(), abs(x * y).max()

    x, y = data((190, 701), "f8"), data((190, 701), "f8")
    x[place] = y[place] = numpy.inf
    with numpy.errstate(all="ignore"):
        expected = program(numpy, x.copy(), y)
    for which in ("off", "always"):
        compiling(which)
        for _ in range(2):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                got = [float(each) for each in program(gamelan, gamelan.asarray(x.copy()), gamelan.asarray(y))]
            numpy.testing.assert_allclose(got, expected, rtol=1e-12)
            is_at_rim = 0 in place or place[0] == 189 or place[1] == 700
            wanted = ["invalid value encountered in subtract"] if is_at_rim else []
            assert sorted({str(each.message) for each in told if "subtract" in str(each.message)}) == wanted
