# SPDX-License-Identifier: BSD-3-Clause
"""block: nested lists of arrays as one array, the innermost lists along the last axis."""

from .._creation._from_data import array, asarray
from .._imported_numpy import BLOCKS_TAKE_SUBCLASSES
from ._join import concatenate

__all__ = ["block"]


def _is_list(item):
    return isinstance(item, list) if BLOCKS_TAKE_SUBCLASSES else type(item) is list


def _depth(item, path):
    """How deep the lists are nested; ValueError when they are not all equally deep."""
    if type(item) is tuple or BLOCKS_TAKE_SUBCLASSES and isinstance(item, tuple):
        raise TypeError(
            f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow "
            "implicit conversion from tuple to ndarray."
        )
    if not _is_list(item):
        return 0
    if not item:
        raise ValueError(f"List at {path} cannot be empty")
    depths = {_depth(each, f"{path}[{place}]") for place, each in enumerate(item)}
    if len(depths) > 1:
        raise ValueError(f"List depths are mismatched below {path}")
    return depths.pop() + 1


def _leaves(item):
    if not _is_list(item):
        yield asarray(item)
        return
    for each in item:
        yield from _leaves(each)


def _joined(item, depth, dims):
    """The item as one array of `dims` axes: lists of that depth run along axis -depth."""
    if depth == 0:
        return array(item, copy=None, ndmin=dims)
    return concatenate([_joined(each, depth - 1, dims) for each in item], -depth)


def block(arrays):
    """Assemble an array from nested lists of blocks.

    Examples
    --------
    >>> import gamelan as np
    >>> np.block([[np.eye(1), np.zeros((1, 2))], [np.ones((1, 3))]]).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    """
    depth = _depth(arrays, "arrays")
    dims = max(depth, *(leaf.ndim for leaf in _leaves(arrays)), 0)
    result = _joined(arrays, depth, dims)
    return result.copy() if depth == 0 else result
