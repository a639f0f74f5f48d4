# SPDX-License-Identifier: BSD-3-Clause
"""Everything that names elements: subscripts, take and put, nonzero, masks, triangles. Subscripts are hooks of `_core`, so
importing this package makes them work.

_keys reads what stands in the brackets, _subscripts tells views from data, _arrays gets and sets by index arrays and masks;
_gather and _positions are the engines' operations below them, the other modules NumPy's functions above."""

from . import _subscripts  # noqa: F401  (the hooks)
from ._diagonals import diag_indices, diag_indices_from, diagflat, fill_diagonal
from ._flat import flatiter, ndenumerate
from ._masks import compress, extract, place, putmask
from ._nonzero import argwhere, count_nonzero, flatnonzero, nonzero
from ._selecting import choose, piecewise, select
from ._take_put import put, put_along_axis, take, take_along_axis
from ._triangles import (
    mask_indices,
    tri,
    tril,
    tril_indices,
    tril_indices_from,
    triu,
    triu_indices,
    triu_indices_from,
)
from ._unravel import ix_, ravel_multi_index, unravel_index

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "count_nonzero",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "extract",
    "fill_diagonal",
    "flatiter",
    "flatnonzero",
    "ix_",
    "mask_indices",
    "ndenumerate",
    "nonzero",
    "piecewise",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]
