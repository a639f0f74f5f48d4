# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft for distributed arrays: FFTW's transforms of whole lines on the engines, our own copies between the axes."""

from .._errors import MissingName as _MissingName
from ._frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from ._many import fft2, fftn, ifft2, ifftn, irfft2, irfftn, rfft2, rfftn
from ._transforms import fft, hfft, ifft, ihfft, irfft, rfft

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def __getattr__(name):
    raise _MissingName("gamelan.fft", name)
