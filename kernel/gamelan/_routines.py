# SPDX-License-Identifier: BSD-3-Clause
"""A user's own compiled routines, called on every engine with arrays as Global Arrays (docs/routines.md)."""

import json
import numbers

from . import _core
from ._local import is_distributed
from ._promotion import OPS, dtype_number
from ._session import ensure_engines

__all__ = ["routine"]

_DTYPES = ("int32", "int64", "float32", "float64", "complex64", "complex128")


class routine:
    """A compiled routine of a library that the engines were started with (`--routines PATH`).

    Calling it is lazy, as every operation is. On each engine it is called with a handle of Global Arrays for each array, and
    with the numbers; arrays are not copied where they lie as Global Arrays do: in blocks over all ranks, which is how they
    are made. A notebook's interrupt waits until it returns.

    Parameters
    ----------
    name : str
        Of a function `int name(int arrays, const int *handles, int numbers, const double *values)`; what it returns, when it
        is not 0, becomes a ValueError at the next wait. It may write its first array; the others are read.
    Raises
    ------
    ValueError
        If no library has a function of that name. Asks the engines.

    Examples
    --------
    >>> import gamelan as np
    >>> smooth = np.routine("smooth")                                         # doctest: +SKIP
    >>> a = np.zeros((1000, 1000))
    >>> smooth(a, 0.5)                                                        # doctest: +SKIP
    """

    __slots__ = ("_engines", "_whole_name", "name")

    def __init__(self, name):
        if not _core.is_connected():
            ensure_engines()
        self.name = str(name)
        self._find()

    def _find(self):
        """Which library has it, of the engines in use: the log says so, and others are not called in its place."""
        self._engines = _core.info()
        names = [f"{self.name}@{sum_of_library:08x}" for sum_of_library in json.loads(self._engines).get("routine_sums", ())]
        for name in names[:-1]:
            try:
                _core.configure([("find_routine", name)])
            except ValueError:
                continue
            self._whole_name = name
            return
        _core.configure([("find_routine", self.name)])
        self._whole_name = names[-1] if names else self.name

    def __repr__(self):
        return f"routine({self.name!r})"

    def __call__(self, *arguments):
        """Call it with arrays and numbers; each kind keeps its order."""
        arrays = [value for value in arguments if _core.is_ours(value)]
        values = [value for value in arguments if not _core.is_ours(value)]
        if not arrays:
            raise TypeError(f"{self.name}: expected an array")
        for array in arrays:
            self._require_whole(array)
        if not arrays[0]._a.flags.writeable:
            raise ValueError("output array is read-only")
        for value in values:
            if not isinstance(value, numbers.Real):
                raise TypeError(f"{self.name}: expected arrays of gamelan and real numbers, got {type(value).__name__}")
        if self._engines != _core.info():
            self._find()
        numbers_of_call, name = map(float, values), self._whole_name.encode()
        _core.record_named(OPS["routine"], dtype_number("f8"), arrays[0], (*arrays[1:], *numbers_of_call), (1,), name)

    def _require_whole(self, array):
        if array.dtype.name not in _DTYPES:
            raise TypeError(
                f"{self.name}: got an array of dtype {array.dtype.name}; Global Arrays have {', '.join(_DTYPES)}: "
                f"x.astype(...) converts"
            )
        if not is_distributed(array):
            raise ValueError(
                f"{self.name}: an array of {array.size} elements is here, not on the engines; np.redistribute(x, ...) "
                f"makes one that is there"
            )
        if array.size == 0 or not array._a.flags.c_contiguous or array._b.nbytes != array.nbytes:
            raise ValueError(f"{self.name}: takes whole arrays with elements, not views of them: use a copy")
