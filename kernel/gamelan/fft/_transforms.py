# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft's transforms along one axis. Norms, lengths and errors are NumPy's; results are complex128 or float64."""

import functools
import math
import operator
import warnings

import numpy

from .. import _core
from .._creation._casting import astype
from .._creation._from_data import asarray
from .._imported_numpy import TRANSFORMS_CAST, ComplexWarning, normalize_axis_index
from .._local import alone, as_output, call_numpy, has_distributed, is_distributed
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


def _transform(name, a, n, axis, norm, kind, out):
    a = asarray(a)
    if not has_distributed((a, out)):
        return here(name, (a, n, axis, norm), out)
    if n is None:
        n = a.shape[axis]  # IndexError, as NumPy has it
        if kind == REAL_BACKWARD:
            n = (n - 1) * 2
    factor = _factor(n, norm, kind in (FORWARD, REAL_FORWARD))
    if a.dtype == numpy.float16 and _dtype_of(name, a.dtype).itemsize < 16 and _dtype_of(name, a.dtype) != float:
        factor = float(numpy.float16(factor))  # NumPy 2 multiplies by one in the precision of the array
    n = operator.index(n)
    axis = normalize_axis_index(axis, a.ndim)
    if kind == REAL_FORWARD and a.dtype.kind == "c":
        if not TRANSFORMS_CAST:
            numpy.fft.rfft(numpy.zeros(2, a.dtype))  # for its error
        warnings.warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=3)
        a = a.real
    if not is_distributed(a):
        a = _core.upload(numpy.asarray(a))
    return into(astype(transform(a, n, axis, kind, factor), _dtype_of(name, a.dtype), copy=False), out)


@functools.cache
def _dtype_of(name, dtype):
    """The dtype of a transform: NumPy 2 answers single precision in single precision."""
    return getattr(numpy.fft, name)(numpy.zeros(2, dtype)).dtype


def here(name, arguments, out):
    """NumPy's transform of what is here."""
    result = call_numpy(getattr(numpy.fft, name), f"fft.{name}", arguments, {} if out is None else {"out": out})
    return result if out is None else out


def into(result, out):
    """The result, or the output that takes it."""
    if out is None:
        return result
    out = as_output(alone(out))
    if out.shape != result.shape:
        raise ValueError("output array has wrong shape.")
    if not numpy.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {result.dtype!r} to {out.dtype!r} according to the rule 'same_kind'")
    out[...] = result
    return out


def fft(a, n=None, axis=-1, norm=None, out=None):
    """The discrete Fourier transform along an axis.

    Lazy. Each line is transformed by one engine, with FFTW. A few long lines are spread over all engines, which takes the
    memory of a second copy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.fft.fft([1, 0, 0, 0]).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _transform("fft", a, n, axis, norm, FORWARD, out)


def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse discrete Fourier transform along an axis."""
    return _transform("ifft", a, n, axis, norm, BACKWARD, out)


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The discrete Fourier transform of real input along an axis."""
    return _transform("rfft", a, n, axis, norm, REAL_FORWARD, out)


def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `rfft`, with a real result."""
    return _transform("irfft", a, n, axis, norm, REAL_BACKWARD, out)


def _swapped(norm):
    if norm not in _SWAPPED:
        raise _bad_norm(norm)
    return _SWAPPED[norm]


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The discrete Fourier transform of a signal with Hermitian symmetry, with a real result."""
    a = asarray(a)
    if n is None:
        n = (a.shape[axis] - 1) * 2
    return irfft(conjugate(a), n, axis, _swapped(norm), out)


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`."""
    a = asarray(a)
    if n is None:
        n = a.shape[axis]
    return into(conjugate(rfft(a, n, axis, _swapped(norm))), out)
