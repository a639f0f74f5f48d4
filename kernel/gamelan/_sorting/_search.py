# SPDX-License-Identifier: BSD-3-Clause
"""The engines' search in a sorted row: every one has a copy while it searches, so the row may not be long. In a long one they
search in every k-th element first, then halve what is left, all values at once."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._indexing._gather import distributed, take_along
from .._promotion import OPS, dtype_number
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._reshape import reshape

LONGEST_COPY = 1 << 20  # elements: 8 MB for each engine


def search(table, values, side, dtype):
    """Where the elements of `values` go in a sorted row, compared as `dtype`: int64, of the shape of `values`."""
    length = table.shape[0]
    if length == 0 or values.size == 0:
        return filled(values.shape, numpy.intp, 0)
    if length <= LONGEST_COPY:
        return _search_copy(table, values, side, dtype)
    step = -(-length // LONGEST_COPY)
    # Of the answer is known: beyond the last sample that comes before the value, at the next sample or before it.
    samples = _search_copy(table[::step], values, side, dtype)
    low = either(samples == 0, 0, (samples - 1) * step + 1)
    high = PUBLIC["minimum"](samples * step, length)
    values = values if values.dtype == dtype else values.astype(dtype)
    for _ in range(step.bit_length()):
        middle = (low + high) // 2
        element = take_along(table, reshape(PUBLIC["minimum"](middle, length - 1), (values.size,)), 0)
        is_before = _comes_before(reshape(element, values.shape), values, side) & (low < high)
        low, high = either(is_before, middle + 1, low), either(is_before, high, middle)
    return low


def _comes_before(element, value, side):
    """In NumPy's order, in which NaN is last."""
    if side == "right":
        before = element <= value
        return before | (value != value) if value.dtype.kind in "fc" else before
    before = element < value
    return before | ((value != value) & (element == element)) if value.dtype.kind in "fc" else before


def _search_copy(table, values, side, dtype):
    row = reshape(values, (values.size,))
    result = _core.empty(row.shape, dtype_number(numpy.intp), distributed(row))
    _core.record(
        OPS["searchsorted"], dtype_number(dtype), result, True, (distributed(table), distributed(row)), (int(side == "right"),)
    )
    return _core.reshape_view(result, values.shape)
