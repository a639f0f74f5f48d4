# SPDX-License-Identifier: BSD-3-Clause
"""How often each number of a range, or each bin of a histogram, occurs. Counts add exactly, so every engine counts its part."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._promotion import OPS, dtype_number


def counts_of(name, array, bins, inputs):
    """The engines' op `name` (bincount, histogram) of a distributed array: int64, one for each of `bins`."""
    if array.size == 0 or bins == 0:
        return filled((bins,), numpy.int64, 0)
    number = dtype_number(numpy.int64)
    result = _core.empty((bins,), number, array)
    _core.record(OPS[name], number, result, True, inputs, ())
    return result
