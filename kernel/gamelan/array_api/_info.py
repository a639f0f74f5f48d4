# SPDX-License-Identifier: BSD-3-Clause
"""What a library may ask about the namespace: devices, dtypes, abilities (the standard's inspection functions). There is
one device: small arrays and distributed ones mix freely, and engines compute on processors."""

import numpy

from .._arguments import DEVICE, check_device
from . import _dtypes


class Info:
    """The answer of `__array_namespace_info__`."""

    def capabilities(self):
        """What of the standard's optional behaviour is there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        """The device where arrays are made."""
        return DEVICE

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays made without one."""
        check_device(device)
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: numpy.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes there are, of one kind or a tuple of kinds."""
        check_device(device)
        kinds = (kind,) if isinstance(kind, str) else kind or ("bool", "numeric")
        unknown = [each for each in kinds if each not in _dtypes.KINDS]
        if unknown:
            raise ValueError(f"got the kind {unknown[0]!r}, expected one of {', '.join(_dtypes.KINDS)}")
        return {dtype.name: dtype for each in kinds for dtype in _dtypes.KINDS[each]}

    def devices(self):
        """All devices."""
        return [DEVICE]


def __array_namespace_info__():
    """Devices, dtypes and abilities of this namespace."""
    return Info()
