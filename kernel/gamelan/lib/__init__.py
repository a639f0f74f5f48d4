# SPDX-License-Identifier: BSD-3-Clause
"""What gamelan has of `numpy.lib`: stride_tricks. The functions that NumPy also has one level up are there."""

import numpy as _numpy

from .._errors import MissingName as _MissingName
from .._local import forwarded as _forwarded
from . import stride_tricks

__all__ = ["stride_tricks"]


def __getattr__(name):
    if not name.startswith("_") and hasattr(_numpy.lib, name):
        return _forwarded(_numpy.lib, name, "lib.")
    raise _MissingName("gamelan.lib", name)
