# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that are whole numbers, given as floats, bools, text or arrays of NumPy's: what NumPy makes of each, or its error."""

import pytest

import gamelan
from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


def test_diagonals_of_triangles(anywhere):
    check_lines("""
        np.tril(M, -2.5)
        np.triu(M, 1.5)
        np.triu(M, -0.5)
        np.tril(T, 1.5)
        np.tril(v, 2.5)
        np.tril(M, numpy.float32(1))
        np.tril(M, True)
        np.tril(M, numpy.int8(-2))
        np.triu(M, numpy.array(1))
        np.tril(M, '1')
        np.triu(M, None)
        np.tril(M, [1])
        np.tril(M, 1j)
        np.tril(M, float('nan'))
        np.triu(M, float('inf'))
        np.tril(M, 10**25)
        np.triu(M, -10**25)
        np.triu(M, 2**62)
        np.tri(S, k=1.5)
        np.tri(S, k=-2.5, dtype='i4')
        np.tri(float(S))
        np.tri(S, 3.0)
        np.tri(S, True)
        np.tri(-3, S)
        np.tri(S, k='1')
        np.tri(S, k=2**40)
        np.tril_indices(S, 1.5)
        np.tril_indices(float(S), m=3.0)
        np.triu_indices(S, -1.5)
        np.triu_indices(S, 1.5)
        np.triu_indices(S, None)
        np.tril_indices_from(M, 1.5)
        np.triu_indices_from(M, 1.5)
        np.mask_indices(S, np.triu, 1.5)
        np.mask_indices(S, np.tril, -1.5)
        np.mask_indices(S, np.tril, '1')
        np.mask_indices(float(S), np.tril)
    """)


def test_diagonals_of_matrices(anywhere):
    check_lines("""
        np.eye(S, k=1.5)
        np.eye(S, k=True)
        np.eye(S, k=None)
        np.eye(S, k=numpy.array(1))
        np.eye(S, k=numpy.array([1]))
        np.eye(S, k=numpy.int8(-1))
        np.eye(S, k=2**70)
        np.eye(S, k=-2**70)
        np.eye(S, k=S + 3.5)
        np.eye(S, order='Z')
        np.eye(S, order='F')
        np.eye(S, order='F').flags.f_contiguous
        np.eye(True)
        np.eye(S, True)
        np.eye(float(S))
        np.identity(float(S))
        np.diag(v, 1.5)
        np.diag(v, True)
        np.diag(v, None)
        np.diag(v, numpy.array(1))
        np.diag(v, numpy.int8(-1))
        np.diag(v, numpy.array([1]))
        np.diag(M, 1.5)
        np.diag(M, True)
        np.diag(M, numpy.array(1))
        np.diag(M, S + 3)
        np.diag(M, 2**70)
        np.diag(M).flags.writeable
        np.diag(M).base is M
        np.diag(M)[0] = 1; M
        np.diagflat(v, 1.5)
        np.diagflat(v, True)
        np.diagonal(M, 1.5)
        np.diagonal(M, 0, 1.0, 0)
        np.trace(M, 1.5)
        np.trace(M, axis1=1.0, axis2=0)
        np.fill_diagonal(M, v[:3], 1.5); M
    """)


def test_extents(anywhere):
    check_lines("""
        np.zeros((True, N))
        np.zeros(True)
        np.ones((N, True))
        np.empty((2.0, N))
        np.full((N, numpy.bool_(1)), 3)
        np.zeros((numpy.int8(3), numpy.array(5)))
        np.zeros_like(v, shape=(True, N))
        v.astype('f4', 'Z')
        v.astype('f4', 1)
        np.indices((N, True))
        np.indices((N, 3.0))
        v.reshape(True, N)
        v.reshape((N, True))
        v.reshape(N, 1.0)
        np.reshape(v, (numpy.int8(4), -1))
        np.vander(v, True)
        np.vander(v, 3.0)
        np.bincount(u1, minlength=True)
        np.bincount(u1, minlength=20.0)
        np.tile(v, True)
        np.tile(v, 2.0)
        np.resize(v, True)
        np.resize(v, (3.0, N))
        np.broadcast_to(v, (True, N))
        np.broadcast_to(v, (2.0, N))
    """)


@pytest.mark.parametrize(
    "make",
    [
        lambda dtype: gamelan.zeros_like(gamelan.zeros(9), dtype),
        lambda dtype: gamelan.full_like(gamelan.zeros(9), 2, dtype),
        lambda dtype: gamelan.eye(3, dtype=dtype),
    ],
)
def test_a_dtype_that_no_engine_holds_stays_here(engine, make):
    for dtype in (">f8", "U3", object, "f8,i4"):
        assert not make(dtype).is_distributed
    with pytest.raises(NotImplementedError):
        gamelan.arange(9).sum(dtype=object)
