# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that calculates by name: x.sum(), x.clip(), x.dot(). Each forwards to the function of that name; the
folds of small arrays go to NumPy at once, because a look at every keyword would cost more than the fold. A base of
DistributedArray, of no use by itself."""

from .. import _core
from .._float_errors import numpys_own
from .._folds import _arg_reductions as arg_reductions
from .._folds import _reductions as reductions
from .._statistics._averages import mean, mean_of_reals, ptp
from .._statistics._common import is_of_reals
from .._statistics._searching import searchsorted
from .._statistics._spread import std, var
from .._ufuncs._clip import clip
from .._ufuncs._made_of import around
from .._ufuncs._objects import PUBLIC
from ..linalg import _products as linalg

_wrap = _core.wrap


class Calculation(_core.Array):
    """The methods of ndarray that have a function of the same name."""

    __slots__ = ()

    def conj(self, out=None, /):
        """The complex conjugate.

        Of a real array it is the array itself. Lazy.
        """
        return PUBLIC["conjugate"](self, out=out) if self.dtype.kind in "cO" or out is not None else self

    conjugate = conj

    def clip(self, min=None, max=None, out=None, **keywords):
        """Limit the elements to an interval."""
        return clip(self, min, max, out, **keywords)

    def round(self, decimals=0, out=None):
        """Round to a number of decimals.

        Parameters
        ----------
        decimals : int, optional
            The number of decimals; a negative one rounds to the left of the decimal point.
        out : ndarray, optional
            Where the result is written. By default a new array.

        Returns
        -------
        ndarray
        """
        return around(self, decimals, out)

    def dot(self, b, out=None):
        """The dot product of two arrays."""
        return linalg.dot(self, b, out)

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        """The sum along a diagonal."""
        return linalg.trace(self, offset, axis1, axis2, dtype, out)

    @numpys_own
    def sum(self, axis=None, dtype=None, out=None, keepdims=False, **keywords):
        """The sum of the elements over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.sum(axis, dtype, None, keepdims))
        if self._b is not None and not keywords:
            return reductions.reduce("sum", self, axis, dtype, out, keepdims)
        return reductions.sum(self, axis, dtype, out, keepdims, **keywords)

    @numpys_own
    def prod(self, axis=None, dtype=None, out=None, keepdims=False, **keywords):
        """The product of the elements over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.prod(axis, dtype, None, keepdims))
        if self._b is not None and not keywords:
            return reductions.reduce("prod", self, axis, dtype, out, keepdims)
        return reductions.prod(self, axis, dtype, out, keepdims, **keywords)

    def max(self, axis=None, out=None, keepdims=False, **keywords):
        """The maximum of the elements over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.max(axis, None, keepdims))
        if self._b is not None and not keywords:
            return reductions.reduce("max", self, axis, None, out, keepdims)
        return reductions.max(self, axis, out, keepdims, **keywords)

    def min(self, axis=None, out=None, keepdims=False, **keywords):
        """The minimum of the elements over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.min(axis, None, keepdims))
        if self._b is not None and not keywords:
            return reductions.reduce("min", self, axis, None, out, keepdims)
        return reductions.min(self, axis, out, keepdims, **keywords)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        """The index of the minimum along an axis, or of the flattened array."""
        return arg_reductions.argmin(self, axis, out, keepdims=keepdims)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        """The index of the maximum along an axis, or of the flattened array."""
        return arg_reductions.argmax(self, axis, out, keepdims=keepdims)

    def any(self, axis=None, out=None, keepdims=False, **keywords):
        """Test whether any element along the axes is true."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.any(axis, keepdims=keepdims))
        if self._b is not None and not keywords:
            return reductions.reduce("any", self, axis, None, out, keepdims)
        return reductions.any(self, axis, out, keepdims, **keywords)

    def all(self, axis=None, out=None, keepdims=False, **keywords):
        """Test whether all elements along the axes are true."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.all(axis, keepdims=keepdims))
        if self._b is not None and not keywords:
            return reductions.reduce("all", self, axis, None, out, keepdims)
        return reductions.all(self, axis, out, keepdims, **keywords)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, **keywords):
        """The arithmetic mean over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.mean(axis, dtype, None, keepdims))
        if dtype is None and out is None and keepdims is False and not keywords and is_of_reals(self):
            return mean_of_reals(self, axis)
        return mean(self, axis, dtype, out=out, keepdims=keepdims, **keywords)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **keywords):
        """The variance over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.var(axis, dtype, None, ddof, keepdims))
        return var(self, axis, dtype, out=out, ddof=ddof, keepdims=keepdims, **keywords)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **keywords):
        """The standard deviation over axes."""
        if self._b is None and out is None and not keywords:
            return _wrap(self._a.std(axis, dtype, None, ddof, keepdims))
        return std(self, axis, dtype, out=out, ddof=ddof, keepdims=keepdims, **keywords)

    def ptp(self, axis=None, out=None, keepdims=False):
        """The range of the elements over axes: maximum minus minimum."""
        return ptp(self, axis, out=out, keepdims=keepdims)

    def searchsorted(self, v, side="left", sorter=None):
        """The indices at which elements are to be inserted so that this sorted array stays sorted."""
        return searchsorted(self, v, side, sorter)
