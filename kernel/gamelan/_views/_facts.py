# SPDX-License-Identifier: BSD-3-Clause
"""Parts and facts of arrays, known at once."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._local import has_own_class, is_value

__all__ = ["imag", "ndim", "real", "shape", "size", "isfortran", "isscalar"]


def real(val):
    """The real part, a view. See `numpy.real`."""
    return _part(val, "real")


def imag(val):
    """The imaginary part, a view of a complex array. See `numpy.imag`."""
    return _part(val, "imag")


def _part(value, name):
    """Of a number that part of it, a number again."""
    if isinstance(value, numpy.ndarray) and not has_own_class(value) or not hasattr(value, name):
        value = asarray(value)
    return getattr(value, name)


def shape(a):
    """The shape of an array. See `numpy.shape`."""
    return a.shape if isinstance(a, _core.Array) else numpy.shape(a)


def ndim(a):
    """The number of dimensions of an array. See `numpy.ndim`."""
    return a.ndim if isinstance(a, _core.Array) else numpy.ndim(a)


def isscalar(element):
    """True for a number, text, and a value without axes such as `x.mean()`, small or distributed. See `numpy.isscalar`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.isscalar(np.ones(3).mean()), np.isscalar(np.ones(3))
    (True, False)
    """
    return is_value(element) if isinstance(element, _core.Array) else numpy.isscalar(element)


def size(a, axis=None):
    """The number of elements, or along one axis. See `numpy.size`."""
    if not isinstance(a, _core.Array):
        return numpy.size(a, axis)
    return a.size if axis is None else a.shape[axis]


def isfortran(a):
    """True when an array lies in Fortran order and not in C order. See `numpy.isfortran`."""
    return a.flags.fnc
