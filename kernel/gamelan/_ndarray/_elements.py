# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that makes Python of elements: numbers, lists, truth, text. A number that lives on the engines is
waited for, and no more is brought over than is asked for. What the text looks like is _display's business. A base of
DistributedArray, of no use by itself."""

import math
import operator

import numpy

from .. import _core, _display
from .._arguments import whole
from .._gathering import here
from .._imported_numpy import NUMBERS_HAVE_NO_AXES
from .._indexing._flat import in_turn
from .._local import is_distributed, is_value, unwrap, wrap_here

_value = _core.value


class Elements(_core.Array):
    """ndarray as Python objects: iteration, conversion, text."""

    __slots__ = ()

    def __iter__(self):
        if self._b is None:
            return iter(self._a) if self.ndim == 1 else map(wrap_here, self._a)
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return in_turn(self) if self.ndim == 1 else (self[index] for index in range(len(self)))

    def __contains__(self, value):
        found = self == value
        return found if isinstance(found, bool) else bool(found.any())

    def item(self, *index):
        """One element as a Python number.

        Triggers evaluation.
        """
        if self._b is None:
            return self._a.item(*index)
        return _value(self[self._place_of(index)]).item()

    def _place_of(self, index):
        """The index along every axis of the element that the arguments of `item` name: none, its number, or all indices."""
        if len(index) == 1 and isinstance(index[0], tuple):
            (index,) = index
        if not index:
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return (0,) * self.ndim
        if len(index) == 1:
            flat = whole(index[0])
            if not -self.size <= flat < self.size:
                raise IndexError(f"index {flat} is out of bounds for size {self.size}")
            return tuple(map(int, numpy.unravel_index(flat % self.size, self.shape)))
        if len(index) != self.ndim:
            raise ValueError("incorrect number of indices for array")
        return tuple(map(whole, index))

    def tolist(self):
        """The elements as nested lists of Python numbers.

        Triggers evaluation. At most `config.gather_limit` elements.
        """
        return here(self).tolist()

    def fill(self, value):
        """Set every element to one value."""
        if self._b is None:
            self._a.fill(unwrap(value))
            return
        if is_distributed(value):
            if value.size != 1:
                raise ValueError("setting an array element with a sequence.")
            if value.ndim and NUMBERS_HAVE_NO_AXES:
                numpy.empty((), self.dtype).fill(numpy.zeros(value.shape, value.dtype))  # for its error
        else:
            cell = numpy.empty((), self.dtype)
            cell.fill(unwrap(value))  # NumPy's conversion and its errors
            value = cell
        self[...] = value

    def _number(self, complaint):
        """The only element as a NumPy scalar."""
        if self.size != 1:
            raise ValueError(complaint) if "size 1" in complaint else TypeError(complaint)
        return _value(self if self.ndim == 0 else self[(0,) * self.ndim])

    def __bool__(self):
        if self._b is None:
            return bool(self._a)
        if self.size > 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return bool(self._number("size 1")) if self.size else bool(numpy.empty(0))

    def _python_number(self, kind):
        """The only element as a number of Python."""
        if self._b is None:
            return kind(self._a)
        if self.ndim and NUMBERS_HAVE_NO_AXES:
            kind(numpy.broadcast_to(0, self.shape))  # for its error
        number = self._number("only size-1 arrays can be converted to Python scalars")
        return kind(number if is_value(self) else numpy.asarray(number))  # NumPy's arrays and scalars differ

    def __float__(self):
        return self._python_number(float)

    def __int__(self):
        return self._python_number(int)

    def __complex__(self):
        return self._python_number(complex)

    def __index__(self):
        if self._b is None:
            return self._a.__index__()
        if is_value(self) and self.dtype.kind in "fc":
            raise TypeError(
                f"a number of {self.dtype} on the engines is no integer and no Python float; float(x) or x.item() makes one"
            )
        if is_value(self) and self.dtype == bool:
            return operator.index(_value(self))  # and NumPy's warning
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(_value(self))

    def __trunc__(self):
        if self._b is None or not is_value(self):
            raise TypeError("type ndarray doesn't define __trunc__ method")
        return math.trunc(_value(self))

    def __round__(self, digits=None):
        if self.ndim == 0:
            value = self._a[()] if self._b is None else _value(self)
            return round(value) if digits is None else round(value, digits)
        return self.round(digits or 0)

    def __hash__(self):
        if self.ndim or self._b is None:
            raise TypeError("unhashable type: 'gamelan.ndarray'")
        return hash(_value(self))

    def __repr__(self):
        if self._b is not None and self.ndim == 0:
            return repr(_value(self) if is_value(self) else here(self))
        return _display.text(self, is_repr=True)

    def __str__(self):
        if self._b is not None and self.ndim == 0:
            return str(_value(self))
        return _display.text(self, is_repr=False)

    def __format__(self, specification):
        if self.ndim == 0:
            return format(self._a[()] if self._b is None else _value(self), specification)
        if specification:
            raise TypeError("unsupported format string passed to gamelan.ndarray.__format__")
        return str(self)

    def _repr_html_(self):
        return _display.array_html(self)
