# SPDX-License-Identifier: BSD-3-Clause
"""The Fourier extension of the array-API standard: gamelan's functions with the standard's signatures; single precision
stays single, where NumPy 1.x computes in double."""

import numpy

from .. import _catalogue as np
from .._arguments import check_device

__all__ = [
    "fft",
    "ifft",
    "fftn",
    "ifftn",
    "rfft",
    "irfft",
    "rfftn",
    "irfftn",
    "hfft",
    "ihfft",
    "fftfreq",
    "rfftfreq",
    "fftshift",
    "ifftshift",
]

_REAL_RESULT = ("irfft", "irfftn", "hfft")


def _precise(result, x, name):
    single = x.dtype in (numpy.float32, numpy.complex64)
    return result.astype(numpy.float32 if name in _REAL_RESULT else numpy.complex64, copy=False) if single else result


def _one_axis(name):
    def function(x, /, *, n=None, axis=-1, norm="backward"):
        return _precise(getattr(np.fft, name)(x, n=n, axis=axis, norm=norm), x, name)

    return function


def _more_axes(name):
    def function(x, /, *, s=None, axes=None, norm="backward"):
        return _precise(getattr(np.fft, name)(x, s=s, axes=axes, norm=norm), x, name)

    return function


def _build():
    for make, names in (
        (_one_axis, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
        (_more_axes, ("fftn", "ifftn", "rfftn", "irfftn")),
    ):
        for name in names:
            function = make(name)
            function.__name__ = function.__qualname__ = name
            function.__doc__ = f"As `gamelan.fft.{name}`; single precision stays single."
            globals()[name] = function


_build()


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of `fft`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array_api.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    check_device(device)
    return np.asarray(np.fft.fftfreq(n, d), dtype)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of `rfft`."""
    check_device(device)
    return np.asarray(np.fft.rfftfreq(n, d), dtype)


def fftshift(x, /, *, axes=None):
    """The zero frequency moved to the middle."""
    return np.fft.fftshift(x, axes=axes)


def ifftshift(x, /, *, axes=None):
    """What `fftshift` moved, moved back."""
    return np.fft.ifftshift(x, axes=axes)
