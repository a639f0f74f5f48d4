# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky, QR, SVD and eigenvalues: factors multiplied, values with NumPy's. Small matrices are computed whole; with `shared` all
engines share each, in blocks of three; with `tall` QR goes block by block of rows."""

import numpy
import pytest
from gamelan.linalg import _engine, _tsqr

import gamelan
from matrices import adjoint, assert_near, assert_orthonormal, general, hermitian, positive
from oracle import check

DTYPES = ["f8", "f4", "c8", "c16"]
SHAPES = [(1, 1), (5, 5), (9, 4), (4, 9), (11, 11), (40, 2), (2, 40)]
STACKS = [(4, 3, 3), (2, 1, 5, 3), (3, 2, 6)]


@pytest.fixture(params=["whole", "shared", "tall"])
def way(request, monkeypatch):
    if request.param == "shared":
        monkeypatch.setattr(_engine, "shared_from", 1)
        monkeypatch.setattr(_engine, "most_within_node", 0)
        monkeypatch.setattr(_engine, "block", 3)
    if request.param == "tall":
        monkeypatch.setattr(_tsqr, "_LEAST_ELEMENTS", 1)
    return request.param


def both(program):
    """A program's results for NumPy and for gamelan, the latter fetched."""
    results = [program(np) for np in (numpy, gamelan)]
    return [tuple(map(numpy.asarray, result)) if isinstance(result, tuple) else numpy.asarray(result) for result in results]


def same_kind(actual, expected):
    assert [(one.shape, one.dtype) for one in actual] == [(one.shape, one.dtype) for one in expected]


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(engine, way, dtype):
    for shape in ((1, 1), (6, 6), (11, 11), (4, 3, 3), (0, 0)):
        check(lambda np: np.linalg.cholesky(positive(np, shape, dtype)), f"{shape}")
    check(lambda np: np.linalg.cholesky(-positive(np, (5, 5), dtype)))
    check(lambda np: np.linalg.cholesky(np.array(numpy.tril(positive(numpy, (5, 5))))))  # the other triangle is not looked at


@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(engine, way, dtype):
    for shape in SHAPES + STACKS:
        for mode in ("reduced", "complete"):
            expected, (q, r) = both(lambda np: np.linalg.qr(general(np, shape, dtype), mode))
            same_kind((q, r), expected)
            assert_near(q @ r, general(numpy, shape, dtype), f"{shape} {mode}")
            assert_orthonormal(q, f"{shape} {mode}")
            assert not numpy.tril(r, -1).any()
        expected, r = both(lambda np: np.linalg.qr(general(np, shape, dtype), "r"))
        assert_near(adjoint(r) @ r, adjoint(expected) @ expected, f"{shape} r")
        assert not numpy.tril(r, -1).any()


def test_qr_modes(engine):
    for shape in ((5, 3), (3, 5), (2, 4, 3)):
        check(lambda np: np.linalg.qr(general(np, shape), "raw"), f"{shape}")
        check(lambda np: np.linalg.qr(general(np, shape), "economic"), f"{shape}")
    check(lambda np: np.linalg.qr(general(np, (3, 3)), "other"))
    for shape in ((0, 3), (3, 0)):
        for mode in ("reduced", "complete", "r", "raw"):
            check(lambda np: np.linalg.qr(np.ones(shape), mode), f"{shape} {mode}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_svd(engine, way, dtype):
    for shape in SHAPES + STACKS:
        for is_full in (True, False):
            expected, (u, s, vh) = both(lambda np: np.linalg.svd(general(np, shape, dtype), is_full))
            same_kind((u, s, vh), expected)
            assert_near(s, expected[1], f"{shape}")
            k = min(shape[-2:])
            assert_near(u[..., :k] * s[..., None, :] @ vh[..., :k, :], general(numpy, shape, dtype), f"{shape}")
            assert_orthonormal(u, f"{shape} u")
            assert_orthonormal(adjoint(vh), f"{shape} vh")
        check(lambda np: np.linalg.svd(general(np, shape, dtype), compute_uv=False), f"{shape} values")


def test_svd_of_nothing_and_of_no_numbers(engine, way):
    check(lambda np: np.linalg.svd(np.ones((0, 3))))
    check(lambda np: np.linalg.svd(np.ones((3, 0)), False))
    check(lambda np: np.linalg.svd(np.full((4, 4), numpy.nan)))
    check(lambda np: np.linalg.svd(hermitian(np, (4, 4)), compute_uv=False, hermitian=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(engine, way, dtype):
    for shape in ((1, 1), (5, 5), (11, 11), (4, 3, 3)):
        for triangle in "LU":
            a = hermitian(numpy, shape, dtype)
            half = numpy.tril(a) if triangle == "L" else numpy.triu(a)
            expected, (w, v) = both(lambda np: tuple(np.linalg.eigh(np.array(half), triangle)))
            same_kind((w, v), expected)
            assert_near(w, expected[0], f"{shape}")
            assert_near(a @ v, v * w[..., None, :], f"{shape}")
            assert_orthonormal(v, f"{shape}")
            check(lambda np: np.linalg.eigvalsh(np.array(half), triangle), f"{shape}")
    check(lambda np: np.linalg.eigh(np.ones((2, 2)), "X"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_eig(engine, dtype):
    for shape in ((1, 1), (6, 6), (4, 3, 3)):
        for make in (general, hermitian):
            expected, (w, v) = both(lambda np: tuple(np.linalg.eig(make(np, shape, dtype))))
            same_kind((w, v), expected)
            assert_near(make(numpy, shape, dtype) @ v, v * w[..., None, :], f"{shape}")
            assert_near(numpy.sort(w), numpy.sort(expected[0]), f"{shape}")
            check(lambda np: np.linalg.eigvals(make(np, shape, dtype)).sum(-1), f"{shape}")
    check(lambda np: np.linalg.eig(np.full((2, 2), numpy.inf)))


def test_eig_is_bounded(engine):
    with gamelan.options(gather_limit=10), pytest.raises(NotImplementedError, match="gather_limit"):
        gamelan.linalg.eig(gamelan.ones((4, 4)))
