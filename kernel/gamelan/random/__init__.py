# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers that depend on the seed alone: not on the number of engines, nor on where an array lives.

A counter-based generator (Philox4x32-10): element i of a draw is a function of the key, which comes from the seed through
`numpy.random.SeedSequence`, and of the count of numbers drawn before it. What needs more than one random number (gamma,
Poisson, ...) has a substream per element. The streams are not NumPy's.
"""

import numpy as _numpy
from numpy.random import SeedSequence, bit_generator

from .._errors import MissingName as _MissingName, NotImplementedName as _NotImplementedName
from ._bits import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox
from ._generator import Generator, default_rng
from ._legacy import FUNCTIONS as _FUNCTIONS, RandomState, get_bit_generator, set_bit_generator

globals().update(_FUNCTIONS)
ranf = sample = _FUNCTIONS["random_sample"]

__all__ = [
    "BitGenerator",
    "Generator",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "RandomState",
    "SFC64",
    "SeedSequence",
    "bit_generator",
    "default_rng",
    "get_bit_generator",
    "ranf",
    "sample",
    "set_bit_generator",
    *_FUNCTIONS,
]


def __dir__():
    return sorted(__all__)


def __getattr__(name):
    if hasattr(_numpy.random, name) and not name.startswith("_"):
        raise _NotImplementedName(f"gamelan.random.{name} is not implemented yet")
    raise _MissingName("gamelan.random", name)
