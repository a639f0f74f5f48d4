# SPDX-License-Identifier: BSD-3-Clause
"""What array-api-tests takes of the package ndindex, which Debian does not have: the indices of shapes that are broadcast.
A stand-in of our own, on the path of that suite only."""

import itertools
from typing import NamedTuple


class Index(NamedTuple):
    """An index, in the one attribute that the suite reads."""

    raw: tuple


def iter_indices(*shapes, skip_axes=()):
    """For every element of the broadcast shape the index into each shape; axes of `skip_axes` are taken whole."""
    skip = (skip_axes,) if isinstance(skip_axes, int) else tuple(skip_axes)
    kept = [[axis for axis in range(len(shape)) if axis not in skip and axis - len(shape) not in skip] for shape in shapes]
    dims = max(map(len, kept), default=0)
    extents = [1] * dims
    for shape, axes in zip(shapes, kept):
        for place, axis in enumerate(reversed(axes), 1):
            extents[-place] = shape[axis] if extents[-place] == 1 else extents[-place]
    for index in itertools.product(*map(range, extents)):
        yield tuple(Index(_into(shape, axes, index)) for shape, axes in zip(shapes, kept))


def _into(shape, axes, index):
    result = [slice(None)] * len(shape)
    for place, axis in enumerate(reversed(axes), 1):
        result[axis] = index[-place] if shape[axis] != 1 else 0
    return tuple(result)
