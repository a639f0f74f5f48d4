# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's masked arrays: its own names, which take our arrays. The elements of a distributed one come here, if `config.gather_limit`
allows it."""
import numpy.ma
from numpy.ma import *  # noqa: F403


def __getattr__(name):
    return getattr(numpy.ma, name)
