# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers that depend on the seed alone: not on the number of engines, nor on where an array lives.

A counter-based generator (Philox4x32-10): element i of a draw is a function of the key, which comes from the seed through
`numpy.random.SeedSequence`, and of the count of numbers drawn before it. What needs more than one random number (gamma,
Poisson, ...) has a substream per element. The streams are not NumPy's.
"""

import numpy as _numpy
from numpy.random import SeedSequence, bit_generator

from .._errors import MissingName as _MissingName, NotImplementedName as _NotImplementedName
from . import _bits, _generator, _legacy
from ._bits import *
from ._generator import *
from ._legacy import *
from ._legacy import FUNCTIONS as _FUNCTIONS

globals().update(_FUNCTIONS)

__all__ = ["SeedSequence", "bit_generator", *_bits.__all__, *_generator.__all__, *_legacy.__all__, *_FUNCTIONS]


def __dir__():
    return sorted(__all__)


def __getattr__(name):
    if hasattr(_numpy.random, name) and not name.startswith("_"):
        raise _NotImplementedName(f"gamelan.random.{name} is not implemented yet")
    raise _MissingName("gamelan.random", name)
