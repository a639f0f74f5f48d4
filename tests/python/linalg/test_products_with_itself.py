# SPDX-License-Identifier: BSD-3-Clause
"""A matrix times its own transpose: half of it is computed, in chunks of the inner axis where that is long. The result is symmetric
to the bit."""

import numpy
import pytest

import gamelan as np

WIDTHS = (3, 128, 129, 257, 512, 513)


def table(width, dtype):
    """Whole numbers, whose products are exact in any order."""
    inner = max(4 * width + 7, 600)
    return (numpy.arange(width * inner) * 7919 % 61 - 30).astype(dtype).reshape(inner, width)


@pytest.mark.parametrize("width, dtype", [(w, d) for w in WIDTHS for d in ("f8", "f4", "c16", "i8") if w < 130 or d[0] == "f"])
def test_exact_values(engine, width, dtype):
    local = table(width, dtype)
    views = (lambda a: a, lambda a: a[:, ::-1], lambda a: a[3:-2], lambda a: a[::2])
    for view in views:
        theirs, ours = view(local), view(np.asarray(local))
        plain = numpy.ascontiguousarray(theirs)  # NumPy multiplies others without BLAS
        wanted = plain.T @ plain
        for product in (ours.T @ ours, np.dot(ours.T, ours)):
            assert product.dtype == wanted.dtype and numpy.array_equal(product, wanted)


@pytest.mark.parametrize("width", [100, 200, 300])
def test_symmetric(engine, ranks, width):
    local = numpy.random.default_rng(width).random((width, 8 * width + 5))
    x = np.asarray(local)
    product = numpy.asarray(x @ x.T)
    assert numpy.array_equal(product, product.T) or not ranks
    numpy.testing.assert_allclose(product, local @ local.T, rtol=1e-12)
    again = numpy.asarray((x * 1.0) @ (x * 1.0).T)  # not known to be one matrix
    numpy.testing.assert_allclose(again, product, rtol=1e-12)
    covariance = numpy.asarray(np.cov(x))
    numpy.testing.assert_allclose(covariance, numpy.cov(local), rtol=1e-9, atol=1e-12)
