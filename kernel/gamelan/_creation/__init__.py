# SPDX-License-Identifier: BSD-3-Clause
"""New arrays: from a shape, from a rule, from data. Arrays of at least `config.distribute_from` elements live on the
engines from the start; their elements are made there."""

from ._concatenators import c_, r_
from ._diagonals import diag, eye, identity
from ._filled import empty, filled, full, ones, zeros
from ._from_data import (
    array,
    asarray,
    asarray_chkfinite,
    ascontiguousarray,
    asfarray,
    asfortranarray,
    copy,
    require,
)
from ._grids import fromfunction, indices, meshgrid
from ._like import empty_like, full_like, ones_like, zeros_like
from ._log_ranges import geomspace, logspace
from ._makers import mgrid, ogrid
from ._powers import vander
from ._ranges import arange, linspace, sequence

__all__ = [name for name in globals() if not name.startswith("_")]
