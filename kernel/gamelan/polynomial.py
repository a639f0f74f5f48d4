# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's polynomials in several bases: its functions take arrays that are here, and refuse distributed ones by name; its
classes are NumPy's own."""

import numpy.polynomial

from ._local import forwarded

__all__ = list(numpy.polynomial.__all__)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return forwarded(numpy.polynomial, name, "polynomial.")
