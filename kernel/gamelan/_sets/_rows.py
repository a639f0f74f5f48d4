# SPDX-License-Identifier: BSD-3-Clause
"""Numbers for the rows of a matrix, in their lexicographic order. Each column's elements are numbered by rank; then the ranks of
neighbouring columns become one number, and are ranked again: as many rounds as the number of columns has binary digits."""

import numpy

from .._creation._filled import filled
from .._sorting._along import taken_along
from .._sorting._sort import argsort, sort
from .._ufuncs._objects import UFUNCS


def _ranks(matrix):
    """For each column of a matrix what the elements' numbers are among the distinct ones of the column; NaN equals NaN."""
    places = argsort(matrix, 0)
    ordered = sort(matrix, 0)
    differ = ordered[1:] != ordered[:-1]
    if matrix.dtype.kind in "fc":
        nans = UFUNCS["isnan"](ordered)
        differ = differ & ~(nans[1:] & nans[:-1])
    numbers = filled(matrix.shape, numpy.int64, 0)
    numbers[1:] = differ.cumsum(0, dtype=numpy.int64)
    return taken_along(numbers, argsort(places, 0), 0)


def numbered_rows(matrix):
    """(a number for each row: equal ones of equal rows, lesser ones of rows that sort before; where a row equals none, not
    even itself, because it holds a NaN, or None)."""
    alone = UFUNCS["isnan"](matrix).any(axis=1) if matrix.dtype.kind in "fc" else None
    ranks = _ranks(matrix)
    while ranks.shape[1] > 1:
        columns = ranks.shape[1]
        pairs = filled((ranks.shape[0], (columns + 1) // 2), numpy.int64, 0)
        pairs[...] = ranks[:, ::2]
        pairs *= ranks.shape[0]
        pairs[:, : columns // 2] += ranks[:, 1::2]
        ranks = _ranks(pairs)
    return ranks[:, 0], alone
