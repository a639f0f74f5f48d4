# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that makes Python of elements: numbers, lists, truth, text. A number that lives on the engines is
waited for, and no more is brought over than is asked for; `here` brings a whole array, if `config.gather_limit` allows
it. What the text looks like is _display's business. A base of ndarray, of no use by itself."""
import numpy

from . import _core, _display
from ._config import config
from ._local import is_value, wrap_here

_value = _core.value


def here(array):
    """The elements as a NumPy array: the data of a local array, a read-only copy of a distributed one."""
    if array._b is None:
        return array._a
    if array.size > config.gather_limit:
        raise ValueError(
            f"gamelan: this would bring {array.size} elements ({array.nbytes} bytes) to the notebook, more than "
            f"config.gather_limit = {config.gather_limit}; reduce it on the engines first, or raise the limit"
        )
    (data,) = _core.fetch([array])
    data.flags.writeable = False
    return data


_core.set_gather_hook(here)


class Elements(_core.Array):
    """ndarray as Python objects: iteration, conversion, text."""

    __slots__ = ()

    def __iter__(self):
        if self._b is None:
            return iter(self._a) if self.ndim == 1 else map(wrap_here, self._a)
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return self._numbers() if self.ndim == 1 else (self[index] for index in range(len(self)))

    def _numbers(self, chunk=65536):
        # Numbers come in chunks: one round trip each would be a thousand times slower.
        for start in range(0, len(self), chunk):
            yield from _core.fetch([self[start : start + chunk]])[0]

    def __contains__(self, value):
        return bool((self == value).any())

    def item(self, *index):
        """One element as a Python number. Triggers evaluation."""
        if self._b is None:
            return self._a.item(*index)
        if not index:
            return self._number("can only convert an array of size 1 to a Python scalar").item()
        if len(index) == 1 and not isinstance(index[0], tuple):
            flat = int(index[0])
            if not -self.size <= flat < self.size:
                raise IndexError(f"index {flat} is out of bounds for size {self.size}")
            index = numpy.unravel_index(flat % self.size, self.shape)
        elif len(index) == 1:
            index = index[0]
        return _value(self[tuple(int(part) for part in index)]).item()

    def tolist(self):
        """The elements as nested lists of Python numbers. Triggers evaluation; bounded by `config.gather_limit`."""
        return here(self).tolist()

    def fill(self, value):
        """Set every element to one value."""
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

    def __float__(self):
        return float(self._a if self._b is None else self._number("only size-1 arrays can be converted to Python scalars"))

    def __int__(self):
        return int(self._a if self._b is None else self._number("only size-1 arrays can be converted to Python scalars"))

    def __complex__(self):
        return complex(self._a if self._b is None else self._number("only size-1 arrays can be converted to Python scalars"))

    def __index__(self):
        if self._b is None:
            return self._a.__index__()
        if is_value(self) and self.dtype.kind in "fc":
            raise TypeError(f"a number of {self.dtype} on the engines is no integer and no Python float; float(x) or x.item() makes one")
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(_value(self))

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
            return repr(_value(self))
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
