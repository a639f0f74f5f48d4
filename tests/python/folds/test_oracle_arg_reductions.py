# SPDX-License-Identifier: BSD-3-Clause
"""argmin and argmax against NumPy: every dtype, layout and axis, ties, NaN, signed zeros, empty arrays, errors."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, LAYOUTS, cube, left, right
from oracle import check_all


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_of_every_dtype_and_layout(engine, name, dtype):
    def programs():
        for (what, layout), axis, data in itertools.product(
            LAYOUTS.items(), (-1, 0, 1, 2, None), (right(dtype), left(dtype), cube(dtype))
        ):
            yield f"{name} {dtype} {what} of {data.shape} {axis}", lambda np: getattr(np, name)(layout(np.array(data)), axis)
        yield "keepdims", lambda np: getattr(np, name)(np.array(cube(dtype)), 1, keepdims=True)
        yield "keepdims of all", lambda np: getattr(np, name)(np.array(cube(dtype)), keepdims=True)
        yield "method", lambda np: getattr(np.array(cube(dtype)), name)(axis=0)

    check_all(programs())


SPECIAL = {
    "nan": [1.0, numpy.nan, -2.0, numpy.nan], "only nan": [numpy.nan] * 3, "zeros": [0.0, -0.0, 0.0], "negative first": [-0.0, 0.0],
    "infinities": [numpy.inf, -numpy.inf, numpy.inf], "ties": [3.0, 1.0, 3.0, 1.0],
}  # fmt: skip


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_special_values(engine, name):
    def programs():
        for (what, data), dtype in itertools.product(SPECIAL.items(), ("f2", "f4", "f8", "c16")):
            yield f"{what} {dtype}", lambda np: getattr(np, name)(np.array(numpy.array(data, dtype)))
        parts = [0.0, 1.0, -1.0, numpy.nan]
        pairs = numpy.array([complex(x, y) for x in parts for y in parts]).reshape(4, 4)
        yield "complex with nan", lambda np: getattr(np, name)(np.array(pairs), 1)
        yield "a long row", lambda np: getattr(np, name)(np.array(numpy.random.RandomState(5).randint(0, 50, 70_003)))

    check_all(programs())


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_shapes_and_errors(engine, name):
    def into(np, shape, dtype):
        out = np.zeros(shape, dtype)
        result = getattr(np, name)(np.array(cube("f8")), 1, out)
        return [out, result is out]

    shape = cube("f8").shape
    check_all([
        ("0-d", lambda np: getattr(np, name)(np.array(3.0))), ("0-d, axis", lambda np: getattr(np, name)(np.array(3.0), 0)),
        ("empty", lambda np: getattr(np, name)(np.zeros(0))), ("empty axis", lambda np: getattr(np, name)(np.zeros((3, 0)), 1)),
        ("empty result", lambda np: getattr(np, name)(np.zeros((0, 3)), 1)), ("no such axis", lambda np: getattr(np, name)(np.zeros((2, 3)), 2)),
        ("two axes", lambda np: getattr(np, name)(np.zeros((2, 3)), (0, 1))), ("out", lambda np: into(np, (shape[0], shape[2]), "i8")),
        ("wrong out", lambda np: into(np, shape[:1], "i8")), ("list", lambda np: getattr(np, name)([[3, 1], [0, 2]], 1)),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_the_result_is_an_index(engine, name):
    """What it gives can be used at once, without a look at its values."""
    data = numpy.random.RandomState(2).rand(200, 7)
    best = getattr(gamelan, name)(gamelan.array(data), axis=1)
    table = gamelan.array(numpy.arange(7) * 10)
    assert numpy.array_equal(numpy.asarray(table[best]), getattr(numpy, name)(data, axis=1) * 10)
