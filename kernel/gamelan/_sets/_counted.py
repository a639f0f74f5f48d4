# SPDX-License-Identifier: BSD-3-Clause
"""unique of whole numbers in a narrow range, without a sort: the engines count how often each number of the range occurs.
A short table of counts comes to the notebook, where the rest is less work than a command."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._folds._bounds import extremes
from .._folds._counts import counts_of
from .._indexing._gather import put_along
from .._indexing._positions import positions_of
from .._indexing._take_put import take
from .._local import is_distributed
from ._neighbours import on_engines

_NARROW, _PER_NUMBER = 256, 4  # a range that is always narrow; else elements for each number of it
_MOST = 1 << 18  # numbers: each engine has a table of so many counts, 2 MiB
_SHORT = 1 << 16  # numbers


def counted(row, wanted):
    """The distinct elements of a distributed row, and what is wanted of them; None where the row is no row of whole numbers
    in a narrow range."""
    if row.dtype.kind not in "biu" or not row.size:
        return None
    longest = max(_NARROW, min(_MOST, row.size // _PER_NUMBER))
    low, high = extremes(row, longest)
    if high - low >= longest:
        return None
    if 0 <= low and high < longest:
        low = 0  # there is nothing to subtract
    extent = high - low + 1
    # In a dtype without signs the distance from the least number wraps around to what it is.
    unsigned = numpy.dtype(f"u{row.dtype.itemsize}")
    least = unsigned.type(low % 2 ** (8 * unsigned.itemsize))
    numbers = row.view(unsigned) - least if low else row
    counts = counts_of("bincount", numbers, extent, (numbers,))
    if extent <= _SHORT:
        counts = asarray(_core.fetch([counts])[0])
    occurs = counts > 0
    at = positions_of(occurs)
    values = (at.astype(unsigned) + least).view(row.dtype)
    return values, _extras(numbers, counts, occurs, at, wanted)


def _extras(numbers, counts, occurs, at, wanted):
    return_index, return_inverse, return_counts = wanted
    extras = []
    if return_index or return_inverse:
        numbers = numbers.astype(numpy.intp, copy=False)
    if return_index:
        places = filled(counts.shape, numpy.intp, 0)
        places = places if is_distributed(places) else on_engines(places)
        put_along(places, numbers[::-1], arange(numbers.size - 1, -1, -1), 0)  # what is written last is the first of them
        extras.append(take(places, at))
    if return_inverse:
        extras.append(take(occurs.cumsum(dtype=numpy.intp) - 1, numbers))
    if return_counts:
        extras.append(take(counts, at))
    return extras
