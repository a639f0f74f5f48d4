# SPDX-License-Identifier: BSD-3-Clause
"""Sorting and counting against NumPy: every dtype, every layout and axis, rows that several engines share, ties and NaN."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, LAYOUTS, cube, left, right
from oracle import check, check_all


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(engine, dtype):
    def programs():
        for (what, layout), axis, (name, data) in itertools.product(
            LAYOUTS.items(), (-1, 0, 1, 2, None), (("rows", right(dtype)), ("columns", left(dtype)))
        ):
            if name == "columns":
                data = data[numpy.random.RandomState(3).permutation(14)]
            yield f"sort {dtype} {what} of {name} {axis}", lambda np: np.sort(layout(np.array(data)), axis)
            yield f"argsort {dtype} {what} of {name} {axis}", lambda np: np.argsort(layout(np.array(data)), axis, kind="stable")

    check_all(programs())


SIZES = [0, 1, 2, 5, 511, 512, 1500, 70_003]


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows(engine, dtype):
    """A row lies with several engines; few different values make many ties."""
    for size, distinct in itertools.product(SIZES, (3, 10**6)):
        random = numpy.random.RandomState(size)
        data = (random.randint(-distinct, distinct, size) / 8).astype(dtype)
        if data.dtype.kind == "c":
            data += (random.randint(-2, 2, size) * 1j).astype(dtype)
        if data.dtype.kind in "fc" and size > 4:
            data[[1, 3, 4]] = numpy.nan, numpy.inf, -0.0
        check(lambda np: np.sort(np.array(data)), f"sort {size}", exact=True)
        check(lambda np: np.argsort(np.array(data), kind="stable"), f"argsort {size}", exact=True)
        check(lambda np: np.sort(np.array(data)[::-3]), f"sort {size} backwards", exact=True)


def test_complex_with_nan(engine):
    parts = [0.0, 1.0, -1.0, numpy.nan, numpy.inf]
    data = numpy.array([complex(x, y) for x in parts for y in parts])[numpy.random.RandomState(0).permutation(25)]
    check(lambda np: np.sort(np.array(data)), "complex", exact=True)
    check(lambda np: np.argsort(np.array(data), kind="stable"), "complex", exact=True)


def test_in_place_and_errors(engine):
    def in_place(np, axis):
        a = np.array(cube("f4"))
        a[::-1].sort(axis)
        return a

    check_all([
        ("in place", lambda np: in_place(np, -1)), ("in place, first axis", lambda np: in_place(np, 0)), ("no such axis", lambda np: in_place(np, 3)),
        ("method", lambda np: np.array(cube("f4")).argsort(1, "stable")), ("0-d", lambda np: np.sort(np.array(3.0))),
        ("0-d places", lambda np: np.argsort(np.array(3.0))), ("kind", lambda np: np.sort(np.arange(4), kind="bubble")),
        ("axis", lambda np: np.argsort(np.arange(4), 1)), ("one row of two dimensions", lambda np: np.sort(np.arange(9)[::-1][None])),
    ])  # fmt: skip


def test_places_index(engine):
    data = numpy.random.RandomState(4).standard_normal(5000)
    check(lambda np: np.array(data)[np.argsort(np.array(data), kind="stable")], exact=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bincount(engine, dtype):
    def programs():
        for size, high, minlength in itertools.product((0, 1, 5, 3000, 50_000), (1, 7, 100), (0, 3, 200, -1)):
            data = numpy.random.RandomState(size).randint(0, high, size).astype(dtype)
            yield f"bincount {dtype} {size} {high} {minlength}", lambda np: np.bincount(np.array(data), minlength=minlength)
        yield "strided", lambda np: np.bincount(np.array(data)[::-2])
        yield "column", lambda np: np.bincount(np.array(data).reshape(1000, 50)[:, 3])
        yield "many bins", lambda np: np.bincount(np.array(data).astype("i8") * 900)
        yield "negative", lambda np: np.bincount(np.array([3, -1]))
        yield "two dimensions", lambda np: np.bincount(np.array([[1]]))
        yield "none", lambda np: np.bincount(np.array(1))

    check_all(programs())


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype[0] != "c"])
def test_histogram(engine, dtype):
    data = (numpy.random.RandomState(5).standard_normal((50, 60)) * 20).astype("i8" if dtype[0] != "f" else "f8").astype(dtype)

    def programs():
        for bins, limits, density in itertools.product(
            (1, 7, 100, 0, -2), (None, (-5, 11), (0.1, 0.7), (3, 3), (2, 1)), (None, True)
        ):
            yield f"{dtype} {bins} {limits} {density}", lambda np: np.histogram(np.array(data), bins, limits, density=density)
        yield "strided", lambda np: np.histogram(np.array(data).T[::-2, ::3], 9)
        yield "one value", lambda np: np.histogram(np.ones((9,), dtype), 4)
        yield "nothing", lambda np: np.histogram(np.array(data)[:0], 4)
        yield "of a broadcast", lambda np: np.histogram(np.broadcast_to(np.array(data)[0], (4, 60)), 5)
        yield "whole numbers on edges", lambda np: np.histogram(np.array(data) % 10, 10, (0, 10))

    check_all(programs())


def test_nan_and_infinite_ranges(engine):
    data = numpy.array([1.0, numpy.nan, 3.0])
    check(lambda np: np.histogram(np.array(data), 3), "not a number")
    check(lambda np: np.histogram(np.array(data), 3, (0, 4)), "left out")
    check(lambda np: np.histogram(np.array([1.0, numpy.inf]), 3), "infinite")


assert gamelan
