# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's names for annotations: its own names, which take our arrays. The elements of a distributed one come here, if
`config.gather_limit`
allows it."""

import numpy.typing
from numpy.typing import *  # noqa: F403


def __getattr__(name):
    return getattr(numpy.typing, name)
