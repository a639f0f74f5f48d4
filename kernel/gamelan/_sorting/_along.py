# SPDX-License-Identifier: BSD-3-Clause
"""Elements along one axis at the places that an argsort gave: an index per element, as one flat index."""

import numpy

from .._creation._ranges import arange
from .._indexing._take_put import take
from .._views._plain import moveaxis
from .._views._reshape import ravel, reshape


def taken_along(a, places, axis):
    """a.take_along_axis(places, axis) for places inside, of the shape of `a` but for that axis."""
    if a.ndim == 1:
        return take(a, places)
    rows, places = moveaxis(a, axis, -1), moveaxis(places, axis, -1)
    extent = rows.shape[-1]
    starts = arange(rows.size // extent if extent else 0, dtype=numpy.intp) * extent
    flat = places + reshape(starts, rows.shape[:-1] + (1,))
    return moveaxis(reshape(take(ravel(rows), ravel(flat)), places.shape), -1, axis)
