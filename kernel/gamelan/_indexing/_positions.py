# SPDX-License-Identifier: BSD-3-Clause
"""Where a mask is true: as positions in its flattened form, or the rows of an array there. How many there are is asked
of the engines (one round trip), because shapes are always known here."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray, copy_of
from .._creation._ranges import arange
from .._folds._bounds import is_whole, remember
from .._folds._reductions import reduce
from .._local import is_distributed
from .._promotion import OPS, dtype_number
from .._views._reshape import ravel, reshape
from ._gather import distributed

_INTP = numpy.dtype(numpy.intp)


def count_of(mask):
    """How many elements of an array of bools are true. Triggers evaluation where they are distributed."""
    if not is_distributed(mask):
        return int(numpy.count_nonzero(numpy.asarray(mask)))
    if not mask.size:
        return 0
    is_remembered = is_whole(mask)
    known = mask._b.index_range if is_remembered else None
    if known is not None and known[:2] == (mask._b.version, "count"):
        return known[2]
    count = int(_core.fetch([reduce("sum", mask, dtype=_INTP)])[0])
    if is_remembered:
        mask._b.index_range = (mask._b.version, "count", count)
    return count


def positions_of(mask, count=None):
    """The flat positions at which an array of bools is true, in C order: here for a small mask, else on the engines. `count`
    says how many are true, where that is known."""
    if not is_distributed(mask):
        return asarray(numpy.flatnonzero(numpy.asarray(mask)))
    count = count_of(mask) if count is None else count
    if count == mask.size or count == 0:
        return arange(count, dtype=_INTP) if count else filled((0,), _INTP, 0)
    result = _core.empty((count,), dtype_number(_INTP), mask)
    _core.record(OPS["nonzero"], dtype_number(mask.dtype), result, True, (ravel(mask),), ())
    remember_inside(result, mask.size)
    return result


def row_of(array):
    """The elements in one dimension, in C order; a copy where no view has them."""
    return array if array.ndim == 1 else ravel(array)


def rows_of(array, dims):
    """The array with its first axes, `dims` of them, merged into one; a copy where no view has that shape."""
    return array if dims == 1 else reshape(array, (-1, *array.shape[dims:]))


def selected(array, mask, count=None):
    """array[mask]: the elements, or what stands along further axes, where a mask of the array's first axes is true; in C order,
    a new array. One pass over both. `count` says how many are true, where that is known."""
    count = count_of(mask) if count is None else count
    rest = array.shape[mask.ndim :]
    if count == 0 or 0 in rest:
        return filled((count, *rest), array.dtype, 0)
    if count == mask.size:
        return copy_of(rows_of(array, mask.ndim))
    result = _core.empty((count, *rest), dtype_number(array.dtype), array)
    number = dtype_number(mask.dtype)
    _core.record(OPS["nonzero"], number, result, True, (row_of(distributed(mask)), rows_of(array, mask.ndim)), ())
    return result


def remember_inside(index, extent):
    """Notes that the numbers of a new index lie in [0, extent), so that nobody asks the engines again."""
    if is_distributed(index) and extent:
        remember(index, 0, extent - 1)
