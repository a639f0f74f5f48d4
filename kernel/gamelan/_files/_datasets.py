# SPDX-License-Identifier: BSD-3-Clause
"""Parts of datasets in chunks: the engines find, unpack and place the elements; this side says which."""

import math

import numpy

from .. import _core
from .._creation._filled import filled
from .._promotion import OPS, dtype_number
from ._pieces import about, settled


def read_part(row, dtype, part, inputs, facts, payload, path, per_axis=()):
    """The elements of a Selection with an axis, by the row `row` of the op table."""
    native = numpy.dtype(dtype).newbyteorder("=")
    if math.prod(part.extents) == 0:
        return filled(tuple(part.extents), native, 0)[part.after]
    _core.flush(True)  # what the program did before has its own errors
    number = dtype_number(native)
    result = _core.empty(tuple(part.extents), number)
    _core.record_file(OPS[row], number, result, inputs, (*facts, *part.start, *part.step, *per_axis), payload)
    with about(path):
        _core.flush(True)
    return settled(result)[part.after]
