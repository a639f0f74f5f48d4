# SPDX-License-Identifier: BSD-3-Clause
"""Products over chosen axes: tensordot is a matrix product of reshaped arrays; kron and cross are element-wise."""

import math

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._imported_numpy import CROSS_NEEDS_THREE, normalize_axis_index
from .._local import as_value, call_numpy, has_distributed
from .._promotion import OPS, dtype_number
from .._ufuncs._objects import PUBLIC
from .._views._join import stack
from .._views._plain import moveaxis, transpose
from .._views._reshape import reshape
from ._operands import distributed
from ._products import _dtype as product_dtype
from ._products import dot

__all__ = ["cross", "kron", "tensordot"]


def _listed(axes):
    try:
        return list(axes)
    except TypeError:
        return [axes]


def tensordot(a, b, axes=2):
    """The sum of products over pairs of axes.

    Examples
    --------
    >>> import gamelan as np
    >>> np.tensordot(np.ones((2, 3, 4)), np.ones((3, 4, 5)), 2).shape
    (2, 5)
    """
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.tensordot, "tensordot", (a, b, axes), {})
    try:
        left, right = axes
    except TypeError:
        left, right = range(-axes, 0), range(axes)
    left, right = _listed(left), _listed(right)
    # An axis that an array has not: NumPy's IndexError, here, too; unless a pair before it does not fit.
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    left, right = [axis % a.ndim for axis in left], [axis % b.ndim for axis in right]
    kept_left = [axis for axis in range(a.ndim) if axis not in left]
    kept_right = [axis for axis in range(b.ndim) if axis not in right]
    contracted = math.prod(a.shape[axis] for axis in left)
    rows, columns = (tuple(array.shape[axis] for axis in kept) for array, kept in ((a, kept_left), (b, kept_right)))
    left_matrix = reshape(transpose(a, kept_left + left), (math.prod(rows), contracted))
    right_matrix = reshape(transpose(b, right + kept_right), (contracted, math.prod(columns)))
    return reshape(dot(left_matrix, right_matrix), rows + columns)


def kron(a, b):
    """The Kronecker product of two arrays.

    Examples
    --------
    >>> import gamelan as np
    >>> np.kron([1, 10], [1, 2]).tolist()
    [1, 2, 10, 20]
    """
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)) and a.size * b.size < _core.threshold():
        return call_numpy(numpy.kron, "kron", (a, b), {})
    dims = max(a.ndim, b.ndim)
    if not a.ndim or not b.ndim:
        return _product(a, b)
    a, b = (reshape(array, (1,) * (dims - array.ndim) + array.shape) for array in (a, b))
    shape = tuple(one * other for one, other in zip(a.shape, b.shape))
    left = reshape(a, sum(((extent, 1) for extent in a.shape), ()))
    right = reshape(b, sum(((1, extent) for extent in b.shape), ()))
    return reshape(_product(left, right), shape)


def _product(a, b):
    """The product in the dtype that arrays promote to, whatever the value of one without axes."""
    number = dtype_number(product_dtype(a.dtype, b.dtype))
    return as_value(_core.apply(OPS["multiply"], number, number, (distributed(a), distributed(b)), None))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors with two or three components.

    Examples
    --------
    >>> import gamelan as np
    >>> np.cross([1, 0, 0], [0, 1, 0]).tolist()
    [0, 0, 1]
    """
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.cross, "cross", (a, b, axisa, axisb, axisc, axis), {})
    if axis is not None:
        axisa = axisb = axisc = axis
    axisa, axisb = normalize_axis_index(axisa, a.ndim), normalize_axis_index(axisb, b.ndim)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if CROSS_NEEDS_THREE and not a.shape[-1] == b.shape[-1] == 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    shape = numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    if a.dtype == bool and b.dtype == bool:
        PUBLIC["subtract"](a, b)  # raises as NumPy's does
    dtype = numpy.promote_types(a.dtype, b.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    (a0, a1, a2), (b0, b1, b2) = ([each[..., i] if i < each.shape[-1] else None for i in range(3)] for each in (a, b))
    z = a0 * b1 - a1 * b0
    if a2 is None and b2 is None:
        return z
    axisc = normalize_axis_index(axisc, len(shape) + 1)
    if a2 is None:
        x, y = a1 * b2, -(a0 * b2)
    elif b2 is None:
        x, y = -(a2 * b1), a2 * b0
    else:
        x, y = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2
    return stack([x, y, z], axisc)
