# SPDX-License-Identifier: BSD-3-Clause
"""Many rows times a small matrix (points times a rotation, colours times weights): no more columns than four, an inner axis of at
most eight. Stacks of rows times one matrix."""

import gamelan
import numpy
import pytest

pytestmark = pytest.mark.usefixtures("engine")


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("rows", [1, 5, 1023, 2050, 200_003])
@pytest.mark.parametrize("inner, columns", [(1, 3), (2, 2), (3, 3), (4, 4), (8, 2), (8, 4), (9, 3), (3, 5), (3, 1)])
def test_points_times_a_matrix(rows, inner, columns):
    a, b = numbers(rows, inner), numbers(inner, columns, seed=1)
    b[0, 0] = numpy.inf if rows == 5 else b[0, 0]
    x, y = gamelan.asarray(a), gamelan.asarray(b)
    for got, expected in (
        (x @ y, a @ b),
        (x[::-1] @ y, a[::-1] @ b),
        (x[1::2] @ b, a[1::2] @ b),
        (x[:, ::-1] @ y, a[:, ::-1] @ b),
        (gamelan.asarray(numpy.asfortranarray(a)) @ y, a @ b),
        (x @ gamelan.asarray(b.T.copy()).T, a @ b),
        (x[:, : inner - 1] @ y[1:], a[:, : inner - 1] @ b[1:]),
        ((y.T @ x.T).T, a @ b),
    ):
        assert got.shape == expected.shape and got.dtype == expected.dtype
        numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-12, atol=1e-12)


def test_bits_do_not_depend_on_the_rows_beside(ranks):
    if not ranks:
        pytest.skip("the model multiplies as NumPy does")
    a, b = numbers(100_003, 3), numbers(3, 3, seed=1)
    whole = numpy.asarray(gamelan.asarray(a) @ gamelan.asarray(b))
    for first in (1, 777, 50_001):
        part = numpy.asarray(gamelan.asarray(a)[first : first + 40_000] @ gamelan.asarray(b))
        assert part.tobytes() == whole[first : first + 40_000].tobytes()
    expected = (a[:, :1] * b[0] + a[:, 1:2] * b[1]) + a[:, 2:] * b[2]
    assert whole.tobytes() == expected.tobytes()


@pytest.mark.parametrize("inner, columns", [(3, 1), (3, 3), (8, 2), (9, 1)])
def test_of_float32(inner, columns):
    a, b = numbers(20_011, inner).astype("f4"), numbers(inner, columns, seed=1).astype("f4")
    got = gamelan.asarray(a) @ gamelan.asarray(b)
    assert got.dtype == numpy.float32
    numpy.testing.assert_allclose(numpy.asarray(got), a @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "f4", "f8", "c16", "?"])
@pytest.mark.parametrize("weights", ["f8", "f4", "i8", "?"])
def test_colours_times_weights(dtype, weights):
    """The elements of an image become numbers of another dtype on the way."""
    random = numpy.random.default_rng(0)
    image, w = random.integers(0, 256, (61, 83, 3)).astype(dtype), random.integers(0, 9, 3).astype(weights)
    m = random.integers(0, 9, (3, 3)).astype(weights)
    x, y, z = gamelan.asarray(image), gamelan.asarray(w), gamelan.asarray(m)
    for got, expected in (
        (x @ y, image @ w),
        (x[::-1, ::2] @ y[::-1], image[::-1, ::2] @ w[::-1]),
        (x.transpose(1, 0, 2) @ y, image.transpose(1, 0, 2) @ w),
        (gamelan.dot(x, y), numpy.dot(image, w)),
        (x @ z, image @ m),
        (x[:, :, ::-1] @ z.T, image[:, :, ::-1] @ m.T),
        (x[:0] @ y, image[:0] @ w),
        (x[..., :0] @ y[:0], image[..., :0] @ w[:0]),
        (x[..., :0] @ z[:0], image[..., :0] @ m[:0]),
    ):
        assert got.shape == expected.shape and got.dtype == expected.dtype
        numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-5 if expected.dtype == "f4" else 1e-12)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        x @ y[:2]


def test_stacks_of_rows():
    a, b = numbers(5, 4, 300, 37), numbers(37, 11, seed=1)
    x, y = gamelan.asarray(a), gamelan.asarray(b)
    for got, expected in (
        (x @ y, a @ b),
        (x[:, ::2] @ y, a[:, ::2] @ b),
        (x.transpose(2, 1, 0, 3) @ y, a.transpose(2, 1, 0, 3) @ b),
        (x @ y[:, 0], a @ b[:, 0]),
        (x[:, :, 0] @ y, a[:, :, 0] @ b),
    ):
        assert got.shape == expected.shape
        numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-11, atol=1e-12)
