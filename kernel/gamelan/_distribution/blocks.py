# SPDX-License-Identifier: BSD-3-Clause
"""The block of an array that a rank has, as slices and as a NumPy array: what users of Global Arrays call the local part."""

import numpy

from .. import _core
from .._errors import unimplemented
from .._local import is_distributed
from .redistribution import base_layout


def local_box(array, rank):
    """The part of a distributed array that lies with a rank, as slices: `x[x.local_box(2)]`. Empty ones where it has none.

    Asks the engines. An array that is here lies with nobody: ValueError.
    """
    if not is_distributed(array):
        raise ValueError("this array is here, not on the engines")
    ranks = _core.ranks() or 1
    if not 0 <= rank < ranks:
        raise IndexError(f"rank {rank} is out of bounds for {ranks} engines")
    layout = base_layout(array)
    if layout["replicated"]:
        return tuple(slice(0, extent) for extent in array.shape)
    if tuple(layout["extents"]) != array.shape:
        raise unimplemented(
            "local_box of an array whose blocks lie with the ranks in turns (cyclic)",
            "no rank has one box of it; np.redistribute(x, np.distribution.block(...)) gives each rank one",
        )
    place = rank - layout["first_rank"]
    if not 0 <= place < numpy.prod([axis["parts"] for axis in layout["axes"]]):
        return tuple(slice(0, 0) for _ in array.shape)
    box = []
    for axis in layout["axes"]:
        coordinate = place // axis["rank_stride"] % axis["parts"]
        if coordinate + 1 >= len(axis["cuts"]):
            raise unimplemented(f"local_box beyond the {len(axis['cuts']) - 1} first blocks of an axis")
        box.append(slice(axis["cuts"][coordinate], axis["cuts"][coordinate + 1]))
    return tuple(box)


def local_part(array, rank):
    """What a rank has of an array, as a NumPy array of yours: a copy, of at most `config.gather_limit` elements.

    Triggers evaluation. To write there, assign to `x[x.local_box(rank)]`.
    """
    return numpy.array(numpy.asarray(array[local_box(array, rank)]))
