# SPDX-License-Identifier: BSD-3-Clause
"""Arrays to test with, the same numbers whatever the module: NumPy makes them."""

import numpy

import cupy


def _made(values, xp, dtype, shape, order="C"):
    """An array of the module from numbers: of bool every other one, of complex each in both parts."""
    values = values % 2 == 0 if dtype.kind == "b" else values + values * 1j if dtype.kind == "c" else values
    return (xp or cupy).array(values.astype(dtype).reshape(shape), order=order)


def shaped_arange(shape, xp=None, dtype=numpy.float32, order="C"):
    """1, 2, 3, ... in a shape."""
    return _made(numpy.arange(1, numpy.prod(shape, dtype=int) + 1), xp, numpy.dtype(dtype), shape, order)


def shaped_reverse_arange(shape, xp=None, dtype=numpy.float32):
    """As shaped_arange, the largest first."""
    return _made(numpy.arange(numpy.prod(shape, dtype=int), 0, -1), xp, numpy.dtype(dtype), shape)


def shaped_random(shape, xp=None, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """Numbers of [0, scale)."""
    state, dtype = numpy.random.RandomState(seed), numpy.dtype(dtype)
    if dtype.kind == "b":
        values = state.randint(2, size=shape)
    else:
        values = numpy.asarray(state.random_sample(shape)) * scale
        if dtype.kind == "c":
            values = values + 1j * numpy.asarray(state.random_sample(shape)) * scale
    return (xp or cupy).array(numpy.asarray(values).astype(dtype), order=order)
