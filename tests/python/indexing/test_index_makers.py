# SPDX-License-Identifier: BSD-3-Clause
"""Makers of indices, triangles, diagonals, and x.flat, against NumPy."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, cube
from oracle import check, check_all


def test_triangles(engine):
    def programs():
        for k, (name, shape) in itertools.product(
            (0, 1, -2, 9), itertools.product(("tril", "triu"), [(4, 4), (3, 5), (2, 5, 3), (4,), (0, 3), ()])
        ):
            yield f"{name} {shape} {k}", lambda np: getattr(np, name)(np.array(cube("f4", shape)), k)
            yield (
                f"{name}_indices_from {shape} {k}",
                lambda np: getattr(np, f"{name}_indices_from")(np.array(cube("f4", shape)), k),
            )
        for k, name, n, m in itertools.product((0, 2, -1), ("tril_indices", "triu_indices"), (4, 1, 0), (None, 3)):
            yield f"{name} {n} {m} {k}", lambda np: getattr(np, name)(n, k, m)
        for n, m, k, dtype in itertools.product((3, 0), (None, 5), (0, -1, 2), (float, "i2", bool)):
            yield f"tri {n} {m} {k}", lambda np: np.tri(n, m, k, dtype)
        yield "mask_indices", lambda np: (np.mask_indices(4, np.triu, 1), np.mask_indices(3, lambda m, k: np.tril(m, k)))
        yield "tri of floats", lambda np: np.tri(2.5)
        yield "tri of nothing", lambda np: np.tri(-1)

    check_all(programs())


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonals(engine, dtype):
    def fill(np, shape, value, wrap, turned=False):
        a = np.array(cube(dtype, shape))
        np.fill_diagonal(a.T if turned else a, value, wrap)
        return a

    def programs():
        for shape, value, wrap in itertools.product(
            [(4, 4), (3, 5), (7, 3), (3, 3, 3), (5,), (2, 3, 2), (0, 0)], (1, [1, 0], [1, 0, 1, 1, 0]), (False, True)
        ):
            yield f"fill {shape} {value} {wrap}", lambda np: fill(np, shape, value, wrap)
        yield "fill turned", lambda np: (fill(np, (4, 6), [1, 0], False, True), fill(np, (2, 7), 1, True, True))
        yield "diagflat", lambda np: np.diagflat(np.array(cube(dtype, (2, 3))), -1)

    check_all(programs())


def test_makers(engine):
    def programs():
        yield "diag_indices", lambda np: (np.diag_indices(3), np.diag_indices(2, 3), np.diag_indices_from(np.zeros((3, 3))))
        yield "diag_indices_from", lambda np: np.diag_indices_from(np.zeros((3, 4)))
        yield "write", lambda np: write(np, np.diag_indices(3))
        yield "write above", lambda np: write(np, np.triu_indices(3, 1))
        yield "ix_", lambda np: np.ix_(np.arange(3), np.array([True, False, True]), np.array([], "i8"))
        yield "ix_ of two axes", lambda np: np.ix_(np.ones((2, 2), "i8"), np.arange(2))
        yield (
            "through ix_",
            lambda np: np.arange(60).reshape(3, 4, 5)[np.ix_(np.array([2, 0]), np.array([1, -1, 3]), np.arange(5) % 2 == 0)],
        )
        yield "writing through ix_", lambda np: write(np, np.ix_(np.array([0, 2]), np.array([1, 2])))

    def write(np, key):
        a = np.zeros((3, 3))
        a[key] += 2
        return a

    check_all(programs())


def test_unravel(engine):
    def programs():
        for order, shape in itertools.product("CFK", [(3, 4), (2, 3, 2), 12, (12,)]):
            for index in ([5, 11, 0], [[1, 2], [3, 4]], 7, [], [12], [-1], [1.0]):
                yield f"unravel {index} {shape} {order}", lambda np: np.unravel_index(np.array(index), shape, order)
        for order, mode, index in itertools.product(
            "CF", ("raise", "wrap", "clip", ("clip", "wrap"), "no"), ([[1, 2], [3, 0]], [[0, 5], [-1, 2]], [1, 2], [[1, 2]], [[[1], [0]], [2]], [[0.5], [1]])
        ):  # fmt: skip
            yield (
                f"ravel {index} {order} {mode}",
                lambda np: np.ravel_multi_index(tuple(np.array(part) for part in index), (3, 4), mode, order),
            )
        yield "of one axis", lambda np: alone(np)
        yield "there and back", lambda np: np.ravel_multi_index(np.unravel_index(np.arange(24)[::-1], (2, 3, 4)), (2, 3, 4))

    def alone(np):
        index = np.array([2, 0, 1])
        flat = np.ravel_multi_index((index,), (3,))
        index[0] = 1
        return flat, index

    check_all(programs())


def test_a_part_that_is_inside_says_nothing_of_the_whole(engine):
    index = gamelan.array([0, 1, 99])
    gamelan.unravel_index(index[:2], (2, 2))
    with pytest.raises(IndexError):
        gamelan.arange(4)[index]


KEYS = [
    0, -1, 5, 29, 30, -31, slice(None), slice(3, 20, 4), slice(None, None, -3), ..., [1, 5, -2], [], [30], numpy.arange(15) % 4 == 0, numpy.ones(3, bool),
    numpy.array([3, 4]), numpy.array(7), True, False, (2,), (1, 2),
]  # fmt: skip


def test_flat(engine):
    layouts = {"whole": lambda a: a, "turned": lambda a: a.T, "part": lambda a: a[::-1, 1:4]}

    def write(np, layout, key, value):
        a = np.array(cube("f4", (5, 6)))
        layout(a).flat[key] = value
        return a

    def assign(np, layout, value):
        a = np.array(cube("f4", (5, 6)))
        layout(a).flat = value
        return a

    def ours(np, key):
        return np.array(key) if isinstance(key, numpy.ndarray) else key

    def programs():
        for (what, layout), key in itertools.product(layouts.items(), KEYS):
            yield f"{what}.flat[{key}]", lambda np: layout(np.array(cube("f4", (5, 6)))).flat[ours(np, key)]
            for value in (3, [1.5, 2.5], numpy.arange(40), []):
                yield f"{what}.flat[{key}] = {value}", lambda np: write(np, layout, ours(np, key), value)
        for (what, layout), value in itertools.product(
            layouts.items(), (3, [1.5, 2.5], numpy.arange(40.0).reshape(5, 8), numpy.arange(30))
        ):
            yield f"{what}.flat = {value}", lambda np: assign(np, layout, value)
            yield f"list {what}", lambda np: [list(layout(np.array(cube("f4", (5, 6)))).flat), len(layout(np.ones((5, 6))).flat)]
        for key in ("a", 1.5, numpy.array([1.5]), numpy.ones((2, 3), bool), numpy.ones(7, bool)):
            yield f"flat[{key}]", lambda np: np.arange(6).reshape(2, 3).flat[ours(np, key)]
        yield "compared", lambda np: np.arange(6).reshape(2, 3).flat == 4
        yield "summed", lambda np: np.sum(np.arange(6).reshape(2, 3).T.flat)
        yield "copied", lambda np: np.arange(6).reshape(2, 3).T.flat.copy()

    check_all(programs())


def test_a_cursor(engine):
    def program(np):
        cursor = np.arange(6).reshape(2, 3).flat
        seen = [(int(next(cursor)), cursor.index, cursor.coords) for _ in range(4)]
        return [str(seen), cursor.base.shape]

    check(program)
    assert isinstance(gamelan.arange(6).flat, gamelan.flatiter)
