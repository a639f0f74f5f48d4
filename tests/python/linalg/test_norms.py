# SPDX-License-Identifier: BSD-3-Clause
"""norm, cond and matrix_rank against NumPy: orders, axes, dtypes, errors."""

import numpy
import pytest

from oracle import check

ORDERS = [None, 1, -1, 2, -2, 0, 3, 0.5, -3, numpy.inf, -numpy.inf, "fro", "nuc", "other"]


def numbers(np, shape, dtype="f8"):
    data = (numpy.arange(numpy.prod(shape, dtype=int)) * 5 % 7 + 1.5).reshape(shape)
    return np.array((data * (1 - 2j) if dtype in ("c8", "c16") else data).astype(dtype))


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_orders(engine, order):
    for shape in ((5,), (3, 4), (4, 3), (2, 3, 4)):
        check(lambda np: np.linalg.norm(numbers(np, shape), order), f"{shape}")
        check(lambda np: np.linalg.norm(numbers(np, shape), order, keepdims=True), f"{shape} keepdims")
    for axis in (0, -1, (0, 1), (2, 0), (1, 1), (0, 1, 2), 3, "x"):
        check(lambda np: np.linalg.norm(numbers(np, (2, 3, 4)), order, axis), f"axis {axis}")
    check(lambda np: np.linalg.norm(numbers(np, (2, 3, 4)), order, (0, 2), keepdims=True))


@pytest.mark.parametrize("dtype", ["i4", "u1", "?", "f2", "f4", "c8", "c16"])
def test_dtypes(engine, dtype):
    for order in (None, 1, numpy.inf, 0, 3):
        check(lambda np: np.linalg.norm(numbers(np, (7,), dtype), order), f"{order}")
    for order in ("fro", 1, -numpy.inf):
        check(lambda np: np.linalg.norm(numbers(np, (3, 4), dtype)[::-1], order), f"{order}")
    check(lambda np: np.linalg.norm(numbers(np, (3, 4), dtype), 2))


@pytest.mark.parametrize("order", [None, 2, -2, 1, -1, numpy.inf, "fro"], ids=repr)
def test_cond(engine, order):
    check(lambda np: np.linalg.cond(numbers(np, (3, 3)) + 9 * np.eye(3), order))
    check(lambda np: np.linalg.cond(numbers(np, (2, 3, 3)) + 9 * np.eye(3), order))
    check(lambda np: np.linalg.cond(numbers(np, (3, 4)), order))
    check(lambda np: np.linalg.cond(np.zeros((0, 0)), order))


def test_cond_of_singular(engine):
    check(lambda np: np.linalg.cond(np.zeros((2, 2))))
    check(lambda np: np.linalg.cond(np.zeros((2, 2)), 1))
    check(lambda np: np.linalg.cond(np.array([numpy.zeros((2, 2)), numpy.eye(2)]), 1))
    check(lambda np: np.linalg.cond(np.array([[1.0, numpy.nan], [0.0, 1.0]]), 1))


def test_rank(engine):
    for program in (lambda np: np.linalg.matrix_rank(np.ones((4, 5))), lambda np: np.linalg.matrix_rank(np.eye(4)),
                    lambda np: np.linalg.matrix_rank(np.eye(4), 2.0), lambda np: np.linalg.matrix_rank(np.ones(3)),
                    lambda np: np.linalg.matrix_rank(np.zeros(3)), lambda np: np.linalg.matrix_rank(numbers(np, (2, 3, 3))),
                    lambda np: np.linalg.matrix_rank(np.eye(3), hermitian=True)):  # fmt: skip
        check(lambda np: int(numpy.asarray(program(np)).sum()))


def test_mixed(mixed):
    check(lambda np: np.linalg.norm(numbers(np, (4, 4)), axis=0))
    check(lambda np: np.linalg.norm(numbers(np, (3,))))
