# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's polynomials in several bases: its own names, which take our arrays. The elements of a distributed one come here, if `config.gather_limit`
allows it."""
import numpy.polynomial
from numpy.polynomial import *  # noqa: F403


def __getattr__(name):
    return getattr(numpy.polynomial, name)
