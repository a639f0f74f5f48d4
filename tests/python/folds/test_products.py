# SPDX-License-Identifier: BSD-3-Clause
"""Sums of products are multiplied as they are added up: with the bits of a sum over the stored products, and NumPy's
floating-point errors."""

import warnings

import numpy
import pytest

import gamelan

SHAPES = [(1,), (31,), (32,), (33,), (2047,), (2049,), (70_001,), (3, 40_000), (500, 7), (1000, 33), (40, 30, 50)]


def operands(shape, dtype):
    draw = numpy.random.default_rng(sum(shape))
    return (gamelan.array((draw.random(shape) - 0.5).astype(dtype)) for _ in range(2))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits_of_stored_products(engine, shape, dtype):
    x, y = operands(shape, dtype)
    for axis in (None, -1, 0):
        for left, right in ((x, y), (x, x), (x[::-1], y), (x[..., ::-1], y[..., ::-1]), (x[..., :1], y), (x, y[:1]), (y[:1], x)):
            stored = left * right
            gamelan.sync()
            expected = numpy.asarray(stored.sum(axis))
            assert (numpy.asarray((left * right).sum(axis)) == expected).all()
            numpy.testing.assert_allclose(
                expected, (numpy.asarray(left) * numpy.asarray(right)).sum(axis), rtol=1e-4 if dtype == "f4" else 1e-11, atol=1e-5
            )


def test_norm_and_dot(engine):
    x, y = operands((70_001,), "f8")
    stored = x * y
    gamelan.sync()
    assert float(x @ y) == float(stored.sum())
    numpy.testing.assert_allclose(float(gamelan.linalg.norm(x)), numpy.linalg.norm(numpy.asarray(x)), rtol=1e-13)


def told(np, value, other):
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(over="warn", invalid="warn", under="ignore"):
        warnings.simplefilter("always")
        x, y = np.ones(5000), np.ones(5000)
        x[100:4900], y[100:4900] = value, other
        total = (x * y).sum()  # kept: what nobody can read is not computed
        gamelan.sync()
        del total
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("value, other", [(1e200, 1e200), (1e160, 1e148), (numpy.inf, 0.0), (1e-200, 1e-200), (numpy.nan, 1.0)])
def test_errors_belong_to_the_multiplication_or_to_the_sum(ranks, engine, value, other):
    if ranks == 0:
        pytest.skip("the model meets no errors")
    assert told(gamelan, value, other) == told(numpy, value, other)
