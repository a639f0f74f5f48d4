# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft's transforms over several axes: one after another, in NumPy's order. Between two axes the elements go to the
engines that need their lines next. Of real numbers half the result is computed, the rest are the conjugates."""

import itertools

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._local import has_distributed, is_distributed, with_numbers
from .._ufuncs._objects import PUBLIC
from ._transforms import fft, here, ifft, into, irfft, rfft

__all__ = ["fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn"]

conjugate = PUBLIC["conjugate"]


def _lengths_and_axes(a, s, axes, is_real_backward=False):
    given = s is not None
    if not given:
        s = a.shape if axes is None else numpy.take(a.shape, axes)
    s = [int(extent) for extent in s] if not given else list(with_numbers(s))
    axes = list(range(-len(s), 0)) if axes is None else list(with_numbers(axes))
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if is_real_backward and not given:
        s[-1] = (a.shape[axes[-1]] - 1) * 2
    return s, axes


def _has_conjugates(a, axes):
    """True when half of the transform over these axes tells the rest."""
    is_inside = all(-a.ndim <= axis < a.ndim for axis in axes)
    return a.dtype.kind != "c" and len(axes) > 1 and is_inside and len({axis % a.ndim for axis in axes}) == len(axes)


def _completed(half, n, axes):
    """The whole of a transform of real numbers, n long along the last of the axes, of which there is the first half."""
    axes = [axis % half.ndim for axis in axes]
    last, known = axes[-1], n // 2 + 1
    result = filled(half.shape[:last] + (n,) + half.shape[last + 1 :], half.dtype, 0)
    before = (slice(None),) * last
    result[before + (slice(known),)] = half
    # Index 0 is its own opposite, the others stand in reverse.
    pairs = [(slice(0, 1), slice(0, 1)), (slice(1, None), slice(None, 0, -1))]
    for places in itertools.product(pairs, repeat=len(axes) - 1):
        target, source = [slice(None)] * half.ndim, [slice(None)] * half.ndim
        target[last], source[last] = slice(known, None), slice((n - 1) // 2, 0, -1)
        for axis, (to, opposite) in zip(axes, places):
            target[axis], source[axis] = to, opposite
        if result[tuple(target)].size:
            conjugate(half[tuple(source)], out=result[tuple(target)])
    return result


def _function(name, default_axes, doc):
    """`inner` transforms all axes (fftn, ifftn), or all but the last, which `last` does: first (rfftn) or last (irfftn)."""
    is_real, is_inverse = name.endswith(("rfftn", "rfft2")), name.startswith("i")
    inner = ifft if is_inverse else fft

    def over_half(a, s, axes, norm):
        a = rfft(a, s[-1], axes[-1], norm)
        for n, axis in zip(s[:-1], axes[:-1]):
            a = inner(a, n, axis, norm)
        return a

    def over_axes(a, s, axes, norm, out):
        a = asarray(a)
        if not has_distributed((a, out)):
            return here(name, (a, s, axes, norm), out)
        return into(over_all(a if is_distributed(a) else _core.upload(numpy.asarray(a)), s, axes, norm), out)

    def over_all(a, s, axes, norm):
        s, axes = _lengths_and_axes(a, s, axes, is_real and is_inverse)
        if name in ("fftn", "fft2") and _has_conjugates(a, axes):
            return _completed(over_half(a, s, axes, norm), s[-1], axes)
        if not is_real:
            for n, axis in zip(s[::-1], axes[::-1]):
                a = inner(a, n, axis, norm)
            return a
        if not is_inverse:
            return over_half(a, s, axes, norm)
        for n, axis in zip(s[:-1], axes[:-1]):
            a = inner(a, n, axis, norm)
        return irfft(a, s[-1], axes[-1], norm)

    if default_axes is None:

        def function(a, s=None, axes=None, norm=None, out=None):
            return over_axes(a, s, axes, norm, out)
    else:

        def function(a, s=None, axes=default_axes, norm=None, out=None):
            return over_axes(a, s, axes, norm, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


fftn = _function("fftn", None, "The discrete Fourier transform over several axes.")
ifftn = _function("ifftn", None, "The inverse discrete Fourier transform over several axes.")
rfftn = _function("rfftn", None, "The discrete Fourier transform of real input over several axes.")
irfftn = _function("irfftn", None, "The inverse of `rfftn`, with a real result.")
fft2 = _function("fft2", (-2, -1), "The discrete Fourier transform over two axes.")
ifft2 = _function("ifft2", (-2, -1), "The inverse discrete Fourier transform over two axes.")
rfft2 = _function("rfft2", (-2, -1), "The discrete Fourier transform of real input over two axes.")
irfft2 = _function("irfft2", (-2, -1), "The inverse of `rfft2`, with a real result.")
