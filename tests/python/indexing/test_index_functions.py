# SPDX-License-Identifier: BSD-3-Clause
"""nonzero and its kin, functions that read and write through masks and positions, and choices, against NumPy."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, LAYOUTS, cube, left
from oracle import check, check_all


@pytest.mark.parametrize("dtype", DTYPES)
def test_where_is_something(engine, dtype):
    def programs():
        for (what, layout), name in itertools.product(
            LAYOUTS.items(), ("nonzero", "flatnonzero", "argwhere", "count_nonzero", "where")
        ):
            if what != "0-d" or name in ("flatnonzero", "argwhere", "count_nonzero"):
                yield f"{name} {dtype} {what}", lambda np: getattr(np, name)(layout(np.array(left(dtype))))
        yield f"{dtype} method", lambda np: np.array(cube(dtype)).nonzero()

    check_all(programs())


def test_nonzero_of_many(engine):
    for size, part in itertools.product((1, 4095, 4097, 30011), (0, 1, 50, 100)):
        mask = numpy.random.RandomState(size + part).randint(0, 100, size) < part
        check(lambda np: np.flatnonzero(np.array(mask)), f"{part} % of {size}")
    check(lambda np: np.nonzero(np.arange(120000).reshape(300, 400) % 7 == 3), "two axes")
    check(
        lambda np: (np.arange(40000.0)[np.arange(40000) % 3 == 0], np.arange(40000).reshape(200, 200).T[np.arange(200) % 2 == 0]),
        "through a mask",
    )


def test_count_nonzero(engine):
    data = cube("int8")
    for axis, keepdims in itertools.product((None, 0, -1, (0, 2), 3), (False, True)):
        check(lambda np: np.count_nonzero(np.array(data), axis, keepdims=keepdims), f"{axis} {keepdims}")
    assert type(gamelan.count_nonzero(gamelan.array(data))) is int


def test_compress_extract(engine):
    data = cube("float32")

    def programs():
        for axis, condition in itertools.product(
            (None, 0, 1, -1, 3), ([1, 0, 1], [True] * 5, [0.0, 2.5], [], numpy.arange(7) % 2 == 0, [[1, 0]], [0] * 9, [1] * 400)
        ):
            yield f"compress {condition} {axis}", lambda np: np.compress(np.array(condition), np.array(data), axis)
            yield f".compress {condition} {axis}", lambda np: np.array(data).compress(condition, axis=axis)
        yield "into", lambda np: np.compress([0, 1, 1], np.arange(3), out=np.zeros(2, "i8"))
        yield "into another shape", lambda np: np.compress([0, 1, 1], np.arange(3), out=np.zeros(3, "i8"))
        yield "extract", lambda np: np.extract(np.array(data) > 0, np.array(data))
        yield "extract from more", lambda np: np.extract([1, 0, 2], np.arange(12).reshape(3, 4))
        yield "extract from less", lambda np: np.extract([0, 0, 0, 1], np.arange(3))

    check_all(programs())


@pytest.mark.parametrize("name", ["place", "putmask"])
def test_write_through_a_mask(engine, name):
    def program(np, layout, values, dtype, mask):
        a = np.array(cube(dtype, (4, 6)))
        view = layout(a)
        getattr(np, name)(view, mask(np, view), values)
        return a

    masks = [
        lambda np, v: v > 0,
        lambda np, v: np.ones(v.shape, "i4"),
        lambda np, v: np.zeros(v.shape, bool),
        lambda np, v: [True] * 24,
        lambda np, v: [1],
    ]
    values = (5, [1, 2], [7, 8, 9, 10, 11], list(range(24)), list(range(30)), [], numpy.arange(24).reshape(4, 6), 2.5, [1.5, 2.5])

    def programs():
        for (what, layout), value, dtype, (number, mask) in itertools.product(
            {"whole": lambda a: a, "turned": lambda a: a.T, "part": lambda a: a[::2]}.items(), values, ("i4", "f4"), enumerate(masks)
        ):  # fmt: skip
            yield f"{name} {what} {value} {dtype} {number}", lambda np: program(np, layout, value, dtype, mask)

    check_all(programs())


def test_along_an_axis(engine):
    data = cube("float64", (4, 5, 3))

    def put(np, index, values, axis):
        a = np.array(data)
        np.put_along_axis(a, np.array(index), values, axis)
        return a

    def programs():
        for axis in (0, 1, -1, None, 3):
            for what, index in {
                "argsort": numpy.argsort(data, 0 if axis in (None, 3) else axis), "one": numpy.array([[[1]]]), "row": numpy.array([1, -2]),
                "outside": numpy.array([[[7]]]), "floats": numpy.array([[[1.0]]]), "flat": numpy.array([5, 59, -60]),
            }.items():  # fmt: skip
                yield f"take {what} {axis}", lambda np: np.take_along_axis(np.array(data), np.array(index), axis)
                yield f"put {what} {axis}", lambda np: put(np, index, 9, axis)
        yield "each", lambda np: put(np, numpy.zeros((4, 1, 3), "i8"), np.arange(12.0).reshape(4, 1, 3), 1)

    check_all(programs())


def test_choices(engine):
    data = cube("int32")

    def choose(np, mode, *choices):
        return np.choose(np.abs(np.array(data)), choices, mode=mode)

    def programs():
        for mode in ("raise", "clip", "wrap", "no"):
            yield f"choose {mode}", lambda np: choose(np, mode, 10, np.arange(7.0), np.ones((6, 1), "i2"))
            yield f"too few {mode}", lambda np: choose(np, mode, 10, np.arange(7))
            yield f"broadcast {mode}", lambda np: np.array([[0], [1]]).choose([np.arange(3), -np.arange(3)], mode=mode)
        yield "into", lambda np: np.choose([1, 0], [np.arange(2), np.arange(2) + 5], out=np.zeros(2))
        yield "bools", lambda np: np.choose(np.array(data) > 0, (1, 2))
        yield "floats", lambda np: np.choose(np.array(data) * 0.5, (1, 2))
        yield "array of choices", lambda np: np.choose(np.array([2, 0, 1]), np.arange(9).reshape(3, 3))
        a = numpy.arange(12).reshape(3, 4)
        yield "select", lambda np: np.select([np.array(a) < 3, np.array(a) > 6], [np.array(a) * 2, np.arange(4.0)], -1)
        yield "select broadcast", lambda np: np.select([np.array(a) < 3, np.array([True, False, True, True])], [1, np.array(a)])
        yield "select of floats", lambda np: np.select([np.array(a) * 1.0], [np.array(a)])
        yield "select uneven", lambda np: np.select([np.array(a) > 1], [np.array(a)] * 2)
        yield "select nothing", lambda np: np.select([], [np.array(a)])
        yield (
            "piecewise",
            lambda np: np.piecewise(np.array(a), [np.array(a) < 3, np.array(a) > 6], [lambda x: -x, lambda x: x * 10, 7]),
        )
        yield (
            "piecewise values",
            lambda np: np.piecewise(np.array(a) * 0.5, [np.array(a) < 3, np.array(a) > 2], [1.5, lambda x: x.sum()]),
        )
        yield "piecewise one", lambda np: np.piecewise(np.array(a), np.array(a) < 3, [1, 2])
        yield "piecewise uneven", lambda np: np.piecewise(np.array(a), [np.array(a) < 3], [1, 2, 3])
        yield "piecewise 0-d", lambda np: np.piecewise(np.array(3.0), [np.array(3.0) < 3], [1, 2])

    check_all(programs())
