# SPDX-License-Identifier: BSD-3-Clause
"""tensordot, kron, cross, chains and powers against NumPy."""

import itertools

import numpy
import pytest

from oracle import check


def numbers(np, shape, dtype="f8", shift=0):
    return np.array(((numpy.arange(numpy.prod(shape, dtype=int)) + shift) * 5 % 7 - 2).reshape(shape).astype(dtype))


@pytest.mark.parametrize(
    "axes", [0, 1, 2, 3, 4, (0, 1), ([1, 2], [0, 1]), ([2, 0], [1, 2]), ([-1], [-2]), ([0], [0]), (5, 0), ([0, 1], [0])], ids=repr
)
def test_tensordot(engine, axes):
    check(lambda np: np.tensordot(numbers(np, (3, 4, 2)), numbers(np, (4, 2, 3)), axes), repr(axes))
    check(lambda np: np.tensordot(numbers(np, (2, 3), "c8").T, numbers(np, (2, 3), "i4"), axes), repr(axes))


@pytest.mark.parametrize("left, right", itertools.product([(), (3,), (2, 3), (2, 1, 3), (0, 2)], repeat=2), ids=repr)
def test_kron(engine, left, right):
    check(lambda np: np.kron(numbers(np, left), numbers(np, right, "f4", 3)))
    check(lambda np: np.kron(numbers(np, left, "i2"), numbers(np, right, "u1", 3)))


@pytest.mark.parametrize("left, right", itertools.product([(3,), (2,), (4, 3), (4, 2), (2, 4, 3), (4,), ()], repeat=2), ids=repr)
def test_cross(engine, left, right):
    check(lambda np: np.cross(numbers(np, left), numbers(np, right, "i4", 2)))


def test_cross_axes(engine):
    check(lambda np: np.cross(numbers(np, (3, 5)), numbers(np, (5, 3)), axisa=0))
    check(lambda np: np.cross(numbers(np, (3, 5)), numbers(np, (3, 5)), axis=0))
    check(lambda np: np.cross(numbers(np, (5, 3)), numbers(np, (5, 3)), axisc=0))
    check(lambda np: np.cross(numbers(np, (5, 3)), numbers(np, (5, 3)), axis=2))
    check(lambda np: np.cross(numbers(np, (5, 3), "?"), numbers(np, (5, 3), "?")))
    check(lambda np: np.cross(numbers(np, (5, 3), "c16"), numbers(np, (5, 2), "f2")))


@pytest.mark.parametrize("power", [-3, -1, 0, 1, 2, 3, 6, 7, 1.5])
def test_matrix_power(engine, power):
    check(lambda np: np.linalg.matrix_power(numbers(np, (3, 3)) + 4 * np.eye(3), power))
    check(lambda np: np.linalg.matrix_power(numbers(np, (2, 3, 3)) + 4 * np.eye(3), power))
    check(lambda np: np.linalg.matrix_power(numbers(np, (3, 4)), power))
    if not power < 0:
        check(lambda np: np.linalg.matrix_power(numbers(np, (3, 3), "i4"), power))


@pytest.mark.parametrize("shapes", [
    [(3, 4), (4, 2)], [(3, 40), (40, 2), (2, 30)], [(2, 3), (3, 4), (4, 1), (1, 6), (6, 2)], [(3,), (3, 4), (4, 2)], [(3,), (3, 4), (4,)],
    [(2, 3), (3, 4), (4,)], [(3, 4)], [(2, 3), (4, 4), (4, 2)], [(2, 2, 2), (2, 2), (2, 2)],
], ids=repr)  # fmt: skip
def test_multi_dot(engine, shapes):
    check(lambda np: np.linalg.multi_dot([numbers(np, shape) for shape in shapes]))


def test_multi_dot_into(engine):
    def program(np):
        out = np.zeros((2, 2))
        return np.linalg.multi_dot([numbers(np, (2, 3)), numbers(np, (3, 4)), numbers(np, (4, 2))], out=out) is out, out

    check(program)


def test_mixed(mixed):
    check(lambda np: np.tensordot(numbers(np, (3, 4)), numbers(np, (4, 2)), 1))
    check(lambda np: np.kron(numbers(np, (3, 4)), numbers(np, (2,))))
    check(lambda np: np.cross(numbers(np, (4, 3)), [1, 2, 3]))
