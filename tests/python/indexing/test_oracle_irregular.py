# SPDX-License-Identifier: BSD-3-Clause
"""Gather and scatter against NumPy: index arrays in subscripts, take and put, over every dtype and every way an array lies."""

import itertools

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamelan
from operands import DTYPES, LAYOUTS, cube, left
from oracle import check, check_all

INDICES = [
    [0], [3, 1, 1, 2], [-1, 0, -3], [], list(range(4)) * 30, [[0, 1], [2, 0]], [[1], [-1]], [[]], numpy.array([2, 0], "u1"),
    numpy.arange(4, dtype="i4")[::-2], numpy.array([[1, 2], [3, 0]], "i2").T, numpy.broadcast_to(numpy.int64(1), (3, 2)),
]  # fmt: skip


FEW = [
    "bool",
    "int8",
    "uint64",
    "float16",
    "float32",
    "complex128",
]  # one of each width and kind: test_oracle_keys has all of them


@pytest.mark.parametrize("dtype", FEW)
def test_get(engine, dtype):
    def programs():
        for (what, layout), index in itertools.product(LAYOUTS.items(), INDICES):
            yield f"{dtype} {what}[{index}]", lambda np: layout(np.array(left(dtype)))[index]
            yield f"{dtype} {what}[distributed {index}]", lambda np: layout(np.array(left(dtype)))[np.array(index, "i8")]

    check_all(programs())


KEYS = [
    lambda i: (slice(None), i), lambda i: (..., i), lambda i: (i, ...), lambda i: (slice(1, 4), i), lambda i: (i, slice(None, None, -2)),
    lambda i: (0, i), lambda i: (i, 1), lambda i: (0, slice(None), i), lambda i: (i, slice(None), -1), lambda i: (slice(None), i, 2),
    lambda i: (None, i), lambda i: (i, None), lambda i: (0, None, i), lambda i: (slice(None), slice(None), i), lambda i: (0, 1, i),
    lambda i: (0, 1, 2, i), lambda i: (slice(None), 1, i, ...), lambda i: (i,),
]  # fmt: skip


@pytest.mark.parametrize("index", [[2, 0, -1], [[1, 2], [0, 0]], [], [9], [-9, 2], [1, 12, 9]])
def test_get_along_other_axes(engine, index):
    data = cube("int32")

    def programs():
        for number, key in enumerate(KEYS):
            yield f"key {number} of {index}", lambda np: np.array(data)[key(np.array(index, "i8"))]
            yield f"key {number} of {index} transposed", lambda np: np.array(data).T[::-1][key(np.array(index, "i8"))]

    check_all(programs())


@pytest.mark.parametrize("dtype", FEW)
def test_set(engine, dtype):
    def program(np, layout, index, value):
        a = np.array(left(dtype))
        layout(a)[np.array(index, "i8")] = value(np, index)
        return a

    values = {
        "a number": lambda np, index: 1,
        "a row": lambda np, index: np.array(cube(dtype, (1,))),
        "each": lambda np, index: np.array(cube(dtype, (max(len(index), 1), 1))),
        "another dtype": lambda np, index: np.arange(numpy.size(index)).reshape(numpy.shape(index) + (1,)) % 2,
        "wrong shape": lambda np, index: np.ones((7, 5, 3)),
        "a list": lambda np, index: [1] * 14,
    }

    def programs():
        for (what, layout), index, (value_name, value) in itertools.product(LAYOUTS.items(), INDICES, values.items()):
            yield f"{dtype} {what}[{index}] = {value_name}", lambda np: program(np, layout, index, value)

    check_all(programs())


def test_set_along_other_axes(engine):
    data = cube("float64")

    def program(np, key, index, scale):
        a = np.array(data)
        where = key(np.array(index, "i8"))
        a[where] = np.array(data)[where] * scale
        return a

    def programs():
        for (number, key), index in itertools.product(enumerate(KEYS), ([2, 0, -1], [[1, 2], [0, 3]], [], [9], [1, 1])):
            yield f"key {number} of {index}", lambda np: program(np, key, index, 3)

    check_all(programs())


def test_the_last_of_equal_indices_wins(puts):
    for size, n in itertools.product((1, 7, 5000, 70001), (5, 40, 9000)):
        index = numpy.random.RandomState(size + n).randint(-n, n, size)

        def program(np):
            a = np.zeros(n)
            a[np.array(index)] = np.arange(size)
            b = np.zeros((n, 3), "i4")
            b[np.array(index)] = np.arange(size * 3).reshape(size, 3)
            c = np.zeros(n, "f4")
            c[np.array(index)] = 7
            d = np.ones(n)[::-1]
            np.add.at(d, np.array(index), 1e16 * (np.arange(size) % 3 - 1) + np.arange(size))
            return a, b, c, d

        check(program, f"{size} into {n}", exact=True)


def test_writes_at_ordinary_sizes(puts):
    size = 400_001
    index = numpy.random.RandomState(5).randint(-(size // 2), size // 2, size)
    for dtype, step in itertools.product(("f8", "i2", "c16"), (1, 2, -1)):

        def program(np):
            a = np.zeros(size // 2 * abs(step) + 1, dtype)
            a[::step][np.array(index)[::-1]] = np.array(index)[: size // 2].repeat(3)[:size].astype(dtype)
            b = np.zeros((size // 2, 2), dtype)
            b[np.array(index), 1] = np.arange(size).astype(dtype)
            return a, b

        program(numpy)  # raises nothing
        check(program, f"{dtype} by {step}", exact=True)


def test_additions_follow_the_index(puts):
    """One after the other: NumPy's bits, in every dtype, also where a number wraps or the target is not contiguous."""
    for dtype, n, step in itertools.product(("f8", "f4", "f2", "c16", "i8", "u8", "i4", "u4", "i2", "?"), (7, 9000), (1, 2, -1)):
        random = numpy.random.RandomState(n)
        index = random.randint(-n, n, 70001)
        values = (random.standard_normal(70001) * (100 if dtype == "f2" else 2.0**30)).astype("i8").astype(dtype)

        def program(np):
            a = np.ones(n * abs(step), dtype)
            np.add.at(a[::step], np.array(index), np.array(values))
            np.add.at(a, np.array([0, -1, 0]), np.array(values[:1]))
            return a

        with numpy.errstate(all="ignore"):
            check(program, f"{dtype} into {n} by {step}", exact=True)


def test_weights_of_many_bins(puts):
    """As NumPy adds them, one after the other, whatever the ranks are; no warning where they make no number."""
    for size, n, rest in itertools.product((5000, 70001), (4097, 50_000), (0, 3)):
        random = numpy.random.RandomState(size)
        index, weights = random.randint(0, n, size), 10.0 ** random.uniform(-9, 9, size)
        weights[[1, 5]], index[[1, 5]] = [numpy.inf, -numpy.inf], n - 1
        for dtype in ("f8", "f4"):

            def program(np):
                return np.bincount(np.array(index), weights=np.array(weights.astype(dtype)), minlength=n + rest)

            check(program, f"{size} {dtype} into {n} and {rest}", exact=True)
    values, weights = random.standard_normal(70001), 10.0 ** random.uniform(-9, 9, 70001)
    edges = numpy.sort(random.uniform(-1, 1, 5001))

    def outside(np):
        return np.histogram(np.array(values), np.array(edges), weights=np.array(weights))[0]

    check(outside, "values outside of the bins")


def test_overlap(puts):
    """All of the index and the values is read before anything is written. (NumPy may read what it has just written, or not.)"""
    statements = """
    a[i] = a[:4]
    a[:4][i] = a[i]
    a[i] = a[::-1][:4]
    a[i] += a[3:7]
    a[i] += 1
    i[i] = i[::-1]
    i[i[i]] = i
    a[::-1][i] = a[:4]
    a.reshape(5, 4)[i] = a.reshape(5, 4)[:4]
    a.reshape(5, 4)[:, i] = a.reshape(5, 4)[::-1]
    a.reshape(5, 4)[[4, 0]] = a.reshape(5, 4)[[0, 4]]
    a.reshape(5, 4).T[i] = a.reshape(4, 5)
    a.reshape(5, 4)[i, ::-1] = a.reshape(5, 4)[1:]
    """

    def program(np, line):
        a, i = np.arange(20.0), np.array([3, 0, 2, 3])
        target, value = line.strip().rsplit(" = ", 1) if " = " in line else (line, "")
        exec(f"{target} = ({value}).copy()" if value and np is numpy else line.strip(), {"np": np, "a": a, "i": i})
        return a, i

    check_all((line.strip(), lambda np, line=line: program(np, line)) for line in statements.split("\n") if line.strip())


def test_take(engine):
    data = cube("float32")

    def programs():
        for axis, index, mode in itertools.product(
            (None, 0, 1, -1, 3), ([1, 0, -1], [[1, 2], [3, 4]], 2, [], [40, -70, 3], [5]), ("raise", "wrap", "clip")
        ):
            yield f"take {index} {axis} {mode}", lambda np: np.take(np.array(data), np.array(index, "i8"), axis, mode=mode)
            yield f".take {index} {axis} {mode}", lambda np: np.array(data).take(index, axis=axis, mode=mode)
        yield "into", lambda np: np.take(np.arange(9), [1, 2], out=np.zeros(2, "i8"))
        yield "from nothing", lambda np: np.take(np.zeros(0), [0])
        yield "from nothing along an axis", lambda np: np.take(np.zeros((3, 0)), [0], axis=1)
        yield "nothing", lambda np: np.take(np.zeros(0), np.zeros(0, "i8"))

    check_all(programs())


def test_put(engine):
    def program(np, shape, layout, index, values, mode):
        a = np.array(cube("i4", shape))
        np.put(layout(np, a), np.array(index, "i8"), values, mode)
        return a

    layouts = [lambda np, a: a, lambda np, a: a.T, lambda np, a: a[::2], lambda np, a: a[::-1]]

    def programs():
        for shape, (number, layout), index, values, mode in itertools.product(
            [(7,), (4, 6)], enumerate(layouts), ([0, -1, 2], [[1, 2], [0, 1]], [30], []), (5, [1, 2], [7, 8, 9, 10, 11], []), ("raise", "wrap", "clip")
        ):  # fmt: skip
            yield f"put {shape} {number} {index} {values} {mode}", lambda np: program(np, shape, layout, index, values, mode)

    check_all(programs())


def test_the_message_names_the_first_index_outside(engine):
    for index in ([1, 10, 11], [-11, 50], [[0, 3], [99, 10]]):
        with pytest.raises(IndexError) as expected:
            numpy.arange(10)[numpy.array(index)]
        with pytest.raises(IndexError) as actual:
            gamelan.arange(10)[gamelan.array(index)]
        assert str(actual.value) == str(expected.value)


def test_the_range_of_an_index_is_looked_at_once(engine, ranks):
    a, index = gamelan.arange(100.0), gamelan.arange(50)[::-1].copy()
    a[index]
    before = gamelan.stats()["sent_batches"] if "sent_batches" in gamelan.stats() else None
    taken = [a[index], a[index[3:]], a[index]]
    a[index] = taken[0]
    if before is not None:
        assert gamelan.stats()["sent_batches"] == before
    index[0] = 100  # written: looked at again
    with pytest.raises(IndexError):
        a[index]


@settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random(engine, data):
    draw = data.draw
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    axis = draw(st.integers(0, len(shape) - 1))
    index = draw(st.lists(st.integers(-shape[axis], shape[axis] - 1), max_size=40))
    steps = tuple(slice(None, None, draw(st.sampled_from([1, 1, -1]))) for _ in shape)
    dtype = draw(st.sampled_from(DTYPES))

    def program(np):
        a = np.array(cube(dtype, shape))
        view = a[steps]
        where = (slice(None),) * axis + (np.array(index, "i8"),)
        taken = view[where]
        view[where] = taken[..., ::-1]
        return taken, a

    check(program, f"{shape} {axis} {index} {steps}", exact=True)
