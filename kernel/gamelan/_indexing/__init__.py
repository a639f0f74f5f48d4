# SPDX-License-Identifier: BSD-3-Clause
"""Everything that names elements: subscripts, take and put, nonzero, masks, triangles. Subscripts are hooks of `_core`, so
importing this package makes them work.

_keys reads what stands in the brackets, _subscripts tells views from data, _arrays gets and sets by index arrays and masks;
_gather and _positions are the engines' operations below them, the other modules NumPy's functions above."""

from . import _subscripts
