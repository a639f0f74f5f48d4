# SPDX-License-Identifier: BSD-3-Clause
"""Running folds against NumPy: every associative operation, every dtype, every layout and axis; rows of many blocks."""

import itertools

import numpy
import pytest

import gamelan
from gamelan._imported_numpy import ComplexWarning
from operands import DTYPES, LAYOUTS, cube
from oracle import check, check_all

FUNCTIONS = [
    "add",
    "multiply",
    "maximum",
    "minimum",
    "logical_and",
    "logical_or",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "fmax",
    "fmin",
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_accumulate(engine, dtype):
    data = cube(dtype, (14, 14))

    def programs():
        for name, (what, layout) in itertools.product(FUNCTIONS, LAYOUTS.items()):
            for axis in range(-3, 3):
                yield (
                    f"{name}.accumulate {dtype} {what} {axis}",
                    lambda np: getattr(np, name).accumulate(layout(np.array(data)), axis),
                )

    check_all(programs())


@pytest.mark.parametrize("dtype", DTYPES)
def test_cumsum_and_cumprod(engine, dtype):
    data = cube(dtype, (6, 5, 7))

    def programs():
        for name, axis in itertools.product(("cumsum", "cumprod"), (None, 0, 1, 2, -1, 3)):
            yield f"{name} {dtype} {axis}", lambda np: getattr(np, name)(np.array(data), axis)
            yield (
                f".{name} {dtype} {axis} as f8",
                lambda np: getattr(np.array(data)[::-1, 1:], name)(axis, dtype="f8" if dtype[0] != "c" else None),
            )
        yield "out", lambda np: np.cumsum(np.array(data), 1, out=np.zeros((6, 5, 7), "c16"))
        yield "wrong out", lambda np: np.cumsum(np.array(data), 1, out=np.zeros((6, 5), "c16"))
        yield "0-d", lambda np: np.cumsum(np.array(data)[0, 0, 0, ...])

    check_all(programs())


SIZES = [1, 2, 3, 1023, 1024, 1025, 2049, 4096, 70000, 100_003]


def test_rows_of_many_blocks_in_integers(engine):
    for size, step in itertools.product(SIZES, (1, -1, 3)):
        data = numpy.random.RandomState(size).randint(-9, 9, size * abs(step))
        check(lambda np: np.cumsum(np.array(data)[::step]), f"{size} step {step}", exact=True)
        check(lambda np: np.maximum.accumulate(np.array(data)[::step]), f"{size} step {step}", exact=True)


def _model(data, block):
    """The order of additions that is promised: block by block."""
    result, before = numpy.empty_like(data), None
    for first in range(0, data.size, block):
        within = numpy.add.accumulate(data[first : first + block])
        result[first : first + block] = within if before is None else before + within
        before = result[min(first + block, data.size) - 1]
    return result


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_bits_of_long_rows(engine, ranks, dtype):
    """The same bits at any rank count: those of the definition."""
    if not ranks:
        pytest.skip("the model adds as NumPy does")
    for size in SIZES:
        data = (numpy.random.RandomState(size).standard_normal(size) * 10.0 ** numpy.arange(size).__mod__(7)).astype(dtype)
        block = min(4096, 1 << max(0, (-(-size // 1024) - 1).bit_length()))
        actual = numpy.asarray(gamelan.cumsum(gamelan.array(data)))
        assert actual.tobytes() == _model(data, block).tobytes(), size


def test_sums_of_positive_numbers_never_fall(engine):
    data = numpy.random.RandomState(1).random_sample(200_000) ** 8
    sums = numpy.asarray(gamelan.cumsum(gamelan.array(data)))
    assert (numpy.diff(sums) >= 0).all()


def test_lines_have_numpys_bits(engine):
    data = numpy.random.RandomState(2).standard_normal((37, 41, 19))
    for axis in range(3):
        check(lambda np: np.cumsum(np.array(data), axis), f"axis {axis}", exact=True)
        check(lambda np: np.cumsum(np.array(data).T, axis), f"transposed, axis {axis}", exact=True)


def test_a_nan_stays(engine):
    data = numpy.ones(5000)
    data[[3, 4000]] = numpy.nan, numpy.inf
    for name in ("add", "maximum", "minimum", "multiply"):
        check(lambda np: getattr(np, name).accumulate(np.array(data)), name)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_lost_imaginary_parts_are_told_each_time(engine, name):
    z = gamelan.array(numpy.arange(40) * 1j)
    for _ in range(3):
        with pytest.warns(ComplexWarning):
            getattr(gamelan, name)(z, dtype=float)
