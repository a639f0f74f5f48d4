# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft's transforms over several axes: one after another, in NumPy's order. Between two axes the elements go to the
engines that need their lines next."""
import numpy

from .._creation import asarray
from .._local import call_numpy, is_distributed
from ._transforms import fft, ifft, irfft, rfft


def _lengths_and_axes(a, s, axes, is_real_backward=False):
    given = s is not None
    if not given:
        s = a.shape if axes is None else numpy.take(a.shape, axes)
    s = [int(extent) for extent in s] if not given else list(s)
    axes = list(range(-len(s), 0)) if axes is None else list(axes)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if is_real_backward and not given:
        s[-1] = (a.shape[axes[-1]] - 1) * 2
    return s, axes


def _function(name, default_axes, doc):
    """`inner` transforms all axes (fftn, ifftn), or all but the last, which `last` does: first (rfftn) or last (irfftn)."""
    is_real, is_inverse = name.endswith(("rfftn", "rfft2")), name.startswith("i")
    inner = ifft if is_inverse else fft

    def over_axes(a, s, axes, norm):
        a = asarray(a)
        if not is_distributed(a):
            return call_numpy(getattr(numpy.fft, name), f"fft.{name}", (a, s, axes, norm), {})
        s, axes = _lengths_and_axes(a, s, axes, is_real and is_inverse)
        if not is_real:
            for n, axis in zip(s[::-1], axes[::-1]):
                a = inner(a, n, axis, norm)
            return a
        if not is_inverse:
            a = rfft(a, s[-1], axes[-1], norm)
        for n, axis in zip(s[:-1], axes[:-1]):
            a = inner(a, n, axis, norm)
        return irfft(a, s[-1], axes[-1], norm) if is_inverse else a

    if default_axes is None:
        def function(a, s=None, axes=None, norm=None):
            return over_axes(a, s, axes, norm)
    else:
        def function(a, s=None, axes=default_axes, norm=None):
            return over_axes(a, s, axes, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n    See Also\n    --------\n    numpy.fft.{name}\n    "
    return function


fftn = _function("fftn", None, "The discrete Fourier transform over several axes, all by default.")
ifftn = _function("ifftn", None, "The inverse of `fftn`.")
rfftn = _function("rfftn", None, "As `fftn` for real numbers: of the last axis the first half and one.")
irfftn = _function("irfftn", None, "The inverse of `rfftn`.")
fft2 = _function("fft2", (-2, -1), "The discrete Fourier transform over two axes, the last ones by default.")
ifft2 = _function("ifft2", (-2, -1), "The inverse of `fft2`.")
rfft2 = _function("rfft2", (-2, -1), "As `fft2` for real numbers: of the last axis the first half and one.")
irfft2 = _function("irfft2", (-2, -1), "The inverse of `rfft2`.")
