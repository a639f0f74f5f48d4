# SPDX-License-Identifier: BSD-3-Clause
"""Operands for the oracle tests: telling values of every dtype, in every way an array can lie in memory.

A layout is a function from a NumPy array to a view of it; the same function is applied to gamelan's array, so that both
sides see the same view.
"""

import numpy

from gamelan import _core

DTYPES = tuple(_core.dtype_names())
ROWS = _core.ops_table()

LAYOUTS = {
    "contiguous": lambda a: a,
    "strided": lambda a: a[1::2, ::3],
    "negative step": lambda a: a[::-1, ::-2],
    "transposed": lambda a: a.T,
    "row": lambda a: a[3],
    "column": lambda a: a[:, -2],
    "new axis": lambda a: a[:, None, ::4],
    "empty": lambda a: a[:0],
    "0-d": lambda a: a[1, 2, ...],
}

_FLOATS = [0.0, 1.0, -1.0, 0.5, -0.0, 2.0, -2.5, 3.75, -7.25, 1e-3, 100.5, numpy.inf, -numpy.inf, numpy.nan]


def values(dtype):
    """Fourteen numbers of a dtype: the usual, the extreme and the special."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return numpy.array([False, True] * 7)
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        small = [0, 1, 2, 3, 5, 7, 8, 31, 64, 100]
        small += [-1, -2, -7, info.min] if dtype.kind == "i" else [9, 10, 77, info.max - 1]
        return numpy.array(small[:13] + [info.max], dtype)
    if dtype.kind == "c":
        # Finite: what C and NumPy make of infinite parts is not agreed upon.
        real = [0, 1, -1, 0.5, 2, -2.5, 3.75, 0.25, -0.75, 1.5, -3, 4, -1.25, 6]
        imag = [0, 1, 0.5, -2, 0, 3, -1.5, 0.25, -0.5, 2, 1, -4, 0.75, -1]
        return (numpy.array(real) + 1j * numpy.array(imag)).astype(dtype)
    return numpy.array(_FLOATS, dtype)


def left(dtype):
    """14 x 14: value i in row i."""
    return numpy.repeat(values(dtype)[:, None], 14, axis=1)


def right(dtype):
    """14 x 14: value j in column j; with `left` all pairs."""
    return numpy.repeat(values(dtype)[None, :], 14, axis=0)


def cube(dtype, shape=(5, 6, 7)):
    """Small numbers, so that products stay finite and sums exact."""
    dtype = numpy.dtype(dtype)
    data = (numpy.arange(int(numpy.prod(shape))) * 7 % 5 - (0 if dtype.kind in "bu" else 2)).reshape(shape)
    return (data % 2 if dtype.kind == "b" else data).astype(dtype) * (1 + 0.5j if dtype.kind == "c" else 1)


def scattered(shape, dtype):
    """Normal numbers, the same for each shape; among float32 and float64 some NaN and -0."""
    numbers = (numpy.random.default_rng(len(shape)).standard_normal(shape) * 9).astype(dtype)
    if dtype in ("f4", "f8"):
        numbers.flat[:: numbers.size // 7] = numpy.nan
        numbers.flat[1 :: numbers.size // 5] = -0.0
    return numbers
