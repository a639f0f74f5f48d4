# SPDX-License-Identifier: BSD-3-Clause
"""reduce, accumulate, reduceat and at of every universal function: what is here goes to NumPy, the rest to the floors
below. They need folds and indices, which are made of universal functions, and so are given to them here."""

import numpy

from .. import _core
from .._arguments import flag
from .._creation._from_data import asarray
from .._float_errors import numpys_own
from .._folds._reductions import FOLD_OF
from .._folds._reductions import reduce as fold
from .._folds._scans import accumulate as running_fold
from .._folds._scans import reduce_subtract
from .._local import alone, call_numpy, has_distributed, is_distributed, is_output, rewrap, unwrap, wrap
from .._ufuncs._objects import ufunc
from ._at import at as change_at
from ._left_folds import reduce_from_the_left
from ._reduceat import reduceat as folds_of_slices

_unset = numpy._NoValue


@numpys_own
def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_unset, where=True):
    """Reduce an array along axes by applying the function.

    Lazy. Associative functions are reduced in parallel, in an order of their own. Others are applied from left to right, for all
    elements of the result at the same time.
    """
    array, out = asarray(array), alone(out)
    if array._b is None and out is None and where is True and initial is _unset:
        return rewrap(self._numpy.reduce(array._a, axis, dtype, None, keepdims))
    if not has_distributed((array, out, where)):
        keywords = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "where": where}
        if initial is not _unset:
            keywords["initial"] = initial
        result = call_numpy(self._numpy.reduce, f"{self.__name__}.reduce", (array,), keywords)
        return result if out is None else out
    if not is_distributed(array):
        array = _core.upload(numpy.asarray(array))
    keepdims = flag(keepdims)
    name = FOLD_OF.get(self.__name__)
    if name is not None:
        return fold(name, array, axis, dtype, out, keepdims, initial, where)
    if self.__name__ == "subtract" and initial is _unset and where is True:
        return reduce_subtract(array, axis, dtype, out, keepdims)
    return reduce_from_the_left(self, array, axis, dtype, out, keepdims, initial, where)


def accumulate(self, array, axis=0, dtype=None, out=None):
    """Accumulate the results of the function along an axis.

    Lazy. A distributed array of one dimension is accumulated for associative functions and for subtract only.
    """
    if self.nin != 2 or self.nout != 1:
        self._numpy.accumulate(numpy.ones(1))  # NumPy's words
    array, out = asarray(array), alone(out)
    if has_distributed((array, out)):
        return running_fold(self.__name__, self._numpy, array, axis, dtype, out)
    result = self._numpy.accumulate(unwrap(array), axis, dtype, unwrap(out))
    return wrap(result) if out is None else out


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """Reduce the slices between neighbouring indices along an axis.

    Triggers evaluation, to check the indices. The result itself is lazy. Each slice is reduced from left to right.

    Raises
    ------
    IndexError
        If an index is outside the axis.
    ValueError
        If the function does not take two operands and return one.
    """
    out = alone(out)
    if not has_distributed((array, indices, out)):
        result = call_numpy(self._numpy.reduceat, "reduceat", (array, indices, axis, dtype, out), {})
        return result if out is None else out
    return folds_of_slices(self, array, indices, axis, dtype, out)


def at(self, a, indices, b=_unset, /):
    """Apply the function in place to the elements that indices name, as often as they name them.

    Triggers evaluation the first time an index array is used, because an index outside must raise here.

    Returns
    -------
    None

    Raises
    ------
    IndexError
        If an index is outside the array.
    TypeError
        If `a` is not an array.
    ValueError
        If the number of operands is not that of the function, or the function has several outputs.
    """
    operands = () if b is _unset else (b,)
    if not is_output(a):
        raise TypeError("first operand must be array")
    if self.nout > 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if len(operands) != self.nin - 1:
        raise ValueError("second operand needed for ufunc" if self.nin == 2 else f"{self.__name__}.at takes no second operand")
    if has_distributed((a, indices, *operands)):
        change_at(self, a, indices, operands)
    else:
        self._numpy.at(unwrap(a), unwrap(indices), *map(unwrap, operands))


for _method in (reduce, accumulate, reduceat, at):
    _method.__qualname__ = f"ufunc.{_method.__name__}"
    setattr(ufunc, _method.__name__, _method)
