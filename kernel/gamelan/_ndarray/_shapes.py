# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that is known at once, distributed or not: shape, dtype and the like, and the methods that answer
with another view of the elements, or with a copy where no view exists. Views are NumPy's own, taken of the proxy
(docs/decisions/001); what NumPy cannot do with a proxy is in _views. A base of DistributedArray, of no use by itself."""

import numpy

from .. import _core
from .._creation._casting import astype
from .._creation._from_data import copy_of
from .._creation._like import zeros_like
from .._editing._bytes import byteswap
from .._editing._repeat import repeat
from .._errors import unimplemented
from .._flags import Flags, make_writeable
from .._gathering import here
from .._indexing._flat import flatiter
from .._local import as_value, is_value, unwrap, wrap_here
from .._promotion import dtype_number, is_supported
from .._views import _reshape as views

_view = _core.view
_unset = numpy._NoValue


def _is_array_class(value):
    return isinstance(value, type) and issubclass(value, (numpy.ndarray, _core.Array))


class Shapes(_core.Array):
    """What ndarray knows of its shape and dtype, and its other views."""

    __slots__ = ()

    @property
    def shape(self):
        """Extents of the axes; assigning one reshapes in place when no copy is needed."""
        return self._a.shape

    @shape.setter
    def shape(self, shape):
        if self._b is None:
            self._a.shape = shape
            return
        view = _core.reshape_view(self, views.resolve_shape(shape, self.size))
        if view is None:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
            )
        _core.rebind(self, view)

    @property
    def dtype(self):
        """The type of the elements; assigning one reads the same memory as another type."""
        return self._a.dtype

    @dtype.setter
    def dtype(self, dtype):
        if self._b is None:
            self._a.dtype = dtype
        else:
            dtype_number(dtype)  # refuses what the engines do not hold
            _core.rebind(self, self.view(dtype))

    @property
    def strides(self):
        """Byte steps of the axes in the (virtual) C-order array; assigning them stays within its memory."""
        return self._a.strides

    @strides.setter
    def strides(self, strides):
        if self._b is None:
            self._a.strides = strides
            return
        proxy = self._a.view()
        proxy.strides = strides
        _core.rebind(self, _view(self, proxy))

    ndim = property(lambda self: self._a.ndim, doc="The number of axes.")
    size = property(lambda self: self._a.size, doc="The number of elements.")
    itemsize = property(lambda self: self._a.itemsize, doc="Bytes of one element.")
    nbytes = property(lambda self: self._a.nbytes, doc="Bytes of all elements.")
    flags = property(lambda self: self._a.flags if self._b is None else Flags(self), doc="NumPy's flags of the view.")

    def setflags(self, write=None, align=None, uic=None):
        """Set the flags of the array.

        Needs no evaluation.
        """
        if self._b is not None and write is not None and write:
            make_writeable(self)
            write = None
        self._a.setflags(write=write, align=align, uic=uic)

    is_distributed = property(lambda self: self._b is not None, doc="True when the elements live on the engines.")

    @property
    def T(self):
        """The array with its axes reversed, a view."""
        return _view(self, self._a.T)

    @property
    def mT(self):
        """The array with its last two axes exchanged, a view."""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return _view(self, self._a.swapaxes(-1, -2))

    @property
    def base(self):
        """The array that this one is a view of, None when it is no view."""
        base, owner = self._a.base, self._owner
        if not isinstance(base, numpy.ndarray):
            return None
        return owner if owner is not None and owner._a is base else _view(self, base)

    @property
    def real(self):
        """The real part, a view; of real numbers the array itself."""
        return _view(self, self._a.real) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        """The imaginary part, a view when the array is complex."""
        if self.dtype.kind != "c" and self._b is not None:
            zeros = zeros_like(self)
            if self.ndim or is_value(self):  # without axes what is read-only stands for a number
                zeros._a.flags.writeable = False
            return zeros
        return _view(self, self._a.imag)

    @imag.setter
    def imag(self, value):
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = value

    @property
    def flat(self):
        """The elements in one dimension, to iterate over, to read and to write: NumPy's iterator for small arrays, else
        `gamelan.flatiter`."""
        return self._a.flat if self._b is None else flatiter(self)

    @flat.setter
    def flat(self, value):
        if self._b is None:
            self._a.flat = unwrap(value)
        else:
            flatiter(self)[:] = value

    def reshape(self, *shape, order="C", copy=None):
        """The array with another shape.

        The result is a view where NumPy could make one, else a copy on the engines. Lazy.
        """
        if self._b is None:
            return _view(self, self._a.reshape(*shape, order=order, **({} if copy is None else {"copy": copy})))
        return views.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)

    def ravel(self, order="C"):
        """The elements in one dimension.

        The result is a view where the elements are consecutive, else a copy. Lazy.
        """
        return views.ravel(self, order)

    def flatten(self, order="C"):
        """A copy of the elements in one dimension."""
        if self._b is None:
            return wrap_here(self._a.flatten(order))
        return views.flatten(self, order)

    def transpose(self, *axes):
        """The array with its axes permuted.

        The result is a view and needs no evaluation.
        """
        return _view(self, self._a.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        """The array with two axes exchanged.

        The result is a view and needs no evaluation.
        """
        return _view(self, self._a.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        """The array without axes of extent 1.

        The result is a view and needs no evaluation.
        """
        view = self._a.squeeze(axis)
        return self if view is self._a and type(view) is numpy.ndarray else _view(self, view)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A diagonal of the array.

        The result is a read-only view and needs no evaluation.
        """
        return _view(self, self._a.diagonal(offset, axis1, axis2))

    def view(self, dtype=_unset, type=_unset):
        """A view of the same memory, also with another dtype.

        Needs no evaluation. `type` may be this class; for small arrays it may be a class of NumPy's. A small view of a
        distributed array is fetched for a dtype that the engines lack, which triggers evaluation: the result is a copy that
        cannot be written.
        """
        if _is_array_class(dtype):
            if type is not _unset:
                raise ValueError("Cannot specify output type twice.")
            dtype, type = _unset, dtype
        if type is not _unset and not _is_array_class(type):
            raise ValueError("Type must be a sub-type of ndarray type")
        data = self._a.view() if dtype is _unset else self._a.view(dtype)
        if self._b is not None and not is_supported(data.dtype):
            view = wrap_here(here(self).view(dtype))
        else:
            view = _view(self, data)
        if type in (_unset, numpy.ndarray, self.__class__):
            return view
        if issubclass(type, _core.Array):
            raise unimplemented(
                f"ndarray.view(type={type.__name__})", "derive the class from numpy.ndarray and say numpy.asarray(x).view(type)"
            )
        if self._b is not None:
            raise unimplemented(f"ndarray.view(type={type.__name__})", "numpy.asarray(x).view(type) is a view of a copy")
        return view._a.view(type)

    def resize(self, *new_shape, refcheck=True):
        """Change the shape of the array in place, cut off or filled with zeros."""
        if new_shape:  # without one NumPy changes nothing
            views.resize_in_place(self, new_shape, refcheck)

    def repeat(self, repeats, axis=None):
        """Repeat each element."""
        return repeat(self, repeats, axis)

    def byteswap(self, inplace=False):
        """Swap the bytes of each element."""
        return byteswap(self, inplace)

    def copy(self, order="C"):
        """A copy of the array.

        A copy of a distributed array is distributed as it is. Lazy.
        """
        if self._b is None:
            return wrap_here(self._a.copy(order))
        copy = copy_of(self, order)
        return as_value(copy) if is_value(self) else copy

    astype = _core.Operator("astype", -1, _core.METHOD, numpy.ndarray.astype, astype)
