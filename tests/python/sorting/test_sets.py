# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as sets against NumPy: unique with everything it returns, membership, union and differences."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, LAYOUTS, right
from oracle import check, check_all

MANY = dict(return_index=True, return_inverse=True, return_counts=True)


def few_values(dtype, size, seed=0, distinct=9):
    """Many equal numbers, and for floating point NaN, both zeros and infinity."""
    random = numpy.random.RandomState(seed)
    data = random.randint(0, distinct, size).astype(dtype)
    if data.dtype.kind == "c":
        data += 1j * random.randint(0, 2, size).astype(dtype)
    if data.dtype.kind in "fc" and data.size > 9:
        flat = data.reshape(-1)
        flat[[1, 4, 6]], flat[2], flat[5] = numpy.nan, numpy.inf, -0.0
    return data


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(engine, dtype):
    def programs():
        for what, layout in LAYOUTS.items():
            yield f"unique {dtype} {what}", lambda np: np.unique(layout(np.array(right(dtype))), **MANY)
        for size, equal_nan in itertools.product((0, 1, 2, 40, 3000), (True, False)):
            data = few_values(dtype, size)
            yield f"unique {dtype} of {size}", lambda np: np.unique(np.array(data), equal_nan=equal_nan)
            yield f"unique {dtype} of {size} with all", lambda np: np.unique(np.array(data), **MANY, equal_nan=equal_nan)
        for wanted in itertools.product((False, True), repeat=3):
            yield f"unique {wanted}", lambda np: np.unique(np.array(data), *wanted)

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "i4", "c16", "?"])
def test_unique_rows(engine, dtype):
    def programs():
        for shape, axis in itertools.product(((30, 3), (6, 1), (1, 5), (4, 3, 2), (0, 3), (3, 0), (9,)), (0, -1, 1, 7)):
            data = few_values(dtype, shape, distinct=3)
            if data.dtype.kind in "fc":
                data = numpy.nan_to_num(data, nan=1, posinf=2)
            yield f"{dtype} {shape} {axis}", lambda np: np.unique(np.array(data), **MANY, axis=axis)
            yield f"{dtype} {shape} {axis}, values", lambda np: np.unique(np.array(data)[::-1], axis=axis)

    check_all(programs())


def test_rows_with_nan_are_never_equal(engine):
    data = numpy.array([[1, numpy.nan], [0, 2], [1, numpy.nan], [numpy.nan, 0], [0, 2]])
    check(lambda np: np.unique(np.array(data), axis=0, return_counts=True), exact=True)


PAIRS = [(0, 0), (0, 5), (5, 0), (1, 1), (40, 30), (700, 2), (3, 900), (500, 600)]


@pytest.mark.parametrize("dtype, other", [("i8", "i8"), ("f8", "f8"), ("f4", "i2"), ("c8", "f4"), ("?", "?"), ("f2", "f2")])
def test_two_sets(engine, dtype, other):
    def programs():
        for (size, others), invert in itertools.product(PAIRS, (False, True)):
            one, two = few_values(dtype, size, 1, 400)[::-1], few_values(other, others, 2, 500)
            yield f"isin {size} {others} {invert}", lambda np: np.isin(np.array(one), np.array(two), invert=invert)
        for size, others in PAIRS:
            one, two = few_values(dtype, size, 3, 400), few_values(other, others, 4, 300)
            yield f"intersect1d {size} {others}", lambda np: np.intersect1d(np.array(one), np.array(two))
            yield f"places {size} {others}", lambda np: np.intersect1d(np.array(one), np.array(two), return_indices=True)
            yield f"union1d {size} {others}", lambda np: np.union1d(np.array(one), np.array(two))
            yield f"setdiff1d {size} {others}", lambda np: np.setdiff1d(np.array(one), np.array(two))
            yield f"setxor1d {size} {others}", lambda np: np.setxor1d(np.array(one), np.array(two))

    check_all(programs())


def test_assume_unique(engine):
    one, two = numpy.arange(50)[::-2], numpy.arange(0, 60, 3)[::-1]

    def programs():
        for name in ("in1d", "intersect1d", "setdiff1d", "setxor1d"):
            yield name, lambda np: getattr(np, name)(np.array(one), np.array(two), assume_unique=True)
        yield "places", lambda np: np.intersect1d(np.array(one), np.array(two), True, True)

    check_all(programs())


@pytest.mark.parametrize("expression", [
    "np.isin(a, [2, 5])", "np.isin(a.reshape(3, 4), 7)", "np.in1d(a.reshape(3, 4), [3, 3], invert=True)", "np.isin([3, 4], a)",
    "np.isin(a, a[::2])", "np.in1d(a, a, kind='table')", "np.in1d(a, a * 0.5, kind='table')", "np.in1d(a, a, kind='quick')",
    "np.isin(a, list(range(30)))", "np.union1d(a, [2.5])", "np.union1d([3, 1], a.reshape(3, 4))", "np.setdiff1d(a, [3])",
    "np.setdiff1d([3, 99], a)", "np.setxor1d(a, [3, 30])", "np.intersect1d(a.reshape(2, 6), [30, 7, 2])", "np.unique(a, axis=1)",
    "np.unique(np.array(3), True)", "np.unique(a.reshape(3, 4).T, return_inverse=True)", "np.unique([a[0], a[1]])",
])  # fmt: skip
def test_forms_of_arguments(engine, expression):
    check(lambda np: eval(expression, {"np": np, "a": np.arange(12)}), expression)


def test_small_beside_large(mixed):
    check(lambda np: np.isin(np.arange(30), np.array([3, 4])))
    check(lambda np: np.isin(np.array([3, 4]), np.arange(30)))
    check(lambda np: np.setdiff1d(np.arange(30), np.arange(5)))
    check(lambda np: np.intersect1d(np.array([3, 40]), np.arange(30), return_indices=True))


assert gamelan
