# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that operators call: arithmetic, bits, comparisons, powers, @. They are objects of `_core`, which
computes small arrays by NumPy and records the others; which operator is which op of the table is said here. A base of
DistributedArray, of no use by itself."""

import numpy

from .. import _core
from .._float_errors import numpys_own
from .._imported_numpy import MATMUL_IN_PLACE, NUMBERS_ARE_WEAK, UNEQUAL_SHAPES_RAISE
from .._local import decides_itself, is_distributed, is_value, unwrap
from .._promotion import OPS
from .._ufuncs._odd_comparisons import comparison
from ..linalg import _products as linalg

_evaluate = _core.evaluate
_core.set_unequal_shapes_raise(UNEQUAL_SHAPES_RAISE)


class Operators(_core.Array):
    """The operators of ndarray; those that `_core` carries are added by `_add_operators`."""

    __slots__ = ()

    def __matmul__(self, other):
        return _matmul(self, other, other)

    def __rmatmul__(self, other):
        return _matmul(other, self, other)

    def __imatmul__(self, other):
        if MATMUL_IN_PLACE:
            if self.ndim < 1 or numpy.ndim(other) < 2:
                raise ValueError(
                    "inplace matrix multiplication requires the first operand to have at least one and the second at least two "
                    "dimensions."
                )
            return linalg.matmul(self, other, out=self)
        raise TypeError("In-place matrix multiplication is not (yet) supported. Use 'a = a @ b' instead of 'a @= b'.")


def _matmul(left, right, other):
    if not decides_itself(other):
        if not isinstance(other, (_core.Array, numpy.ndarray)) and getattr(type(other), "__array_priority__", 0) > 0:
            return NotImplemented  # as NumPy's operators for such a class
        return linalg.matmul(left, right)
    return NotImplemented if type(other).__array_ufunc__ is None else numpy.matmul(left, right)


# NumPy's operator takes a cheaper way for these exponents, for arrays; its scalars promote as in every other operation.
_NUMBERS = (int, float, numpy.integer, numpy.floating)
_EXACT_POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal", 1: "positive"}


@numpys_own
def _power(array, exponent, modulus=None):
    if modulus is not None:
        return NotImplemented
    if array._b is None and not is_distributed(exponent) and not decides_itself(exponent):
        return _core.wrap(array._a ** unwrap(exponent))
    if isinstance(exponent, _NUMBERS) and exponent in _EXACT_POWERS and not is_value(array):
        if (
            array.dtype.kind in "fc"
            or array.dtype.kind in "biu"
            and not isinstance(exponent, (float, numpy.floating))
            and exponent == 2
        ):
            return _evaluate(OPS[_EXACT_POWERS[exponent]], array)
    return _evaluate(OPS["power"], array, exponent)


def _positive(array):
    if array.dtype != bool:
        return _evaluate(OPS["positive"], array)
    if NUMBERS_ARE_WEAK:
        +numpy.zeros(1, bool)  # NumPy 2's error
    _core.warn(
        DeprecationWarning,
        "Applying '+' to a non-numerical array is ill-defined. Returning a copy, but in the future this will error.",
    )
    return array.copy()


def _divmod(array, other):
    return array // other, array % other


def _reflected_divmod(array, other):
    return other // array, other % array


def _add_operators():
    """The arithmetic, bitwise and comparison operators, their reflections and in-place forms."""
    names = {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
        "floordiv": "floor_divide",
        "mod": "remainder",
        "pow": "power",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
        "lshift": "left_shift",
        "rshift": "right_shift",
    }

    def define(method, row, form, general=None):
        operator = _core.Operator(method, -1 if row is None else OPS[row], form, getattr(numpy.ndarray, method), general)
        setattr(Operators, method, operator)

    for name, row in names.items():
        if name != "pow":
            define(f"__{name}__", row, _core.FORWARD)
        define(f"__r{name}__", row, _core.REFLECTED)
        define(f"__i{name}__", row, _core.IN_PLACE)
    for name, row in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
        define(f"__{name}__", row, _core.FORWARD, comparison(f"__{name}__"))
    for name, row in {"neg": "negative", "abs": "absolute", "invert": "invert"}.items():
        define(f"__{name}__", row, _core.FORWARD)
    define("__eq__", "equal", _core.EQUALITY, comparison("__eq__"))
    define("__ne__", "not_equal", _core.EQUALITY, comparison("__ne__"))
    define("__pos__", None, _core.BY_NUMPY, _positive)
    define("__pow__", None, _core.BY_NUMPY, _power)
    define("__matmul__", None, _core.PRODUCT, Operators.__matmul__)
    define("__divmod__", None, _core.BY_NUMPY, _divmod)
    define("__rdivmod__", None, _core.BY_NUMPY, _reflected_divmod)


_add_operators()
