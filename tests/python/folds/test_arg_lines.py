# SPDX-License-Identifier: BSD-3-Clause
"""argmax and argmin: lines along every axis in every order of memory, long rows in pieces, ties and NaN."""

import numpy
import pytest

from gamelan._folds import _arg_reductions
from operands import DTYPES, values
from oracle import check_all

LAYOUTS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::-1, :, ::2],
    lambda a: a.transpose(1, 2, 0),
    lambda a: a[:, 1],
    lambda a: a[1:, 2:, 3],
    lambda a: a[:1],
    lambda a: a[..., :1],
]


def cube(dtype, shape=(7, 9, 11)):
    draw = numpy.random.RandomState(2)
    numbers = draw.randint(-9, 9, shape).astype(dtype)  # with ties
    if numbers.dtype.kind in "fc":
        numbers[draw.rand(*shape) < 0.01] = numpy.nan
        numbers[draw.rand(*shape) < 0.05] = -0.0
    return numbers


@pytest.mark.parametrize("dtype", DTYPES)
def test_lines(engine, dtype):
    data = cube(dtype)

    def programs():
        for name in ("argmax", "argmin"):
            for number, layout in enumerate(LAYOUTS):
                for axis in (None, *range(layout(data).ndim)):
                    yield f"{name} {number} {axis}", lambda np: getattr(np, name)(layout(np.array(data)), axis)
                yield f"{name} kept", lambda np: getattr(np, name)(layout(np.array(data)), axis=-1, keepdims=True)
            yield f"{name} special", lambda np: getattr(np, name)(np.array(values(dtype)))

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "?"])
def test_rows_in_pieces(engine, dtype, monkeypatch):
    monkeypatch.setattr(_arg_reductions, "_LONG", 5)
    monkeypatch.setattr(_arg_reductions, "_PIECE", 4)
    draw = numpy.random.RandomState(6)

    def programs():
        for count in (5, 16, 17, 63, 64, 65, 301):
            for kind in range(4):
                row = draw.randint(0, (2, 5, 100, 100)[kind], count).astype(dtype)
                if kind == 3 and row.dtype.kind == "f":
                    row[count // 2 :: 3] = numpy.nan
                for name in ("argmax", "argmin"):
                    yield f"{name} {count} {kind}", lambda np: getattr(np, name)(np.array(row))
                    yield f"{name} {count} {kind} back", lambda np: getattr(np, name)(np.array(row)[::-1])

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "?"])
def test_long_lines(engine, dtype):
    draw = numpy.random.RandomState(8)
    data = (draw.rand(3, 5000) * 100).astype(dtype)

    def programs():
        for name in ("argmax", "argmin"):
            for axis in (0, 1, None):
                yield f"{name} {axis}", lambda np: getattr(np, name)(np.array(data), axis)
        if data.dtype.kind == "f":
            with_nan = data.copy()
            with_nan[1, 4321] = with_nan[1, 4500] = numpy.nan
            yield "nan", lambda np: np.argmax(np.array(with_nan), 1)
        row = numpy.zeros(100_001, dtype)
        row[77_777:77_779] = 1
        yield "row", lambda np: (np.argmax(np.array(row)), np.argmin(np.array(row)))

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "i1"])
def test_a_few_long_lines_side_by_side(engine, dtype):
    draw = numpy.random.RandomState(10)
    data = {columns: (draw.rand(5003, columns) * 100).astype(dtype) for columns in (2, 3, 5, 8, 9)}
    for numbers in data.values():
        if numbers.dtype.kind == "f":
            numbers[draw.rand(*numbers.shape) < 1e-4] = numpy.nan

    def programs():
        for name in ("argmax", "argmin"):
            for columns, numbers in data.items():
                yield f"{name} {columns}", lambda np: getattr(np, name)(np.array(numbers), 0)
                yield f"{name} {columns} part", lambda np: getattr(np, name)(np.array(numbers)[7:-5, 1:], 0)
                yield f"{name} {columns} back", lambda np: getattr(np, name)(np.array(numbers)[::-1], 0)

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u2", "i1", "u1", "?"])
def test_many_lines_side_by_side(engine, dtype):
    """More lines than are looked through together, longer than a number of their width counts, improving as they go on."""
    draw = numpy.random.RandomState(9)
    data = (draw.rand(400, 1100) * numpy.linspace(1, 120, 400)[:, None]).astype(dtype)
    if data.dtype.kind == "f":
        data[draw.rand(*data.shape) < 1e-3] = numpy.nan

    def programs():
        for name in ("argmax", "argmin"):
            yield name, lambda np: getattr(np, name)(np.array(data), 0)
            yield f"{name} steps", lambda np: getattr(np, name)(np.array(data)[:, ::-2], 0)
            yield f"{name} back", lambda np: getattr(np, name)(np.array(data)[::-1], 0)
            yield f"{name} constant", lambda np: getattr(np, name)(np.array(data[:, :1] * numpy.ones(600, dtype)), 0)

    check_all(programs())
