# SPDX-License-Identifier: BSD-3-Clause
"""Products of arrays."""

import itertools

import numpy
import pytest

from oracle import check

SHAPES = [(), (4,), (3,), (4, 3), (3, 4), (4, 4), (2, 4, 3), (1, 3, 4), (2, 1, 3, 4), (0, 4), (4, 0)]


def numbers(np, shape, dtype="f8"):
    return np.array((numpy.arange(numpy.prod(shape, dtype=int)) % 7 - 3).reshape(shape).astype(dtype))


@pytest.mark.parametrize("left, right", itertools.product(SHAPES, SHAPES), ids=repr)
def test_shapes(engine, left, right):
    for name in ("matmul", "dot"):
        check(lambda np: getattr(np, name)(numbers(np, left), numbers(np, right)), f"{name} {left} {right}")


@pytest.mark.parametrize("name", ["matmul", "dot", "inner", "outer", "vdot"])
def test_dtypes(engine, name):
    for left, right in itertools.product(["f8", "f4", "i4", "u1", "c8", "?", "f2"], ["f8", "i8", "c16", "?", "f4"]):
        check(lambda np: getattr(np, name)(numbers(np, (3, 3), left), numbers(np, (3, 3), right)), f"{name} {left} {right}")


def test_views(engine):
    def program(np):
        a = numbers(np, (6, 8))
        return a[::2, ::-2] @ a[:4, 1:].reshape(4, 7), a.T @ a, a[0] @ a.T, a[:, 0].dot(a)

    check(program)


def test_forms(engine):
    def program(np):
        a = numbers(np, (3, 3))
        out = np.zeros((3, 3))
        np.matmul(a, a, out)
        np.dot(a, a, out=out)
        return (
            out,
            a,
            np.trace(a),
            a.trace(1),
            np.outer(a, [1, 2]),
            np.vdot(a, a),
            numpy.ones((3, 3)) @ a,
            a @ [1, 2, 3],
            np.outer(a[0], a[1], out=out),
        )

    check(program)
    check(lambda np: numbers(np, (3, 3)).__imatmul__(np.eye(3)))


def test_mixed(mixed):
    check(lambda np: np.ones((2, 2)) @ np.ones((2, 20)))
    check(lambda np: (np.ones((6, 1)) @ np.ones((1, 6)))[0, 0])
    check(lambda np: np.arange(3) @ np.arange(3))
