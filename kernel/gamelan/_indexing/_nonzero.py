# SPDX-License-Identifier: BSD-3-Clause
"""Where elements are not zero, and how many are."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._imported_numpy import NO_AXES_NO_NONZERO
from .._local import call_numpy, is_distributed
from .._ufuncs._logic import truth_of
from .._views._join import stack
from .._views._plain import transpose
from .._views._reshape import ravel
from ._positions import positions_of, remember_inside

__all__ = ["argwhere", "count_nonzero", "flatnonzero", "nonzero"]


def unraveled(positions, shape):
    """Flat positions in C order as one index per axis, of one axis themselves; they are known to be inside."""
    indices = []
    after = 1
    for axis in range(len(shape) - 1, -1, -1):
        index = positions if after == 1 else positions // after
        if axis:
            index = index % shape[axis]
        after *= max(shape[axis], 1)
        remember_inside(index, shape[axis])
        indices.append(index)
    return tuple(indices[::-1])


def flatnonzero(a):
    """The indices in the flattened array of the elements that are not zero.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.flatnonzero([0, 3, 0, 4]).tolist()
    [1, 3]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.flatnonzero, "flatnonzero", (a,), {})
    return positions_of(truth_of(ravel(a)))


def nonzero(a):
    """The indices of the elements that are not zero, one array for each axis.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> [index.tolist() for index in np.nonzero([[0, 3], [4, 0]])]
    [[0, 1], [1, 0]]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.nonzero, "nonzero", (a,), {})
    if a.ndim == 0:
        if NO_AXES_NO_NONZERO:
            numpy.nonzero(numpy.empty(()))  # for its error
        _core.warn(DeprecationWarning, "Calling nonzero on 0d arrays is deprecated: use `atleast_1d(a).nonzero()`")
    return unraveled(flatnonzero(a), a.shape or (1,))


def argwhere(a):
    """The indices of the elements that are not zero, one row for each element.

    Triggers evaluation: the number of rows depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.argwhere([[0, 3], [4, 0]]).tolist()
    [[0, 1], [1, 0]]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.argwhere, "argwhere", (a,), {})
    if a.ndim == 0:
        return transpose(asarray(numpy.empty((0, int(bool(a))), numpy.intp)))
    return transpose(stack(nonzero(a)))


def count_nonzero(a, axis=None, *, keepdims=False):
    """Count the elements that are not zero.

    Without `axis` the result is a Python int, and the call triggers evaluation. With `axis` it is lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.count_nonzero([[0, 3, 1], [4, 0, 0]], axis=1).tolist()
    [2, 1]
    """
    a = asarray(a)
    if not is_distributed(a):
        result = numpy.count_nonzero(a._a, axis, keepdims=keepdims)
        return result if isinstance(result, int) else _core.wrap(result)
    if axis is None and not keepdims:
        return int(reduce("sum", truth_of(a), None, numpy.intp))
    return reduce("sum", truth_of(a), axis, numpy.intp, keepdims=keepdims)
