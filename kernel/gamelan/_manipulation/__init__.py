# SPDX-License-Identifier: BSD-3-Clause
"""Shapes: what can be a view is one, made by NumPy on the proxy; the rest is copied on the engines."""

from .._creation._from_data import copy_of
from ._apply import apply_along_axis, apply_over_axes
from ._block import block
from ._broadcast import broadcast
from ._bytes import byteswap
from ._clip import clip
from ._copyto import copyto
from ._edit import append, delete, insert, trim_zeros
from ._facts import imag, isfortran, ndim, real, shape, size
from ._join import column_stack, concatenate, dstack, hstack, row_stack, stack, vstack
from ._pad import pad
from ._repeat import repeat, tile
from ._reshape import flatten, ravel, reshape, resize, resize_in_place, resolve_shape
from ._roll import roll
from ._views import (
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_to,
    diagonal,
    dsplit,
    expand_dims,
    flip,
    fliplr,
    flipud,
    hsplit,
    moveaxis,
    rollaxis,
    rot90,
    split,
    squeeze,
    swapaxes,
    transpose,
    vsplit,
)

__all__ = [name for name in globals() if not name.startswith("_")]
