# SPDX-License-Identifier: BSD-3-Clause
"""Keys of every kind against NumPy: index arrays, masks, bools, integers, slices and new axes, side by side in any order."""

import itertools

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operands import DTYPES, cube
from oracle import check, check_all

MASK = numpy.array([True, False, True, True, False])
GRID = numpy.arange(30).reshape(5, 6) % 3 == 0

KEYS = [
    ([0, 2], [1, -1]), ([0, 2], slice(None), [1, -1]), (slice(None), [0, 2], [1, -1]), ([[0], [2]], [1, -1]), ([0, 2], [1, -1], [3, 3]),
    ([0, 2], 1, [3, 3]), (1, [0, 2], [3, 3]), (1, slice(None), [3, 3]), ([0, 2], None, [3, 3]), (None, [0, 2], [3, 3]), ([0, 2], ..., [3, 3]),
    (..., [0, 2], [3, 3]), ([0, 2], [1, -1], ...), ([[0], [2]], slice(1, 4), [[1, 2, 0]]), ([], []), ([0], []), ([[]], [[1], [2]]), ([7], []),
    ([0, 1], [0, 1, 2]), ([5], [0]), ([0], [9]), ([0], [0], [0], [0]), ([0, 1], [0, -7]),
    MASK, (MASK,), (MASK, ...), (MASK, 1), (MASK, slice(1, 3)), (MASK, [1, 2, 0]), (MASK, None, 2), (0, GRID[0]), (slice(None), GRID[0]),
    (slice(None), GRID[0], [1]), (MASK, GRID[0, :6].repeat(1)[[0, 0, 1, 0, 0, 3]]), (..., numpy.arange(7) > 3), (numpy.arange(7) > 3, ...),
    GRID, (GRID, 2), (GRID, slice(None, None, -2)), (GRID, [3]), (None, GRID), (slice(None), GRID[:, :1]), (GRID, None, [1]), (2, numpy.ones((6, 7), bool)),
    (slice(None, None, -2), numpy.arange(42).reshape(6, 7) % 5 == 1), numpy.arange(210).reshape(5, 6, 7) % 4 == 0, numpy.zeros((5, 6, 7), bool),
    numpy.ones((5, 6, 7), bool), numpy.zeros((5, 6), bool), numpy.ones((5, 6, 7, 1), bool), numpy.ones((4, 6), bool), numpy.ones(5, "i8") > 0,
    True, False, (True, 0), (False, [1, 2]), (False, [1]), (True, [1, 2]), (slice(None), True), (slice(None), True, [0, 1]), (True, slice(None), [0, 1]),
    (True, False), (True, True, ...), numpy.bool_(True), (MASK, True), (1, True), (numpy.array(True), 2), (numpy.array(2), [1, 2]),
    (numpy.array([1, 2], "u1"), numpy.array([-1, 3], "i2")), (numpy.array([2**63 + 1], "u8"), [0]), ([1.5], [0]), ([0], 1.5), ("a", [0]), [[0, 1], [1, 2]],
    (([0, 1], [1, 2]),), [True, False, True, False, False], [[True] * 6] * 5, numpy.zeros(0), numpy.zeros((0,), bool),
]  # fmt: skip
LAYOUTS = {
    "whole": lambda a: a, "reversed": lambda a: a[::-1], "transposed": lambda a: a.transpose(1, 0, 2)[:5].swapaxes(0, 1)[:, [0, 1, 2, 3, 4, 0]],
    "part": lambda a: a[..., ::-1][..., :7],
}  # fmt: skip


def moved(np, key, is_ours):
    """The key with its arrays made by np, or as they are."""
    if isinstance(key, tuple):
        return tuple(moved(np, part, is_ours) for part in key)
    return np.array(key) if is_ours and isinstance(key, numpy.ndarray) else key


@pytest.mark.parametrize("is_ours", [False, True], ids=["small keys", "distributed keys"])
def test_get(engine, is_ours):
    data = cube("int32")

    def programs():
        for (what, layout), key in itertools.product(LAYOUTS.items(), KEYS):
            yield f"{what}[{key}]", lambda np: layout(np.array(data))[moved(np, key, is_ours)]

    check_all(programs())


VALUES = {
    "a number": lambda np, shape: 7,
    "a row": lambda np, shape: np.arange(shape[-1] if shape else 1) + 0.5,
    "each": lambda np, shape: np.arange(float(numpy.prod(shape))).reshape(shape),
    "more axes": lambda np, shape: np.arange(float(numpy.prod(shape))).reshape((1, 1, *shape)),
    "a column": lambda np, shape: np.arange(shape[0] if shape else 1).reshape((-1,) + (1,) * max(len(shape) - 1, 0)),
    "too many": lambda np, shape: np.ones((13, 11)),
    "one too many": lambda np, shape: np.ones(int(numpy.prod(shape)) + 1),
    "a list": lambda np, shape: [1, 2, 3],
    "nothing": lambda np, shape: [],
}


@pytest.mark.parametrize("is_ours", [False, True], ids=["small keys", "distributed keys"])
def test_set(engine, is_ours):
    data = cube("float32")

    def program(np, key, value, layout):
        a = np.array(data)
        try:
            shape = data[key].shape
        except IndexError:
            shape = (3,)
        layout(a)[moved(np, key, is_ours)] = value(np, shape)
        return a

    layouts = {"whole": lambda a: a, "turned": lambda a: a[::-1, ::-1]}

    def programs():
        for (where, layout), (number, key), (what, value) in itertools.product(layouts.items(), enumerate(KEYS), VALUES.items()):
            if where == "whole" or number % 3 == 0:
                yield f"{where}[{key}] = {what}", lambda np: program(np, key, value, layout)

    check_all(programs())


def test_in_place(engine):
    data = cube("int64")

    def program(np, key):
        a = np.array(data)
        a[moved(np, key, True)] += 5
        a[moved(np, key, True)] *= a[moved(np, key, True)] - 1
        return a

    check_all((f"a[{key}] += 5", lambda np, key=key: program(np, key)) for key in KEYS)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(engine, dtype):
    data = cube(dtype)

    def program(np):
        a, i, j = np.array(data), np.array([0, 4, 2]), np.array([[1], [5]])
        mask = a == a[1, 2, 3]
        taken, masked = a[i, j], a[mask]
        a[j - 1, :, i] = taken[:, :, ::-1][..., :6]
        a[mask] = masked[::-1]
        a[:, mask[0]] = masked[0]
        return taken, masked, a

    check(program, dtype, exact=True)


def test_an_error_changes_nothing(engine):
    def program(np, key, value):
        a = np.zeros((4, 5))
        try:
            a[key] = value
        except (IndexError, ValueError, TypeError):
            return a
        raise AssertionError("no error")

    for key, value in [
        (([0, 9], [0, 0]), 1),
        (([0, 1], [0, 9]), 1),
        (([0, 1], [0, 2]), [1, 2, 3]),
        (numpy.eye(4, 5) > 0, [1, 2]),
        (numpy.eye(5) > 0, 1),
    ]:
        check(lambda np: program(np, moved(np, key, True), value), f"{key} = {value}")


@settings(max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random(engine, data):
    draw = data.draw
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    index_shape = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    key, axis = [], 0
    while axis < len(shape):
        extent = shape[axis]
        kind = draw(st.sampled_from(["int", "slice", "array", "array", "mask", "new", "stop"]))
        if kind == "stop":
            key.append(Ellipsis)
            break
        if kind == "new":
            key.append(None)
            continue
        if kind == "int":
            key.append(draw(st.integers(-extent, extent - 1)))
        elif kind == "slice":
            key.append(draw(st.sampled_from([slice(None), slice(None, None, -1), slice(1, None), slice(0, 0)])))
        elif kind == "array":
            dims = tuple(draw(st.sampled_from([length, 1])) for length in index_shape[draw(st.integers(0, len(index_shape))) :])
            numbers = [draw(st.integers(-extent, extent - 1)) for _ in range(int(numpy.prod(dims)))]
            key.append(numpy.array(numbers, "i8").reshape(dims))
        else:
            dims = shape[axis : axis + draw(st.integers(1, 2))]
            mask = numpy.array([draw(st.booleans()) for _ in range(int(numpy.prod(dims)))], bool).reshape(dims)
            if draw(st.booleans()):  # so many that it meets the arrays of integers beside it
                mask[...] = numpy.arange(mask.size).reshape(dims) < (index_shape[-1] if index_shape else 1)
            key.append(mask)
            axis += len(dims) - 1
        axis += 1
    key = tuple(key)

    def program(np):
        a = np.arange(float(numpy.prod(shape))).reshape(shape)
        view = a[(slice(None, None, -1),) * len(shape)]
        taken = view[moved(np, key, True)]
        view[moved(np, key, True)] = -taken
        b = a.copy()
        b[key] = taken + 0.5
        return taken, a, b

    check(program, f"{shape} {key}", exact=True)
