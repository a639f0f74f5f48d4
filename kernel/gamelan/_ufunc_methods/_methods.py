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
from .._local import alone, call_numpy, has_distributed, is_distributed, is_output, unwrap, wrap
from .._ufuncs._objects import ufunc
from ._at import at as change_at
from ._left_folds import reduce_from_the_left
from ._reduceat import reduceat as folds_of_slices

_unset = numpy._NoValue


@numpys_own
def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_unset, where=True):
    """Fold along axes, as `numpy.ufunc.reduce`. In parallel where the operation is associative; others are folded from
    the left, side by side for the elements of the result."""
    array, out = asarray(array), alone(out)
    if array._b is None and out is None and where is True and initial is _unset:
        return wrap(self._numpy.reduce(array._a, axis, dtype, None, keepdims))
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
    """Running fold along an axis, as `numpy.ufunc.accumulate`. Of one dimension only where the operation is associative,
    or subtract."""
    if self.nin != 2 or self.nout != 1:
        self._numpy.accumulate(numpy.ones(1))  # NumPy's words
    array, out = asarray(array), alone(out)
    if has_distributed((array, out)):
        return running_fold(self.__name__, self._numpy, array, axis, dtype, out)
    result = self._numpy.accumulate(unwrap(array), axis, dtype, unwrap(out))
    return wrap(result) if out is None else out


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """Folds of the slices between neighbours of `indices`, as `numpy.ufunc.reduceat`: each from the left."""
    out = alone(out)
    if not has_distributed((array, indices, out)):
        result = call_numpy(self._numpy.reduceat, "reduceat", (array, indices, axis, dtype, out), {})
        return result if out is None else out
    return folds_of_slices(self, array, indices, axis, dtype, out)


def at(self, a, indices, b=_unset, /):
    """The function in place at the elements that `indices` name, once for each time that they name it, in their order."""
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
