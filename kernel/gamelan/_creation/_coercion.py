# SPDX-License-Identifier: BSD-3-Clause
"""What `_core` computes with in place of an operand that is no array of ours. A hook of `_core`."""

import numpy

from .. import _core
from .._local import decides_itself, has_distributed, ours_of
from .._promotion import is_supported
from ._from_data import asarray


def coerce(value):
    """What `_core` operates on in place of a list or another library's array; NotImplemented lets that library try."""
    if hasattr(type(value), "__gamelan_array__"):
        return value.__gamelan_array__()
    if decides_itself(value) or value is None or isinstance(value, (str, bytes)):
        return NotImplemented
    if isinstance(value, (list, tuple)) and has_distributed(value) or hasattr(type(value), "distributed_elements"):
        return asarray(value)
    try:
        array = numpy.asarray(value)
    except ValueError:
        array = ours_of(value)
        if array is None:
            raise
        return array
    return array if is_supported(array.dtype) else NotImplemented


_core.set_coerce_hook(coerce)
