# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's masked arrays: its functions take arrays that are here, and refuse distributed ones by name; its classes are
NumPy's own."""

import numpy.ma

from ._local import forwarded

__all__ = list(numpy.ma.__all__)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return forwarded(numpy.ma, name, "ma.")
