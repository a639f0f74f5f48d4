# SPDX-License-Identifier: BSD-3-Clause
"""NaN, infinities and what overflows, among other arguments: a result depends on its argument alone, and errors are told."""

import warnings

import numpy
import pytest

import gamelan

FUNCTIONS = """exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh
    arcsin arccos arctan arcsinh arccosh arctanh cbrt""".split()
NUMBERS = [
    0.25,
    1,
    -1,
    0.0,
    -0.0,
    numpy.nan,
    -numpy.nan,
    numpy.inf,
    -numpy.inf,
    1e-310,
    -1e-45,
    1e300,
    -1e300,
    1e38,
    -1e38,
    1.7e308,
    3.4e38,
    -3.4e38,
]
NUMBERS += [709.5, 709.785, 709.795, 711, -708.5, -745, -745.9, -746.1, -800]
NUMBERS += [88.7, 88.725, 88.735, 90, -87.5, -103.9, -104.1, -110]
NUMBERS += [1023.5, 1024, 1024.5, -1074.5, -1075.5, -1076.5, 127.5, 128, 128.5, -149.5, -150.5, -151.5, 1.5, -1.5, 2, -2, 40, -40]


def told_by(program):
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        result = numpy.asarray(program())
    return result, sorted({str(each.message) for each in met})


def told(np, name, x):
    return told_by(lambda: getattr(np, name)(np.array(x)))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_among_others(engines_only, name, dtype):
    with numpy.errstate(all="ignore"):
        numbers = numpy.array(NUMBERS).astype(dtype)
    draw = numpy.random.default_rng(6)
    x = numpy.where(draw.random(5000) < 0.3, draw.choice(numbers, 5000), draw.random(5000).astype(dtype))
    result, messages = told(gamelan, name, x)
    expected, theirs = told(numpy, name, x)
    numpy.testing.assert_allclose(result, expected, rtol=1e-6 if dtype == "f4" else 1e-14, atol=1e-40)
    assert messages == theirs
    for number in numbers:
        alone, of_one = told(gamelan, name, numpy.full(200, number))
        among = result[x.view(f"u{x.itemsize}") == number.view(f"u{x.itemsize}")]
        assert {each.tobytes() for each in among} <= {alone[0].tobytes()}, number
        assert of_one == told(numpy, name, numpy.full(200, number))[1], number


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", ["log", "log10"])
def test_large_numbers_among_missing_ones(engines_only, name, dtype):
    """They must not overflow in what makes NaN quiet, in tile after tile: that would hide the one overflow of another operation."""
    greatest = numpy.finfo(dtype).max
    x = numpy.where(numpy.arange(300_000) % 3 == 0, numpy.nan, greatest / 1.5).astype(dtype)
    other = numpy.ones_like(x)
    other[-1] = greatest

    def program(np):
        y, z = np.array(x), np.array(other)
        return getattr(np, name)(y) + z * z

    (result, messages), (expected, theirs) = told_by(lambda: program(gamelan)), told_by(lambda: program(numpy))
    numpy.testing.assert_allclose(result, expected, rtol=1e-6 if dtype == "f4" else 1e-14)
    assert messages == theirs == ["overflow encountered in multiply"]


FAULTS = {"exp": 1e5, "expm1": 1e5, "log": 0.0, "log10": -1.0, "log1p": -1.0, "sin": numpy.inf, "tan": -numpy.inf, "cosh": 1e5}
FAULTS |= {"arcsin": 2.0, "arctanh": 1.0}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_behind_many_missing_values(engines_only, name, dtype):
    """NaN in every tile, which is no error, must not hide the one error in the last tile, nor that of another operation."""

    def programs(np):
        x = numpy.full(300_000, 0.5, dtype)
        x[::50] = numpy.nan
        x[-3] = FAULTS[name]
        x, function = np.array(x), getattr(np, name)
        yield lambda: function(x)
        yield lambda: (1 / (x - dtype_of(FAULTS[name]))) * function(x * dtype_of(0.0) + dtype_of(0.5))

    dtype_of = numpy.dtype(dtype).type
    for ours, theirs in zip(programs(gamelan), programs(numpy), strict=True):
        (expected, told_there), (result, told_here) = told_by(theirs), told_by(ours)
        assert told_here == told_there
        numpy.testing.assert_allclose(result, expected, rtol=1e-5 if dtype == "f4" else 1e-13)
