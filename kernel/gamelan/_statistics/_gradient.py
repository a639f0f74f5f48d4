# SPDX-License-Identifier: BSD-3-Clause
"""gradient: central differences within, one-sided ones of first or second order at the ends, even or uneven spacing."""

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._imported_numpy import normalize_axis_tuple
from .._local import is_distributed
from .._views._reshape import reshape
from ._common import document, of_numpy
from ._differences import along

__all__ = ["gradient"]


def _spacing(value, extent):
    """The distance of neighbours: a number, or an array of one less than the extent."""
    value = asarray(value)
    if value.ndim == 0:
        return value if is_distributed(value) else numpy.asarray(value)[()]
    if value.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if value.shape[0] != extent:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if value.dtype.kind in "iu":  # differences of unsigned numbers would wrap
        value = value.astype(numpy.float64)
    steps = value[1:] - value[:-1]
    # Even spacing has a simpler formula, and NumPy takes it.
    return steps[0] if steps.size and bool((steps == steps[0]).all()) else steps


def _spacings(f, varargs, axes):
    if len(varargs) == 0:
        return [1.0] * len(axes)
    if len(varargs) == 1 and numpy.ndim(varargs[0]) == 0:
        return [_spacing(varargs[0], 0)] * len(axes)
    if len(varargs) == len(axes):
        return [_spacing(value, f.shape[axis]) for value, axis in zip(varargs, axes)]
    raise TypeError("invalid number of arguments")


def _derivative(f, steps, axis, edge_order, dtype):
    def part(start, stop=None):
        return f[along(axis, slice(start, stop))]

    def weights(values):
        return reshape(values, (-1,) + (1,) * (f.ndim - axis - 1))

    is_even = numpy.ndim(steps) == 0
    out = filled(f.shape, dtype, 0)
    if is_even:
        out[along(axis, slice(1, -1))] = (part(2) - part(None, -2)) / (2.0 * steps)
    else:
        before, after = weights(steps[:-1]), weights(steps[1:])
        left = -after / (before * (before + after))
        middle = (after - before) / (before * after)
        right = before / (after * (before + after))
        out[along(axis, slice(1, -1))] = left * part(None, -2) + middle * part(1, -1) + right * part(2)
    first, last = (steps, steps) if is_even else (steps[0], steps[-1])
    if edge_order == 1:
        out[along(axis, slice(0, 1))] = (part(1, 2) - part(0, 1)) / first
        out[along(axis, slice(-1, None))] = (part(-1) - part(-2, -1)) / last
        return out
    if is_even:
        a, b, c = -1.5 / steps, 2.0 / steps, -0.5 / steps
        d, e, g = 0.5 / steps, -2.0 / steps, 1.5 / steps
    else:
        one, two = steps[0], steps[1]
        a, b, c = -(2.0 * one + two) / (one * (one + two)), (one + two) / (one * two), -one / (two * (one + two))
        one, two = steps[-2], steps[-1]
        d, e, g = two / (one * (one + two)), -(two + one) / (one * two), (2.0 * two + one) / (two * (one + two))
    out[along(axis, slice(0, 1))] = a * part(0, 1) + b * part(1, 2) + c * part(2, 3)
    out[along(axis, slice(-1, None))] = d * part(-3, -2) + e * part(-2, -1) + g * part(-1)
    return out


@document(
    "The gradient of an array, by central differences.",
    ">>> np.gradient([1.0, 2.0, 4.0]).tolist()\n[1.0, 1.5, 2.0]",
    "Lazy, but distributed coordinates trigger evaluation, because even spacing has a formula of its own.",
)
@of_numpy
def gradient(f, *varargs, axis=None, edge_order=1):
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    steps = _spacings(f, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if any(f.shape[each] < edge_order + 1 for each in axes):
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
        )
    dtype = f.dtype if f.dtype.kind in "fc" else numpy.dtype(numpy.float64)
    f = f.astype(dtype) if f.dtype.kind in "iu" else f
    results = [_derivative(f, step, each, edge_order, dtype) for step, each in zip(steps, axes)]
    return results[0] if len(results) == 1 else results
