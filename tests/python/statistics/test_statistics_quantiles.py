# SPDX-License-Identifier: BSD-3-Clause
"""median, quantile and percentile against NumPy: every method, several q, axes, NaN, dtypes."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest

import gamelan
from operands import cube
from oracle import check, check_all

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
           "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]  # fmt: skip
AXES = [None, 0, -1, (0, 2), (1, 0), (0, 1, 2)]
QS = [0.0, 0.5, 1.0, 0.3, [0.25, 0.5, 0.75], [], [[0.1], [0.99]], numpy.linspace(0, 1, 13)]


def data_of(dtype, has_nan=False):
    draw = numpy.random.RandomState(11)
    data = draw.randint(0, 100, (5, 6, 7)).astype(dtype)
    if has_nan:
        data[draw.random_sample(data.shape) < 0.3] = numpy.nan
        data[1, 2] = numpy.nan
    return data


@pytest.mark.parametrize("method", METHODS)
def test_methods(engine, method):
    def programs():
        for dtype, q in itertools.product(("int32", "float64"), QS):
            yield f"{dtype} {q}", lambda np: np.quantile(np.array(data_of(dtype)), q, method=method)
            yield f"{dtype} {q} axis", lambda np: np.quantile(np.array(data_of(dtype)), q, axis=1, method=method)
        yield "nan", lambda np: np.quantile(np.array(data_of("f8", True)), [0.2, 0.9], axis=(0, 1), method=method, keepdims=True)
        yield "nanquantile", lambda np: np.nanquantile(np.array(data_of("f8", True)), [0.2, 0.9], axis=2, method=method)

    check_all(programs())


def test_axes_and_options(engine):
    data = data_of("float64")

    def into(np):
        out = np.zeros((2, 5, 7))
        return [np.percentile(np.array(data), [20, 70], axis=1, out=out) is out, out]

    def programs():
        for name, axis, keepdims in itertools.product(("quantile", "nanquantile"), AXES, (False, True)):
            for q in (0.4, [0.1, 0.6]):
                yield f"{name} {q} {axis}", lambda np: getattr(np, name)(np.array(data), q, axis, keepdims=keepdims)
        for name, axis, keepdims in itertools.product(("median", "nanmedian"), AXES, (False, True)):
            yield f"{name} {axis}", lambda np: getattr(np, name)(np.array(data), axis, keepdims=keepdims)
        for name in ("percentile", "nanpercentile"):
            yield name, lambda np: getattr(np, name)(np.array(data), [0, 33, 100], 0)
        for dtype in ("bool", "uint8", "int64", "float16", "float32"):
            yield f"median {dtype}", lambda np: np.median(np.array(cube(dtype)), 1)
            yield f"quantile {dtype}", lambda np: np.quantile(np.array(cube(dtype)), 0.3, 1)
            yield f"quantile {dtype} flat", lambda np: np.quantile(np.array(cube(dtype)), 0.3)
            yield f"median {dtype} transposed", lambda np: np.median(np.array(cube(dtype)).T[::-1, ::2], (0, 1))
        yield "median nan", lambda np: np.median(np.array(data_of("f8", True)), 1)
        yield "into", into
        yield "short q", lambda np: np.quantile(np.array(data).astype("f4"), numpy.array([0.2, 0.7], "f4"), 1)
        yield "whole q", lambda np: (np.quantile(np.array(data), 0), np.quantile(np.arange(5), [0, 1]))
        yield "infinite", lambda np: np.quantile(np.array([1, 2, numpy.inf]), [0.2, 0.8, 1])

    check_all(programs())


@pytest.mark.parametrize("q", [-0.1, 1.1, [0.5, 2], numpy.nan])
def test_errors(engine, q):
    for name in ("quantile", "nanquantile"):
        check(lambda np: getattr(np, name)(np.array(data_of("f8")), q), f"{name} {q}")
    check(lambda np: np.percentile(np.arange(5), 101))
    check(lambda np: np.quantile(np.arange(5), 0.5, axis=1))
    check(lambda np: np.quantile(np.arange(5), 0.5, method="middle"))


def test_nothing_and_one(engine):
    def programs():
        for name, shape, axis in itertools.product(("median", "nanmedian"), [(0,), (0, 3), (3, 0), (1,), ()], [None, 0, -1]):
            yield f"{name} {shape} {axis}", lambda np: getattr(np, name)(np.ones(shape), axis)
        for shape in ((1,), (), (1, 1)):
            yield f"quantile {shape}", lambda np: np.quantile(np.ones(shape), [0, 0.5])

    check_all(programs())


def test_many_numbers(engine):
    data = numpy.random.RandomState(3).standard_normal(70_001)
    check(
        lambda np: (np.median(np.array(data)), np.percentile(np.array(data), [1, 50, 99.9]), np.nanmedian(np.array(data)[::-2])),
        exact=True,
    )


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_no_quantiles_of_a_long_row(engine, name):
    """What violinplot asks for; a long row is not sorted, but its elements are selected."""
    data = numpy.random.RandomState(3).random_sample(70_000)
    for kind, method, keepdims in itertools.product(("f8", "f4", "i8"), ("linear", "nearest"), (False, True)):
        check(lambda np, kind=kind, method=method, keepdims=keepdims: getattr(np, name)(
            np.array((data * 1000).astype(kind)), [], method=method, keepdims=keepdims))  # fmt: skip
    check(lambda np: getattr(np, name)(np.array(data.reshape(100, 700)), [], axis=1))


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_fractions_are_refused_by_name(engine, name):
    for q in (Fraction(1, 2), [Fraction(1, 2)], Decimal("0.5")):
        with pytest.raises(NotImplementedError, match="object"):
            getattr(gamelan, name)(gamelan.arange(8), q)


@pytest.mark.parametrize("shape, axis", [((1, 150_000), 1), ((150_000, 1), 0), ((1, 1, 150_000), 2), ((3, 1, 50_000), (0, 2))])
def test_axes_of_length_1_that_stay(engine, shape, axis):
    data = numpy.random.RandomState(3).standard_normal(shape)
    gappy = numpy.where(data < -2, numpy.nan, data)
    check_all(
        (name, lambda np: getattr(np, name)(np.array(each), *q, axis=axis, keepdims=keepdims))
        for name, q in (
            ("median", ()),
            ("nanmedian", ()),
            ("percentile", ([5, 95],)),
            ("nanpercentile", (50.0,)),
            ("quantile", (0.3,)),
        )
        for each in (data, gappy)
        for keepdims in (False, True)
    )


def test_small_arrays_beside_large_operands(engine):
    small = numpy.random.RandomState(4).standard_normal((4, 30))
    large = numpy.linspace(0, 100, 300_000)

    def into(np):
        out = np.zeros(300_000)[:4]
        return [np.median(np.array(small), axis=1, out=out) is out, out]

    check_all([("out", into), ("q", lambda np: np.percentile(np.array(small), np.array(large)[::99_999], axis=0))])
