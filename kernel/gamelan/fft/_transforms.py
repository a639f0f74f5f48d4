# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft's transforms along one axis. Norms, lengths and errors are NumPy's; results are complex128 or float64."""

import math
import operator
import warnings

import numpy

from .._creation._from_data import asarray
from .._imported_numpy import ComplexWarning, normalize_axis_index
from .._local import call_numpy, is_distributed
from .._ufuncs._objects import PUBLIC
from ._lines import BACKWARD, FORWARD, REAL_BACKWARD, REAL_FORWARD
from ._one_axis import transform

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]

conjugate = PUBLIC["conjugate"]

_SWAPPED = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}


def _bad_norm(norm):
    return ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


def _factor(n, norm, is_forward):
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    if norm not in _SWAPPED:
        raise _bad_norm(norm)
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1.0 if is_forward == (norm in (None, "backward")) else 1 / n


def _transform(name, a, n, axis, norm, kind):
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(getattr(numpy.fft, name), f"fft.{name}", (a, n, axis, norm), {})
    if n is None:
        n = a.shape[axis]  # IndexError, as NumPy has it
        if kind == REAL_BACKWARD:
            n = (n - 1) * 2
    factor = _factor(n, norm, kind in (FORWARD, REAL_FORWARD))
    n = operator.index(n)
    axis = normalize_axis_index(axis, a.ndim)
    if kind == REAL_FORWARD and a.dtype.kind == "c":
        warnings.warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=3)
        a = a.real
    return transform(a, n, axis, kind, factor)


def fft(a, n=None, axis=-1, norm=None):
    """The discrete Fourier transform along an axis.

    Lazy. Each line is transformed by one engine, with FFTW. A few long lines are spread over all engines, which takes the
    memory of a second copy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.fft.fft([1, 0, 0, 0]).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _transform("fft", a, n, axis, norm, FORWARD)


def ifft(a, n=None, axis=-1, norm=None):
    """The inverse discrete Fourier transform along an axis."""
    return _transform("ifft", a, n, axis, norm, BACKWARD)


def rfft(a, n=None, axis=-1, norm=None):
    """The discrete Fourier transform of real input along an axis."""
    return _transform("rfft", a, n, axis, norm, REAL_FORWARD)


def irfft(a, n=None, axis=-1, norm=None):
    """The inverse of `rfft`, with a real result."""
    return _transform("irfft", a, n, axis, norm, REAL_BACKWARD)


def _swapped(norm):
    if norm not in _SWAPPED:
        raise _bad_norm(norm)
    return _SWAPPED[norm]


def hfft(a, n=None, axis=-1, norm=None):
    """The discrete Fourier transform of a signal with Hermitian symmetry, with a real result."""
    a = asarray(a)
    if n is None:
        n = (a.shape[axis] - 1) * 2
    return irfft(conjugate(a), n, axis, _swapped(norm))


def ihfft(a, n=None, axis=-1, norm=None):
    """The inverse of `hfft`."""
    a = asarray(a)
    if n is None:
        n = a.shape[axis]
    return conjugate(rfft(a, n, axis, _swapped(norm)))
