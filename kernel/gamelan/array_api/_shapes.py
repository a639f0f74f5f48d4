# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the array-API standard that move, join and repeat elements: gamelan's, under the standard's names and
signatures."""

from .. import _catalogue as np

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "take",
    "tile",
    "unstack",
]


def broadcast_arrays(*arrays):
    """The arrays, stretched to one shape."""
    return list(np.broadcast_arrays(*arrays))


def broadcast_to(x, /, shape):
    """The array, stretched to a shape."""
    return np.broadcast_to(x, shape)


def concat(arrays, /, *, axis=0):
    """The arrays one after the other along an axis; flattened first when the axis is None.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array_api.concat([np.zeros(1), np.ones(2)]).tolist()
    [0.0, 1.0, 1.0]
    """
    arrays = tuple(arrays)
    dtype = np.result_type(*(array.dtype for array in arrays)) if arrays else None
    return np.concatenate([array.astype(dtype, copy=False) for array in arrays], axis=axis)


def expand_dims(x, /, axis):
    """The array with an axis of extent 1 more."""
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexError(f"axis {axis} is out of bounds for an array of {x.ndim} dimensions and one more")
    return np.expand_dims(x, axis)


def flip(x, /, *, axis=None):
    """The elements in reverse order along axes."""
    return np.flip(x, axis=axis)


def matrix_transpose(x, /):
    """The last two axes exchanged."""
    return x.mT


def moveaxis(x, source, destination, /):
    """Axes moved to other places."""
    return np.moveaxis(x, source, destination)


def permute_dims(x, /, axes):
    """The axes in another order."""
    return np.transpose(x, axes)


def repeat(x, repeats, /, *, axis=None):
    """Every element several times."""
    return np.repeat(x, repeats, axis=axis)


def reshape(x, /, shape, *, copy=None):
    """The elements in another shape; a view where there is one, unless a copy is asked for."""
    if copy:
        return np.reshape(x.copy(), shape)
    result = np.reshape(x, shape)
    if copy is False and x.size and not np.shares_memory(result, x):
        raise ValueError("reshape(copy=False): this needs a copy")
    return result


def roll(x, /, shift, *, axis=None):
    """Elements moved along axes, those that leave at one end come in at the other."""
    return np.roll(x, shift, axis=axis)


def squeeze(x, /, axis):
    """The array without axes of extent 1."""
    return np.squeeze(x, axis=axis)


def stack(arrays, /, *, axis=0):
    """The arrays along a new axis."""
    dtype = np.result_type(*(array.dtype for array in arrays))
    return np.stack([array.astype(dtype, copy=False) for array in arrays], axis=axis)


def take(x, indices, /, *, axis=None):
    """Elements at the places that integers name."""
    if axis is None and x.ndim != 1:
        raise ValueError("take: axis must be given unless the array has one dimension")
    return np.take(x, indices, axis=0 if axis is None else axis)


def tile(x, repetitions, /):
    """The array several times along its axes."""
    return np.tile(x, repetitions)


def unstack(x, /, *, axis=0):
    """The parts of an array along an axis."""
    if x.ndim == 0:
        raise ValueError("unstack: the array needs one axis at least")
    return tuple(np.moveaxis(x, axis, 0))
