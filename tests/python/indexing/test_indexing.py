# SPDX-License-Identifier: BSD-3-Clause
"""Keys: views, values, assignment, masks; what NumPy returns or raises."""

import itertools
import operator

import numpy
import pytest

import gamelan
from oracle import check

KEYS = [
    0, -1, 3, 4, -5, slice(None), slice(1, None), slice(None, None, -1), slice(None, None, 2), slice(-3, -1), slice(9, 2), None,
    Ellipsis, (), (0, 1), (1, slice(None, None, -2)), (Ellipsis, 0), (0, Ellipsis), (None, 0, None), (slice(1, 3), slice(None), -1),
    (0, 0, 0), (0, 0, 0, 0), (0, 0, 0, Ellipsis), (5, 0), numpy.int64(1), (numpy.int8(-1), slice(None, numpy.int32(2))),
    "x", 1.5, (slice(None), 1.0), slice(0.5, 2),
]  # fmt: skip


def cube(np, dtype=float):
    return np.arange(4 * 3 * 5).astype(dtype).reshape(4, 3, 5)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_get(engine, key):
    check(lambda np: cube(np)[key])
    check(lambda np: cube(np).T[key])


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_set(engine, key):
    def program(np):
        a = cube(np)
        a[key] = 7
        return a

    check(program)


@pytest.mark.parametrize(
    "first, second", itertools.product([slice(1, None), (slice(None), None, slice(None, None, -1)), 1], KEYS[:14]), ids=repr
)
def test_views_of_views_share_memory(engine, first, second):
    def program(np):
        a = cube(np)
        view = a[first][second]
        if isinstance(view, (np.ndarray,)) and view.ndim:
            view[...] = -1
            view += 3
        return a, view

    check(program)


@pytest.mark.parametrize("value", [3, 2.7, True, [1, 2, 3, 4, 5], [[1.5]], numpy.arange(15).reshape(3, 5), numpy.ones((1, 1, 5)),
                                   numpy.ones((2, 5)), [1, 2], float("nan"), 1j, 300, "x", None], ids=repr)  # fmt: skip
@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "c16", "?"])
def test_values_are_cast_as_numpy_casts(engine, value, dtype):
    def program(np):
        a = cube(np, dtype)
        a[1] = value
        return a

    check(program)


def test_distributed_values(engine):
    def program(np):
        a, b = cube(np), cube(np, "i4")
        a[0] = b[1]
        a[1:, 0] = b[0, 0]
        a[..., 2] = b[:, :1, 0]
        b[2] = a[0] + 0.75
        a[3] = b[3].sum()
        return a, b

    check(program)


def test_a_full_index_is_a_value(engine):
    def program(np):
        a = np.arange(6.0).reshape(2, 3)
        x = a[0, 1]
        y = a[0, 1, ...]
        a[0, 1] = 99
        return float(x), float(y), x + a[0, 1]

    check(program)


@pytest.mark.parametrize("mask_of", [
    lambda a: a > 5, lambda a: a[:, 0] > 5, lambda a: a[:, :, 0] < 3, lambda a: a[:-1] > 5, lambda a: a[..., None] > 1,
])  # fmt: skip
@pytest.mark.parametrize("value", [0, 1.5, True])
def test_mask_set(engine, mask_of, value):
    def program(np):
        a = cube(np)
        a[mask_of(a)] = value
        a.T[mask_of(a.T)] = -1
        return a

    check(program)


def test_mask_set_of_rows_and_by_numpy_masks(engine):
    def program(np):
        a = cube(np)
        a[numpy.array([True, False, True, False])] = np.arange(15.0).reshape(3, 5)
        a[[True, False, False, False]] = np.arange(5.0)
        return a

    check(program)


def test_arrays_as_integers(engine):
    def program(np):
        a, i = np.arange(10.0), np.arange(3).sum()
        return a[i], a[:i], a[i:], operator.index(i), range(5)[i], [0, 1, 2, 3][i]

    check(program)


def test_iteration_len_contains(engine):
    check(lambda np: list(np.arange(5.0)))
    check(lambda np: [row.sum() for row in np.arange(6).reshape(2, 3)])
    check(lambda np: [len(np.zeros((3, 2))), 3 in np.arange(5), 9 in np.arange(5)])
    check(lambda np: len(np.array(1)))
    check(lambda np: list(np.array(1)))


def test_read_only(engine):
    def program(np):
        np.broadcast_to(np.arange(3), (2, 3))[0] = 1

    check(program)


def test_local_arrays_share_memory_with_numpy():
    data = numpy.zeros(3)
    array = gamelan.asarray(data)
    array[1] = 5
    data[2] = 7
    assert data[1] == 5 and array[2] == 7 and not array.is_distributed


def test_local_keys_are_numpys(engine):
    with gamelan.options(distribute_from=100):
        check(lambda np: np.arange(6)[np.array([True, False] * 3)])
        check(lambda np: np.arange(6)[[3, 1]])
        check(lambda np: type(np.arange(6)[2]))
