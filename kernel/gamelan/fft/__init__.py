# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft for distributed arrays: FFTW's transforms of whole lines on the engines, our own copies between the axes."""

from .._errors import MissingName as _MissingName
from . import _frequencies, _many, _transforms
from ._frequencies import *
from ._many import *
from ._transforms import *

__all__ = [*_frequencies.__all__, *_many.__all__, *_transforms.__all__]


def __getattr__(name):
    raise _MissingName("gamelan.fft", name)
