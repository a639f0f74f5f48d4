# SPDX-License-Identifier: BSD-3-Clause
"""Values that machine code folds while it computes them: the bits, results and warnings are those of two passes."""

import warnings

import numpy
import pytest

import engines
import gamelan
from gamelan import _core

# Large enough for reduction blocks that are worth lanes of their own: pieces of rows, rows, and several rows.
SHAPES = [(140000,), (190, 701), (700, 260), (2, 3, 24000), (16, 64, 64), (2000, 300)]


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


def counted(np, x, y):
    """Truth values lie in scratch memory as bytes."""
    m = x > y
    return [m.sum(), np.count_nonzero(m & (x < 1), axis=-1), m.mean(), ((x < 0) | (y > 1)).sum()]


def whole_numbers(np, x, y):
    i = np.asarray((data(x.shape, "f8") * 1000).astype("i8"))
    return [(i + 3).sum(axis=-1), (i - 1 + i).sum()]


def stencil(np, x, y):
    """The rim is computed by another program than the interior, and belongs to the same sums."""
    grid, inner, results = x.copy(), (slice(1, -1),) * x.ndim, []
    for _ in range(3):
        old = grid.copy()
        grid[inner] = (grid[(slice(None, -2),) + inner[1:]] + grid[(slice(2, None),) + inner[1:]] + y[inner]) / 3
        results += [((grid - old) ** 2).sum(), abs(grid - old).max()]
    return results + [grid]


def wide_rim(np, x, y):
    """The rim is wider than the lanes, and ends between two of them."""
    grid = x.copy()
    grid[..., 45:-1] = y[..., 44:-2] * 2
    return [(grid * 3 - y).sum(), abs(grid + x).max(), grid]


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
    choose(engines.compiled(ranks))


def bits(program, np, x, y):
    return [(numpy.asarray(each).dtype, numpy.asarray(each).tobytes()) for each in program(np, x, y)]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", [plain, rows, views, converted, counted, whole_numbers, stencil, wide_rim, stored])
def test_bits_are_those_of_two_passes(program, shape, dtype, compiling):
    are_several_rows = shape == (16, 64, 64) and program not in (plain, rows, converted, counted)  # cut, or short
    assert check_bits(program, shape, dtype, compiling) > 0 or are_several_rows


def check_bits(program, shape, dtype, compiling):
    """Returns how many cells rank 0 has folded while they were computed."""
    x, y = data(shape, dtype), data(shape, dtype)[..., ::-1] + 1
    expected = program(numpy, x, y)
    arrays = gamelan.asarray(x), gamelan.asarray(y)
    found, folded = [], []
    for which in ("off", "always"):
        compiling(which)
        before = gamelan.stats()["cells_folded_at_once"]
        found.append(bits(program, gamelan, *arrays))
        folded.append(gamelan.stats()["cells_folded_at_once"] - before)
        for got, wanted in zip(program(gamelan, *arrays), expected):
            numpy.testing.assert_allclose(
                got, wanted, rtol=1e-12 if dtype == "f8" else 1e-4, atol=1e-4 if dtype == "f4" else 1e-9
            )
    assert found[0] == found[1]
    assert folded[0] == 0
    return folded[1]


@pytest.mark.parametrize("balance", ["always"], indirect=True)
@pytest.mark.parametrize("program", [plain, stencil])
def test_ranks_that_help_each_other(program, balance, compiling):
    check_bits(program, (700, 190), "f8", compiling)


def in_place(np, x, y):
    x += y[:, 600:1600]
    first = (x * x + 1).sum()
    x[:, 1:] = x[:, :-1] * y[:, :999]
    return [first, abs(x - 1).max(), x + 0]


@pytest.mark.parametrize("layout", [None, "columns"])
def test_what_is_written_over_is_computed_once(layout, compiling, ranks):
    """The operands are cut in different places, so some of their cells are small."""
    x, y = data((300, 1000), "f8"), data((300, 1600), "f8")
    expected = in_place(numpy, x.copy(), y)
    found = []
    distribution = gamelan.distribution.block((1, ranks)) if layout else None
    for which in ("off", "hot", "always"):
        compiling(which)
        other = gamelan.array(y, distribution=distribution) if layout else gamelan.asarray(y)
        found.append(bits(in_place, gamelan, gamelan.array(x), other))
        for got, wanted in zip(in_place(gamelan, gamelan.array(x), other), expected):
            numpy.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("balance", ["off"], indirect=True)
def test_what_is_read_is_counted_once(balance, compiling, ranks):
    """Also where a region is computed again, because its sum overflows."""
    x, y = data((300, 1000), "f8"), data((300, 1600), "f8")
    found = []
    for which in ("off", "always"):
        compiling(which)
        ours, other = gamelan.array(x), gamelan.array(y, distribution=gamelan.distribution.block((1, ranks)))
        gamelan.sync()
        before = gamelan.stats()["bytes_shared"]
        with numpy.errstate(all="ignore"):
            results = [
                float(((ours - other[:, 590:1590]) ** 2 + 1).sum()),
                float((ours * 1e200 * other[:, 590:1590] * 1e200).sum()),
            ]
        found.append((results, gamelan.stats()["bytes_shared"] - before))
    assert repr(found[0]) == repr(found[1])


def warned_of(program):
    """The numbers that a program gives, and what it warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        numbers = [float(each) for each in program()]
    return numbers, {str(each.message) for each in told}


@pytest.mark.parametrize("place", [(0, 0), (40, 350), (189, 700), (40, 0)])
def test_nan_infinity_and_their_warnings(place, compiling):
    """The command that warns is found where values are folded at once, in the interior and at the rim."""

    def program(np, x, y):
        x[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1]
        return (x - y).sum(), abs(x * y).max()

    x, y = data((190, 701), "f8"), data((190, 701), "f8")
    x[place] = y[place] = numpy.inf
    expected, wanted = warned_of(lambda: program(numpy, x.copy(), y))
    for which in ("off", "always"):
        compiling(which)
        for _ in range(2):
            got, told = warned_of(lambda: program(gamelan, gamelan.asarray(x.copy()), gamelan.asarray(y)))
            numpy.testing.assert_allclose(got, expected, rtol=1e-12)
            assert told == wanted
