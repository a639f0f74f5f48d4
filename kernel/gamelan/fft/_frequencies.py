# SPDX-License-Identifier: BSD-3-Clause
"""Frequencies of the elements of a transform, and the order with frequency 0 in the middle."""

import operator

import numpy

from .. import _core
from .._arguments import check_device
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._imported_numpy import normalize_axis_tuple
from .._local import call_numpy, is_distributed, with_numbers, wrap_here

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(n, d=1.0, device=None):
    """The sample frequencies of `fft`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    check_device(device)
    n, d = with_numbers(n), with_numbers(d)
    if not isinstance(n, (int, numpy.integer)) or n < _core.threshold() or n < 2:
        return wrap_here(numpy.fft.fftfreq(n, d))
    positive = (n - 1) // 2 + 1
    results = filled((int(n),), numpy.dtype(int), 0)
    results[:positive] = arange(positive)
    results[positive:] = arange(-(n // 2), 0)
    return results * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    """The sample frequencies of `rfft`."""
    check_device(device)
    n, d = with_numbers(n), with_numbers(d)
    if not isinstance(n, (int, numpy.integer)) or n // 2 + 1 < _core.threshold() or n < 1:
        return wrap_here(numpy.fft.rfftfreq(n, d))
    return arange(n // 2 + 1) * (1.0 / (n * d))


def _shifted(x, axes, sign):
    """The array with the second half of each axis before the first. A copy in two pieces per axis."""
    if x.ndim == 0:
        numpy.fft.fftshift(numpy.empty(()), axes)  # NumPy says what is wrong
    axes = with_numbers(axes)
    if axes is None:
        axes = tuple(range(x.ndim))
    elif isinstance(axes, (int, numpy.integer)):
        x.shape[axes]  # IndexError, as NumPy has it
    else:
        axes = tuple(axes)
        for axis in axes:
            x.shape[operator.index(axis)]
    shifts = {}
    for axis in normalize_axis_tuple(axes, x.ndim, allow_duplicate=True):
        shifts[axis] = shifts.get(axis, 0) + sign * (x.shape[axis] // 2)
    result = filled(x.shape, x.dtype, 0)
    pieces = [((), ())]
    for axis, extent in enumerate(x.shape):
        shift = shifts.get(axis, 0) % extent if extent else 0
        parts = [(slice(0, extent - shift), slice(shift, extent))]
        if shift:
            parts.append((slice(extent - shift, extent), slice(0, shift)))
        pieces = [(source + (here,), target + (there,)) for source, target in pieces for here, there in parts]
    if x.size:
        for source, target in pieces:
            result[target] = x[source]
    return result


def fftshift(x, axes=None):
    """Move the zero frequency to the middle of each axis.

    Examples
    --------
    >>> import gamelan as np
    >>> np.fft.fftshift(np.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    x = asarray(x)
    if not is_distributed(x):
        return call_numpy(numpy.fft.fftshift, "fft.fftshift", (x, axes), {})
    return _shifted(x, axes, 1)


def ifftshift(x, axes=None):
    """Undo `fftshift`."""
    x = asarray(x)
    if not is_distributed(x):
        return call_numpy(numpy.fft.ifftshift, "fft.ifftshift", (x, axes), {})
    return _shifted(x, axes, -1)
