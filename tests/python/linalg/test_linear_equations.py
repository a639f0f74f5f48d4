# SPDX-License-Identifier: BSD-3-Clause
"""solve, inv, det, slogdet, tensorinv, tensorsolve and lstsq, pinv: values, dtypes, stacks, errors. Small matrices are computed
whole; with `shared`, all engines share each, in blocks of three."""

import gamelan as np
import numpy
import pytest
from gamelan.linalg import _engine

from matrices import general
from oracle import check

DTYPES = ["f8", "f4", "c8", "c16", "i4"]


@pytest.fixture(params=["whole", "shared"])
def way(request, monkeypatch):
    if request.param == "shared":
        monkeypatch.setattr(_engine, "shared_from", 1)
        monkeypatch.setattr(_engine, "most_within_node", 0)
        monkeypatch.setattr(_engine, "block", 3)
    return request.param


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(engine, way, dtype):
    for n, right in ((1, 1), (2, 5), (7, 3), (10, 10)):
        check(lambda np: np.linalg.solve(general(np, (n, n), dtype), general(np, (n, right), "f8", 1)), f"{n} {right}")
    check(lambda np: np.linalg.solve(general(np, (8, 8), dtype), general(np, (8, 1), dtype)[:, 0]))


def test_solve_of_views(engine, way):
    def program(np):
        a = general(np, (9, 12))
        return np.linalg.solve(a[::-1, :9].T, a[:9, 10]), np.linalg.inv(a[:8, 3:11] + 4 * np.eye(8)), np.linalg.det(a[1::2, ::3])

    check(program)


@pytest.mark.parametrize("left, right", [((4, 3, 3), (4, 3, 2)), ((3, 3), (4, 3, 2)), ((4, 3, 3), (3, 2)), ((2, 1, 3, 3), (5, 3, 1)), ((4, 3, 3), (4, 3)),
                                         ((2, 2, 3, 3), (2, 3)), ((0, 3, 3), (3, 2)), ((3, 3), (3, 0)), ((0, 0), (0, 2))])  # fmt: skip
def test_stacks(engine, way, left, right):
    check(lambda np: np.linalg.solve(general(np, left), general(np, right)))
    for name in ("inv", "det", "slogdet"):
        check(lambda np: getattr(np.linalg, name)(general(np, left)), name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_determinants(engine, way, dtype):
    for n in (1, 2, 5, 11):
        for name in ("inv", "det", "slogdet"):
            check(lambda np: getattr(np.linalg, name)(general(np, (n, n), dtype)), f"{name} {n}")


def test_singular(engine, way):
    def singular(np):
        return np.array([[1.0, 2.0, 3.0, 4.0]] * 4)

    for name in ("inv", "det", "slogdet"):
        check(lambda np: getattr(np.linalg, name)(singular(np)), name)
        check(lambda np: getattr(np.linalg, name)(np.zeros((3, 4, 4))), name)
    check(lambda np: np.linalg.solve(singular(np), np.ones(4)))


def test_a_failure_spoils_nothing(engine, way):
    def program(np):
        a, b = np.arange(9.0).reshape(3, 3) * 0, np.arange(5.0)
        c = b + 1
        try:
            np.linalg.inv(a)
        except numpy.linalg.LinAlgError as error:
            c += str(error).startswith("Singular matrix")
        return a, b, c, np.linalg.inv(a + np.eye(3))

    check(program)


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "eig", "eigvals", "qr", "svd", "pinv"])
def test_refused(engine, name):
    for shape in ((3,), (3, 4), ()):
        if len(shape) < 2 or name not in ("qr", "svd", "pinv"):
            check(lambda np: getattr(np.linalg, name)(np.ones(shape)), f"{shape}")
    check(lambda np: getattr(np.linalg, name)(np.ones((2, 2), "f2")))
    check(lambda np: np.linalg.solve(np.ones((3, 3)), np.ones((4, 2))))


def test_tensors(engine, way):
    check(lambda np: np.linalg.tensorinv(general(np, (6, 6)).reshape(2, 3, 6), 2))
    check(lambda np: np.linalg.tensorinv(general(np, (4, 4)).reshape(4, 2, 2), 1))
    check(lambda np: np.linalg.tensorsolve(general(np, (6, 6)).reshape(2, 3, 6), np.ones((2, 3))))
    check(lambda np: np.linalg.tensorsolve(general(np, (6, 6)).reshape(2, 6, 3), np.ones((2, 3)), axes=(0, 2)))
    check(lambda np: np.linalg.tensorinv(np.ones((2, 2, 4)), 0))
    check(lambda np: np.linalg.tensorsolve(np.ones((2, 3, 4)), np.ones((2, 3))))


@pytest.mark.parametrize("shape", [(7, 3), (3, 7), (5, 5), (4, 0), (0, 3)], ids=repr)
def test_least_squares(engine, way, shape):
    for rcond in (None, -1, 0.1):
        check(lambda np: np.linalg.lstsq(general(np, shape), general(np, (shape[0], 2)), rcond), f"{rcond}")
    check(lambda np: np.linalg.lstsq(general(np, shape, "c8"), general(np, (shape[0], 1), "f4")[:, 0], None))
    check(lambda np: np.linalg.lstsq(general(np, shape), np.ones(shape[0] + 1), None))
    check(lambda np: np.linalg.pinv(general(np, shape)))
    check(lambda np: np.linalg.pinv(general(np, (2,) + shape, "c16"), 1e-10))


@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (33, 33)], ids=repr)
@pytest.mark.parametrize("right", [None, 1, 3, 33, 50, 500])
def test_least_squares_of_many_right_hand_sides(engine, way, shape, right):
    def program(np, dtype):
        b = general(np, (shape[0], right or 1), dtype)
        return np.linalg.lstsq(general(np, shape, dtype), b[:, 0] if right is None else b, None)

    for dtype in ("f8", "c16"):
        check(lambda np, dtype=dtype: program(np, dtype))


@pytest.mark.parametrize("rcond", [0, 1, 2.0, -1, None, numpy.inf], ids=repr)
def test_least_squares_at_the_ends_of_rcond(engine, rcond):
    for least in (1.0, 1e-17, 1.5e-16):
        check(lambda np, least=least: np.linalg.lstsq(np.array([[1.0, 0], [0, least], [0, 0]]), np.ones(3), rcond), f"{least}")
    # Of lower rank, as exactly as rounding permits: what is left of it is LAPACK's matter.
    check(lambda np: np.linalg.lstsq(np.diag([3.0, 2.0, 0.0]), np.ones((3, 2)), rcond))


def test_least_squares_without_an_answer(engine, ranks, way):
    errors = np.linalg.LinAlgError if ranks else (np.linalg.LinAlgError, SystemError)  # the model's NumPy 1.24 raises this
    with pytest.raises(errors, match="SVD did not converge|LinAlgError"):
        np.linalg.lstsq(np.full((9, 4), np.nan), np.ones(9), None)


@pytest.mark.parametrize("dtype", ["f8", "c16", "f4"])
def test_the_lower_triangle_of_hermitian_matrices_counts(engine, way, dtype):
    def lower(np):
        return np.tril(general(np, (9, 9), dtype))

    check(lambda np: np.linalg.pinv(lower(np), hermitian=True))
    check(lambda np: np.linalg.svd(lower(np), compute_uv=False, hermitian=True))
    check(lambda np: np.linalg.matrix_rank(lower(np), hermitian=True))

    def composed(np):
        u, s, vh = np.linalg.svd(lower(np), hermitian=True)
        return (u * s) @ vh

    check(composed)
    check(lambda np: np.linalg.pinv(general(np, (9, 8)), hermitian=True))


def test_least_squares_of_lower_rank(engine, way):
    def program(np):
        a = general(np, (8, 3))
        a[:, 2] = a[:, 0] + a[:, 1]
        return np.linalg.lstsq(a, np.arange(8.0), None), np.linalg.pinv(a)

    check(program)


def test_mixed(mixed):
    check(lambda np: np.linalg.solve(general(np, (4, 4)), [1.0, 2.0, 3.0, 4.0]))
    check(lambda np: np.linalg.solve(general(np, (3, 3)), general(np, (3, 5))))
    check(lambda np: np.linalg.inv(general(np, (3, 3))))
