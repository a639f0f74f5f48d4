# SPDX-License-Identifier: BSD-3-Clause
"""A line of n1 * n2 elements as a matrix: its columns are transformed, multiplied by roots of unity, then its rows, and the
result stands there transposed (Gentleman and Sande's four steps, 1966)."""

import math

from .._views._reshape import reshape
from . import _lines

least_factor = 32  # so many engines at least share the work of both passes


def factors(n):
    """n1 <= n2 with n1 * n2 = n, as near to each other as can be."""
    for small in range(math.isqrt(n), 0, -1):
        if n % small == 0:
            return small, n // small


def can_be_cut(n):
    """True for a length with factors that share the work."""
    return factors(n)[0] >= least_factor


def good_length(least):
    """The first length from `least` on that is a small number of threes, fives and sevens times a power of two."""
    return min(odd << max((-(-least // odd) - 1).bit_length(), 0) for odd in (1, 3, 5, 7, 9, 15, 21, 25, 27))


def transposed(a, n, kind, factor=1.0):
    """The transform along the last axis; element k1 + n1 * k2 of it stands at [k1, k2]."""
    n1, n2 = factors(n)
    matrix = reshape(a, a.shape[:-1] + (n1, n2))
    columns = _lines.record(matrix, n1, matrix.ndim - 2, kind, factor, n)
    return _lines.record(columns, n2, matrix.ndim - 1, kind)


def back(rows, n, kind, factor):
    """The way back from what `transposed` gives, in order again."""
    n1, n2 = factors(n)
    matrix = rows.swapaxes(-1, -2)
    columns = _lines.record(matrix, n2, matrix.ndim - 2, kind, factor, n)
    line = _lines.record(columns, n1, matrix.ndim - 1, kind)
    return reshape(line.swapaxes(-1, -2), rows.shape[:-2] + (n,))
