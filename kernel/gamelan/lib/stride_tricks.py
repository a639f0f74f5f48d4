# SPDX-License-Identifier: BSD-3-Clause
"""Views with strides of one's own, as `numpy.lib.stride_tricks`."""

from .._views._plain import broadcast_arrays, broadcast_to
from .._views._windows import as_strided, sliding_window_view

__all__ = ["as_strided", "broadcast_arrays", "broadcast_to", "sliding_window_view"]
