# SPDX-License-Identifier: BSD-3-Clause
"""One axis of a distributed array, transformed: lines that one engine can hold go to it whole (_lines.py), few long ones go
to all (_long.py). Which of the two is decided by the shape alone, so the bits do not depend on the engines."""

import math

from . import _lines, _long


def transform(a, n, axis, kind, factor=1.0):
    """The transform of length n along an axis, cut to length or filled up with zeros, times a number."""
    if a.shape[axis] > _lines.needed(kind, n):
        a = a[(slice(None),) * axis + (slice(_lines.needed(kind, n)),)]
    lines = math.prod(extent for k, extent in enumerate(a.shape) if k != axis)
    if n >= _lines.long_line and 0 < lines < _lines.few_lines and a.shape[axis] > 0:
        return _long.transform(a, n, axis, kind, factor)
    return _lines.record(a, n, axis, kind, factor)
