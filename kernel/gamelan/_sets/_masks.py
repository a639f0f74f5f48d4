# SPDX-License-Identifier: BSD-3-Clause
"""The elements where a mask holds. A running count says where each goes; those that do not stay go behind them, which keeps
every engine's share of the writes equal."""
import numpy

from .. import _core
from .._creation import arange, filled
from .._creation._from_data import copy_of
from .._promotion import OPS, dtype_number

_LEAST_REST = 1 << 16


def counted(mask):
    """How many are True. Triggers evaluation: one round trip."""
    return int(mask.sum()) if mask.size else 0


def kept_where(array, mask, count=None):
    """array[mask] of two distributed arrays of one dimension; `count`: how many are True, if that is known."""
    count = counted(mask) if count is None else count
    if count in (0, array.size):
        return copy_of(array[:count])
    return copy_of(_moved(mask, count, array)[:count])


def places_where(mask, count=None):
    """The indices at which a distributed mask of one dimension holds, ascending."""
    count = counted(mask) if count is None else count
    places = arange(mask.size, dtype=numpy.intp)
    if count in (0, mask.size):
        return places[:count]
    return copy_of(_moved(mask, count, places)[:count])


def _moved(mask, count, values):
    """The values at True in their order, and behind them some of the others."""
    dtype = numpy.dtype(numpy.int32 if mask.size < 2**30 else numpy.int64)  # half the memory
    before = mask.cumsum(dtype=dtype)
    number = dtype_number(dtype)
    own = arange(mask.size, dtype=dtype)
    # What does not stay may overwrite each other, but not in one place: that would be one engine's work alone.
    rest = min(mask.size - count, max(count, _LEAST_REST))
    targets = _core.apply(OPS["where"], number, number, (mask, before - 1, (own - before) % rest + count), None)
    result = filled((count + rest,), values.dtype, 0)
    _core.record(OPS["put"], dtype_number(values.dtype), result, False, (targets, values), ())
    return result
