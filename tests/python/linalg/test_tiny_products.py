# SPDX-License-Identifier: BSD-3-Clause
"""Many rows times a small matrix (points times a rotation): no more columns than four, an inner axis of at most eight."""

import gamelan
import numpy
import pytest


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


def test_bits_do_not_depend_on_the_rows_beside():
    a, b = numbers(100_003, 3), numbers(3, 3, seed=1)
    whole = numpy.asarray(gamelan.asarray(a) @ gamelan.asarray(b))
    for first in (1, 777, 50_001):
        part = numpy.asarray(gamelan.asarray(a)[first : first + 40_000] @ gamelan.asarray(b))
        assert part.tobytes() == whole[first : first + 40_000].tobytes()
    expected = (a[:, :1] * b[0] + a[:, 1:2] * b[1]) + a[:, 2:] * b[2]
    assert whole.tobytes() == expected.tobytes()
