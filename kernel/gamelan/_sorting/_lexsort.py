# SPDX-License-Identifier: BSD-3-Clause
"""lexsort: one stable argsort after the other, from the least key to the first."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._folds._bounds import remember
from .._imported_numpy import normalize_axis_index
from .._local import call_numpy, has_distributed, is_distributed
from ._along import taken_along
from ._sort import argsort

__all__ = ["lexsort"]


def lexsort(keys, axis=-1):
    """The indices that sort by several keys, of which the last is the primary one.

    Examples
    --------
    >>> import gamelan as np
    >>> np.lexsort(([3, 1, 2], [0, 1, 0])).tolist()
    [2, 0, 1]
    """
    if not has_distributed((keys,)):
        return call_numpy(numpy.lexsort, "lexsort", (keys, axis), {})
    if _core.is_ours(keys) and keys.ndim == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    keys = [asarray(key) for key in (keys if isinstance(keys, (list, tuple)) else [keys[place] for place in range(len(keys))])]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    if keys[0].ndim == 0:
        normalize_axis_index(axis, 1)
        return filled((), numpy.intp, 0)
    axis = normalize_axis_index(axis, keys[0].ndim)
    keys = [key if is_distributed(key) else _core.upload(numpy.asarray(key)) for key in keys]
    places = argsort(keys[0], axis)
    if keys[0].size == 0:
        return places
    for key in keys[1:]:
        places = taken_along(places, argsort(taken_along(key, places, axis), axis), axis)
        remember(places, 0, key.shape[axis] - 1)
    return places
