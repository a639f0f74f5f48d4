# SPDX-License-Identifier: BSD-3-Clause
"""np.r_ and np.c_: arrays written as what is joined: numbers, slices, arrays; a string first says along which axis."""

import numpy


from .._creation._from_data import array
from .._creation._makers import number_of
from .._creation._ranges import arange, linspace
from .._errors import unimplemented
from .._imported_numpy import NUMBERS_ARE_WEAK, ScalarType
from ._join import concatenate

__all__ = ["c_", "r_"]


def _numbers_of(part):
    start, stop, step = number_of(part.start, 0), number_of(part.stop), number_of(part.step, 1)
    if isinstance(step, (complex, numpy.complexfloating)):
        return linspace(start, stop, int(abs(step)))
    return arange(start, stop, step)


def _common_dtype(items, parts):
    """What the numbers among the parts are cast to: of numbers and arrays NumPy 2 promotes as everywhere, NumPy 1 by a rule of
    its own."""
    if NUMBERS_ARE_WEAK:
        kinds = [part if type(part) in ScalarType else item.dtype for item, part in zip(items, parts)]
        dtype = numpy.result_type(*kinds) if kinds else None
        for part in parts:
            if type(part) is int:
                numpy.array(part, dtype)  # for its error, where the dtype does not hold the number
        return dtype
    arrays = [item.dtype for item, part in zip(items, parts) if type(part) not in ScalarType]
    numbers = [item.dtype for item, part in zip(items, parts) if type(part) in ScalarType]
    return numpy.find_common_type(arrays, numbers)


class AxisConcatenator:
    """`np.r_[...]`, and as `np.c_[...]` along the last axis: see `numpy.r_`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.r_[1:4, 0, [5, 6]].tolist()
    [1, 2, 3, 0, 5, 6]
    """

    def __init__(self, axis=0, dims=1, place=-1, name="r_"):
        self._name, self._defaults = name, (axis, dims, place)

    def __getitem__(self, key):
        parts = list(key) if isinstance(key, tuple) else [key]
        if not all(isinstance(part, str) is False for part in parts[1:]):
            raise ValueError("special directives must be the first entry.")
        axis, dims, place = self._directive(parts.pop(0)) if isinstance(parts[0], str) else self._defaults
        items = [self._item(part, dims, place) for part in parts]
        dtype = _common_dtype(items, parts)
        if dtype is not None:
            items = [item.astype(dtype) if type(part) in ScalarType else item for item, part in zip(items, parts)]
        return concatenate(tuple(items), axis)

    def _directive(self, text):
        if text in ("r", "c"):
            raise unimplemented(f"{self._name}['{text}', ...]", "it makes a numpy.matrix")
        axis, dims, place = self._defaults
        numbers = text.split(",")
        try:
            numbers = [int(number) for number in numbers[:3]]
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None
        return (numbers[0], dims, place) if len(numbers) == 1 else (*numbers, place)[:3]

    @staticmethod
    def _item(part, dims, place):
        """The part as an array of at least `dims` axes, its own ones beginning at `place` of them."""
        item = _numbers_of(part) if isinstance(part, slice) else array(part, copy=None)
        missing = dims - item.ndim
        if missing <= 0:
            return item
        at = place + missing + 1 if place < 0 else place
        if isinstance(part, slice):
            item = array(item, copy=None, ndmin=dims)
            return item if place == -1 else item.swapaxes(-1, place)
        if type(part) in ScalarType or place == -1:
            return item[(None,) * missing]
        return item[(None,) * at + (slice(None),) * item.ndim + (None,) * (missing - at)]

    def __len__(self):
        return 0

    def __repr__(self):
        return f"<gamelan.{self._name}>"


r_ = AxisConcatenator()
c_ = AxisConcatenator(-1, 2, 0, "c_")
