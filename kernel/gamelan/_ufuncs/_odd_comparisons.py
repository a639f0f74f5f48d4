# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of a distributed array with what no engine holds: objects, None, text, dates, numbers of unusual size. NumPy
asks every element, or warns and gives a bool, or raises. So does its operator here: of an array that stands for the
elements where they make no difference, else of a copy of them, up to `config.gather_limit`."""

import operator
import warnings

import numpy

from .. import _core
from .._creation._filled import full
from .._gathering import here
from .._local import decides_itself, is_value, wrap
from .._promotion import TABLE

_REFLECTED = {
    "__eq__": "__eq__",
    "__ne__": "__ne__",
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
}


def _knows_nothing_of_values(other, name):
    """True for an object whose class leaves the comparison to Python, which looks at identity or refuses."""
    method = _REFLECTED[name]
    data = numpy.asarray(other)
    return data.ndim == 0 and data.dtype == object and getattr(type(other), method) is getattr(object, method)


def _heard(method, *operands):
    """NumPy's operator, whose warnings name the user's line."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = method(*operands)
    for warning in told:
        _core.warn(warning.category, str(warning.message))
    return result


def comparison(name):
    """The method `name` of ndarray for an operand that `_core` cannot take."""
    method = getattr(numpy.ndarray, name)

    def compare(array, other):
        if decides_itself(other):
            return NotImplemented
        if is_value(array):
            return getattr(operator, name)(_core.value(array), other)
        if other is None or _knows_nothing_of_values(other, name):
            answer = _heard(method, numpy.zeros(min(array.size, 1), array.dtype), other)
            if answer is NotImplemented or not array.size:
                return answer if answer is NotImplemented else full(array.shape, False)
            return full(array.shape, bool(answer[0]))
        if numpy.asarray(other).dtype.kind in "USMV":
            return _heard(method, numpy.broadcast_to(numpy.zeros((), array.dtype), array.shape), other)
        answer = _heard(method, here(array), other)
        return wrap(answer) if isinstance(answer, numpy.ndarray) else answer

    compare.__name__, compare.__doc__ = name, method.__doc__
    return compare


# Of two operands and with the result bool are comparisons and logical operations; only these are folded with.
_FOLDED_WITH = {row["of"] for row in TABLE.values() if row["kind"] == "reduce"}
COMPARISONS = frozenset(
    name for name, row in TABLE.items() if row["kind"] == "binary" and row["result"] == "boolean" and name not in _FOLDED_WITH
)


def by_numpy(function, inputs):
    """NumPy's universal function of that name for such operands; its error, if it has no loop for them, before anything is
    brought here."""
    function(*(numpy.empty((0,) * value.ndim, value.dtype) if _core.is_ours(value) and value.ndim else value for value in inputs))
    return wrap(function(*(here(value) if _core.is_ours(value) else value for value in inputs)))
