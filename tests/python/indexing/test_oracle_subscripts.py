# SPDX-License-Identifier: BSD-3-Clause
"""Subscripts against NumPy: get, set, views of views, masks, and assignments whose source and target overlap."""

import itertools

import numpy
import pytest

from operands import cube
from oracle import check_all

KEYS = [
    0, -1, 3, slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1), slice(4, 1, -2),
    slice(2, 2), slice(10, 20), slice(-100, 100), ..., None, (), (0, 0), (-1, -1), (slice(1, 4), 2), (..., 0), (0, ...),
    (None, 1), (1, None), (slice(None, None, -1), slice(None, None, 2)), (slice(None), None, slice(1, 3)), (..., None),
    (None, ..., None, 0), (slice(3, None, -1), -1), (slice(0), slice(None)), numpy.int8(1), (numpy.uint64(0), slice(None)),
    5, -6, (0, 0, 0, 0), "a", 1.0, (0, 99), (..., ...), (slice(None, None, 0),), [None],
]  # fmt: skip


@pytest.mark.parametrize("shape", [(5,), (5, 6), (5, 6, 7), (1, 1), (0, 3), ()])
def test_get(engine, shape):
    data = cube("int32", shape)

    def chain(np, one, other):
        a = np.array(data)
        b = a[one]
        return b[other]

    def programs():
        for key in KEYS:
            if key == [None]:
                continue  # an index array: not this issue's
            yield f"{shape}[{key}]", lambda np: np.array(data)[key]
        for one, other in itertools.product(KEYS[3:24], KEYS[:24]):
            yield f"{shape}[{one}][{other}]", lambda np: chain(np, one, other)

    check_all(programs())


@pytest.mark.parametrize("dtype", ["int32", "float64", "bool", "complex64"])
def test_set(engine, dtype):
    data = cube(dtype)

    def program(np, key, value):
        a = np.array(data)
        a[key] = value(np, a)
        return a

    values = {
        "2": lambda np, a: 2,
        "2.5": lambda np, a: 2.5,
        "NumPy scalar": lambda np, a: numpy.float32(1.5),
        "list": lambda np, a: [1, 0, 1, 1, 0, 1, 0],
        "row": lambda np, a: a[4, 5],
        "part of itself": lambda np, a: a[::-1, ::-1][:1],
        "wrong shape": lambda np, a: np.ones((2, 3)),
        "small": lambda np, a: numpy.ones((1, 7), "i2"),
        "other dtype": lambda np, a: np.ones((6, 7), "i8"),
    }

    def programs():
        for key in KEYS:
            if key == [None]:
                continue
            for what, value in values.items():
                yield f"{dtype}[{key}] = {what}", lambda np: program(np, key, value)

    check_all(programs())


def test_set_overlapping(engine):
    """Source and target overlap: NumPy behaves as if the source was copied first."""
    statements = """
    a[1:] = a[:-1]
    a[:-1] = a[1:]
    a[::2] = a[1::2]
    a[::-1] = a
    a[...] = a[::-1]
    a[2:] += a[:-2]
    a[:-1] -= a[1:]
    a += a[::-1]
    a[1:-1] = a[2:] + a[:-2]
    a[1:-1] = a[2:] * 2 - a[:-2]
    a[:5] = a[5:]
    a[3:8] = a[4:9] + a[2:7]
    a[::3] = a[-1]
    a[1:] = a[0]
    a[:] = a[3:4]
    np.add(a[1:], a[:-1], out=a[:-1])
    np.subtract(a[1:], a[:-1], out=a[1:])
    np.multiply(a, a[::-1], out=a[::-1])
    """.split("\n")

    def program(np, size, dtype, line, times):
        a = np.array(numpy.arange(size) % 5, dtype)
        for _ in range(times):
            exec(line, {"np": np, "a": a})
        return a

    def programs():
        for line, (size, dtype, times) in itertools.product(
            filter(None, map(str.strip, statements)),
            [(10, "i8", 1), (10, "f4", 3), (1000, "f8", 2), (10, "c16", 2), (5002, "i4", 1)],
        ):
            yield f"{line} {size} {dtype}", lambda np: program(np, size, dtype, line, times)

    check_all(programs())


def test_set_overlapping_2d(engine):
    statements = """
    a[...] = a.T
    a += a.T
    a -= a.T
    a[1:, 1:] = a[:-1, :-1]
    a[1:-1, 1:-1] = (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2]) * 2
    a[:, 0] = a[0]
    a[0] = a[:, 0]
    a[::-1] = a[:, ::-1]
    a.T[...] = a[::-1]
    a[1:] += a[0]
    a.reshape(-1)[1:] = a.reshape(-1)[:-1]
    a.ravel()[::7] = 9
    a.diagonal().copy()
    a[a > 1] = 0
    a[a == a.T] = 5
    a[1::2][a[1::2] > 0] = -1
    np.add(a, a.T, out=a)
    a[:] = a[::-1, ::-1] + a.T
    """.split("\n")

    def program(np, size, dtype, line, times):
        a = np.array((numpy.arange(size * size) % 7).reshape(size, size), dtype)
        for _ in range(times):
            exec(line, {"np": np, "a": a})
        return a

    def programs():
        for line, (size, dtype, times) in itertools.product(
            filter(None, map(str.strip, statements)), [(6, "i8", 1), (7, "f4", 2), (64, "f8", 2), (71, "i2", 1), (1, "f8", 1)]
        ):
            yield f"{line} {size} {dtype}", lambda np: program(np, size, dtype, line, times)

    check_all(programs())


def test_masks(engine):
    data = cube("float64", (8, 9))

    def program(np, dtype, compare, value, where):
        a = np.array(data.astype(dtype))
        view = a[where]
        view[compare(view)] = value
        return a

    compares = [lambda v: v > 0, lambda v: v != 1, lambda v: v == 99, lambda v: v == v, lambda v: (v > 0) & (v < 2)]

    def programs():
        for dtype, (number, compare), value, where in itertools.product(
            ("float64", "int32", "bool", "complex128"), enumerate(compares), (7, -1, 2.5, True),
            (..., slice(None, None, -2), (slice(1, 5), slice(2, None)), 3),
        ):  # fmt: skip
            if not (dtype == "complex128" and number in (0, 4)):
                yield f"mask {dtype} {number} {value} {where}", lambda np: program(np, dtype, compare, value, where)

    check_all(programs())
