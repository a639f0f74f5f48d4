# SPDX-License-Identifier: BSD-3-Clause
"""x.flat of a distributed array: its elements in C order, without a copy where there is a flat view. NumPy's rules: what is
read is a copy, what is written begins again when it is too short, and iteration moves a cursor."""

import collections.abc
import operator

import numpy

from .. import _core
from .._creation._from_data import asarray, copy_of, values_for
from .._folds._bounds import require_inside
from .._imported_numpy import BOOLEAN_KEYS_FIT
from .._local import has_distributed
from .._views._reshape import ravel, reshape
from ._gather import put_flat, require_writeable
from ._keys import is_scalar_array, listed
from ._positions import positions_of
from ._take_put import repeated, take

__all__ = ["flatiter", "ndenumerate"]


_CHUNK = 65536  # elements; a round trip for each would be a thousand times slower
_AFTER_A_WRITE = 1024  # the loop may write in every turn


def in_turn(array, flat=None):
    """Goes through the elements of a distributed array, each as it is when its turn comes. `flat` makes one dimension of
    the array where it has more."""
    row, count = None, _CHUNK

    def chunk(place, is_written):
        nonlocal row, count
        if row is None or is_written:
            row = array if flat is None else flat(array)
        count = _AFTER_A_WRITE if is_written else min(2 * count, _CHUNK)
        return _core.fetch([row[place : place + count]])[0] if place < len(row) else None

    return _core.ElementIterator(array, chunk)


class flatiter:
    """The elements of a distributed array in one dimension; what `x.flat` is.

    Examples
    --------
    >>> import gamelan as np
    >>> with np.options(distribute_from=0):
    ...     x = np.arange(6).reshape(2, 3)
    ...     x.flat[4] = 9
    >>> [int(value) for value in x.flat]
    [0, 1, 2, 3, 9, 5]
    """

    __slots__ = ("_array", "_index", "_values")
    __array_priority__ = 100.0

    def __init__(self, array):
        self._array, self._index, self._values = array, 0, None

    base = property(lambda self: self._array, doc="The array itself.")
    index = property(lambda self: self._index, doc="How many elements the iteration has given.")

    @property
    def coords(self):
        """`index` along every axis."""
        return tuple(map(int, numpy.unravel_index(self._index, self._array.shape)))

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._values is None:
            self._index, self._values = 0, in_turn(self._array, ravel)
        value = next(self._values)
        self._index += 1
        return value

    def distributed_elements(self):
        """All elements in one dimension, as a distributed array.

        Returns
        -------
        ndarray
        """
        return ravel(self._array)

    def copy(self):
        """A copy of the elements in one dimension.

        Returns
        -------
        ndarray
        """
        return self._array.flatten()

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("the elements are on the engines: only a copy of them can be handed over")
        data = numpy.asarray(ravel(self._array))
        return data.astype(data.dtype if dtype is None else dtype) if copy or dtype is not None else data

    def _parse(self, key):
        """An int, a slice, or a row of positions."""
        if isinstance(key, tuple):
            if len(key) != 1:
                raise IndexError("unsupported iterator index")
            (key,) = key
        if key is Ellipsis:
            return slice(None)
        if isinstance(key, slice):
            return key
        if isinstance(key, (bool, numpy.bool_)):
            return 0 if key else slice(0)
        if isinstance(key, list) or BOOLEAN_KEYS_FIT and isinstance(key, collections.abc.Sequence):
            key = listed(list(key))
        if not isinstance(key, (_core.Array, numpy.ndarray)) or key.ndim == 0 and not is_scalar_array(key):
            try:
                return int(key) if BOOLEAN_KEYS_FIT and isinstance(key, float) else operator.index(key)
            except TypeError:
                raise IndexError("unsupported iterator index") from None
        if key.ndim == 0 and BOOLEAN_KEYS_FIT and key.dtype.kind in "iu":
            return int(key)
        if key.dtype == bool:
            if key.ndim != 1 and BOOLEAN_KEYS_FIT:
                raise IndexError(
                    f"too many indices for flat iterator: flat iterator is 1-dimensional, but {key.ndim} were indexed"
                )
            if key.ndim != 1:
                raise ValueError("boolean index array should have 1 dimension")
            if BOOLEAN_KEYS_FIT and key.size != self._array.size:
                raise IndexError(
                    "boolean index did not match indexed flat iterator along axis 0; size of axis is "
                    f"{self._array.size} but size of corresponding boolean axis is {key.size}"
                )
            if key.size > self._array.size:
                raise ValueError("too many boolean indices")
            return positions_of(key)
        if key.dtype.kind not in "iu":
            raise IndexError("unsupported iterator index")
        return key

    def place(self, index):
        """The index along every axis of the element of a flat index.

        Parameters
        ----------
        index : int
            The flat index.

        Returns
        -------
        tuple of int
        Raises
        ------
        IndexError
            If there is no such element.
        """
        size = self._array.size
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for size {size}")
        return tuple(map(int, numpy.unravel_index(index % size, self._array.shape)))

    def _begin_again(self):
        self._index, self._values = 0, None

    def __getitem__(self, key):
        self._begin_again()  # as NumPy's, which a subscript moves
        key = self._parse(key)
        if isinstance(key, int):
            return self._array[self.place(key)]
        flat = ravel(self._array)
        return flat[key].copy() if isinstance(key, slice) else take(flat, key)

    def __setitem__(self, key, value):
        self._begin_again()
        key = self._parse(key)
        require_writeable(self._array)
        if isinstance(key, int):
            place = self.place(key)
            try:
                value = values_for(self._array.dtype, value)
                value = None if value.ndim and BOOLEAN_KEYS_FIT else ravel(value)
            except (TypeError, ValueError, OverflowError):
                value = None
            if value is None or value.size != 1:
                raise ValueError("Error setting single item of array.")
            self._array[place] = repeated(value, 1)
            return
        is_slice = isinstance(key, slice)
        count = len(range(*key.indices(self._array.size))) if is_slice else key.size
        values = ravel(values_for(self._array.dtype, value))
        if count == 0 or values.size == 0:
            return
        if not is_slice:
            require_inside(key, 0, self._array.size)
        values = repeated(values, count)
        if not is_slice:
            put_flat(self._array, ravel(asarray(key)), values)
        elif (flat := _core.reshape_view(self._array, (self._array.size,))) is not None:
            flat[key] = values
        elif count == self._array.size and key.step in (None, 1):
            self._array[...] = reshape(values, self._array.shape) if numpy.ndim(values) else values
        else:
            flat = reshape(copy_of(self._array), (self._array.size,))
            flat[key] = values
            self._array[...] = reshape(flat, self._array.shape)

    def __eq__(self, other):
        return ravel(self._array) == other

    def __ne__(self, other):
        return ravel(self._array) != other

    def __lt__(self, other):
        return ravel(self._array) < other

    def __le__(self, other):
        return ravel(self._array) <= other

    def __gt__(self, other):
        return ravel(self._array) > other

    def __ge__(self, other):
        return ravel(self._array) >= other

    __hash__ = None


class ndenumerate:
    """The places and elements of an array, in C order.

    those of a large one come here in parts.

    Examples
    --------
    >>> import gamelan as np
    >>> [(place, int(value)) for place, value in np.ndenumerate([[5, 6]])]
    [((0, 0), 5), ((0, 1), 6)]
    """

    def __init__(self, arr):
        arr = asarray(arr) if has_distributed((arr,)) else arr if _core.is_ours(arr) else numpy.asarray(arr)
        self.iter = arr.flat
        self._places = numpy.ndindex(arr.shape)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._places), next(self.iter)
