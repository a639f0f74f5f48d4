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


SHARED = {
    "whole": lambda a, v: v[: a.shape[-1]],
    "part": lambda a, v: v[3 : 3 + a.shape[-1]],
    "strided": lambda a, v: v[1 : 2 * a.shape[-1] : 2],
    "backwards": lambda a, v: v[a.shape[-1] :: -1][: a.shape[-1]],
    "a column": lambda a, v: v.reshape(-1, 5)[: a.shape[-1], 3],
    "planes": lambda a, v: v[: a.shape[0] * a.shape[-1]].reshape((a.shape[0],) + (1,) * (a.ndim - 2) + (a.shape[-1],)),
    "its rows": lambda a, v: v[: a.shape[-2]].reshape(-1, 1),
    "a row of it": lambda a, v: a[-1],
    "a part of a complex number": lambda a, v: v[: 2 * a.shape[-1]].view("c8" if v.dtype == "f4" else "c16").imag,
}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("of", SHARED)
def test_a_factor_that_rows_share(balance, of, dtype):
    draw = numpy.random.default_rng(len(of))
    for shape in ((1000, 700), (37, 4100), (4100, 37), (60, 70, 80), (3, 3, 3), (2, 140_001)):
        if of == "planes" and len(shape) == 2:
            continue
        a = gamelan.array((draw.random(shape) * 9 - 4).astype(dtype))
        v = gamelan.array((draw.random(5 * shape[-1] + 10 * shape[-2] + shape[0] * shape[-1] // 5 * 5) * 9 - 4).astype(dtype))
        for rows in (a, a[1:]):
            factor = SHARED[of](rows, v)
            stored = rows * factor
            gamelan.sync()
            expected = numpy.asarray(stored.sum(axis=-1))
            assert (numpy.asarray((factor * rows).sum(axis=-1)) == expected).all(), (shape, rows.shape)
            numpy.testing.assert_allclose(
                expected,
                (numpy.asarray(rows) * numpy.asarray(factor)).sum(axis=-1),
                rtol=2e-4 if dtype == "f4" else 1e-11,
                atol=1e-2,
            )


@pytest.mark.parametrize("axis", [-1, (1, 2), (0, 2)])
def test_both_factors_are_shared(balance, axis):
    draw = numpy.random.default_rng(7)
    for left, right in (((40, 1, 90), (30, 90)), ((40, 30, 1), (1, 30, 90)), ((1, 30, 90), (40, 1, 1)), ((90,), (40, 30, 90))):
        x, y = (gamelan.array(draw.random(shape)) for shape in (left, right))
        stored = x * y
        gamelan.sync()
        assert (numpy.asarray((x * y).sum(axis)) == numpy.asarray(stored.sum(axis))).all()


def moved(program):
    gamelan.sync()
    before = gamelan.stats()["bytes_shared"]
    kept = program()
    gamelan.sync()
    del kept
    return gamelan.stats()["bytes_shared"] - before


@pytest.mark.parametrize("balance", ["off"], indirect=True)
def test_a_shared_factor_comes_once(ranks, balance):
    if ranks < 2:
        pytest.skip("nothing lies with other ranks")
    a, v = gamelan.random.rand(1000, 700), gamelan.random.rand(700)
    assert moved(lambda: (a * v).sum(axis=1)) == (ranks - 1) * v.nbytes


@pytest.mark.parametrize("balance", ["off"], indirect=True)
def test_no_factor_comes_in_vain(ranks, balance):
    """A factor that is one number for each row is multiplied where it lies, as in any other pass."""
    if ranks < 2:
        pytest.skip("nothing lies with other ranks")
    a, far = gamelan.random.rand(1000, 700), gamelan.random.rand(4000)[3000:].reshape(-1, 1)
    assert 0 < moved(lambda: (a * far).sum(1)) <= moved(lambda: (a * far + 1).sum(1))
