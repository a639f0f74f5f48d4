# SPDX-License-Identifier: BSD-3-Clause
"""Parts and facts of arrays, known at once."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._local import has_own_class, is_value

__all__ = ["imag", "ndim", "real", "shape", "size", "isfortran", "isscalar"]


def real(val):
    """The real part of the elements.

    Of a complex array it is a view, of a real array the array itself. Lazy.
    """
    return _part(val, "real")


def imag(val):
    """The imaginary part of the elements.

    Of a complex array it is a view. Lazy.
    """
    return _part(val, "imag")


def _part(value, name):
    """Of a number that part of it, a number again."""
    if isinstance(value, numpy.ndarray) and not has_own_class(value) or not hasattr(value, name):
        value = asarray(value)
    return getattr(value, name)


def shape(a):
    """The shape of an array.

    Needs no evaluation.
    """
    return a.shape if _core.is_ours(a) else numpy.shape(a)


def ndim(a):
    """The number of axes of an array.

    Needs no evaluation.
    """
    return a.ndim if _core.is_ours(a) else numpy.ndim(a)


def isscalar(element):
    """True for a number, text, and a value without axes such as `x.mean()`, small or distributed.

    Needs no evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.isscalar(np.ones(3).mean()), np.isscalar(np.ones(3))
    (True, False)
    """
    return is_value(element) if _core.is_ours(element) else numpy.isscalar(element)


def size(a, axis=None):
    """The number of elements of an array, or of one axis, or of several (NumPy 2.4 and later).

    Needs no evaluation.
    """
    return numpy.size(numpy.broadcast_to(0, a.shape) if _core.is_ours(a) else a, axis)


def isfortran(a):
    """True when an array is in Fortran order and not in C order.

    Needs no evaluation.
    """
    return a.flags.fnc
