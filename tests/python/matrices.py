# SPDX-License-Identifier: BSD-3-Clause
"""Matrices for the tests of decompositions, the same for any number of engines, and what these tests compare: products of
factors, because signs and bits of factors are free."""

import numpy


def general(np, shape, dtype="f8", seed=0):
    """Well conditioned: random, with a large diagonal."""
    random = numpy.random.default_rng(seed)
    data = random.standard_normal(shape)
    if numpy.dtype(dtype).kind == "c":
        data = data + 1j * random.standard_normal(shape)
    data += 3 * numpy.eye(*shape[-2:])
    return np.array((data * 4).astype(dtype) if numpy.dtype(dtype).kind == "i" else data.astype(dtype))


def hermitian(np, shape, dtype="f8", seed=0):
    data = general(numpy, shape, dtype, seed)
    return np.array(data + numpy.conj(numpy.swapaxes(data, -1, -2)))


def positive(np, shape, dtype="f8", seed=0):
    data = general(numpy, shape, dtype, seed)
    product = data @ numpy.conj(numpy.swapaxes(data, -1, -2))
    return np.array((product + 2 * numpy.eye(shape[-1])).astype(dtype))


def adjoint(a):
    return numpy.conj(numpy.swapaxes(numpy.asarray(a), -1, -2))


def assert_near(actual, expected, what=""):
    """Equal up to rounding of the precision that the coarser of the two has."""
    actual, expected = numpy.asarray(actual), numpy.asarray(expected)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    is_single = {
        actual.dtype.itemsize // (2 if actual.dtype.kind == "c" else 1),
        expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1),
    } & {4}
    tolerance = 1e-4 if is_single else 1e-10
    numpy.testing.assert_allclose(
        actual, expected, rtol=tolerance, atol=tolerance * (1 + numpy.abs(expected).max(initial=0)), err_msg=what
    )


def assert_orthonormal(columns, what=""):
    columns = numpy.asarray(columns)
    identity = numpy.broadcast_to(
        numpy.eye(columns.shape[-1], dtype=columns.dtype), columns.shape[:-2] + (columns.shape[-1],) * 2
    )
    assert_near(adjoint(columns) @ columns, identity, what)
