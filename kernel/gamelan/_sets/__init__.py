# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as sets: distinct elements, membership, union and difference. Equal elements are neighbours once they are sorted; what
stays is then known by comparing neighbours, where they lie."""

from ._membership import in1d, isin
from ._operations import intersect1d, setdiff1d, setxor1d, union1d
from ._unique import unique

__all__ = ["in1d", "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique"]
