# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that operators call: arithmetic, bits, comparisons, powers, @. They go straight to `_core`, which
computes small arrays by NumPy and records the others; which operator is which op of the table is said here. A base of
ndarray, of no use by itself."""
import numpy

from . import _core
from .linalg import _products as linalg
from ._creation import full
from ._float_errors import numpys_own
from ._local import decides_itself, is_value, unwrap
from ._promotion import OPS

_evaluate, _evaluate_into, _wrap = _core.evaluate, _core.evaluate_into, _core.wrap


class Operators(_core.Array):
    """The operators of ndarray; those that only name an op are added by `_add_operators`."""

    __slots__ = ()

    def __matmul__(self, other):
        return _matmul(self, other, other)

    def __rmatmul__(self, other):
        return _matmul(other, self, other)

    def __imatmul__(self, other):
        raise TypeError("In-place matrix multiplication is not (yet) supported. Use 'a = a @ b' instead of 'a @= b'.")

    @numpys_own
    def __pow__(self, exponent, modulus=None):
        if modulus is not None:
            return NotImplemented
        if self._b is None and type(exponent) in (int, float):
            return _wrap(self._a**exponent)
        return _power(self, exponent)

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self


def _matmul(left, right, other):
    if not decides_itself(other):
        return linalg.matmul(left, right)
    return NotImplemented if type(other).__array_ufunc__ is None else numpy.matmul(left, right)


# NumPy's operator takes a cheaper way for these exponents, for arrays; its scalars promote as in every other operation.
_EXACT_POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal", 1: "positive"}


@numpys_own
def _power(array, exponent):
    if array._b is None and not (isinstance(exponent, _core.Array) and exponent._b is not None):
        return _wrap(array._a ** unwrap(exponent))
    if type(exponent) in (int, float) and exponent in _EXACT_POWERS and not is_value(array):
        if array.dtype.kind in "fc" or array.dtype.kind in "biu" and type(exponent) is int and exponent == 2:
            return _evaluate(OPS[_EXACT_POWERS[exponent]], array)
    return _evaluate(OPS["power"], array, exponent)


def _add_operators():
    """The arithmetic, bitwise and comparison operators, their reflections and in-place forms."""
    names = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
        "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
        "lshift": "left_shift", "rshift": "right_shift",
    }  # fmt: skip

    def forward(op):
        return lambda self, other: _evaluate(op, self, other)

    def reflected(op):
        return lambda self, other: _evaluate(op, other, self)

    def in_place(op):
        # A value is never changed: as with NumPy's scalars, the name on the left gets a new one.
        return lambda self, other: _evaluate(op, self, other) if is_value(self) else _evaluate_into(op, self, self, other)

    def equality(op, answer_for_none):
        def compare(self, other):
            result = _evaluate(op, self, other)
            if result is NotImplemented and other is None:  # to NumPy an object that no element equals
                return _wrap(numpy.full(self.shape, answer_for_none)) if self._b is None else full(self.shape, answer_for_none)
            return result

        return compare

    def unary(op):
        return lambda self: _evaluate(op, self)

    def define(method, function):
        function.__name__ = method
        function.__qualname__ = f"ndarray.{method}"
        setattr(Operators, method, numpys_own(function))

    for name, row in names.items():
        op = OPS[row]
        if name != "pow":
            define(f"__{name}__", forward(op))
        define(f"__r{name}__", reflected(op))
        define(f"__i{name}__", in_place(op))
    for name, row in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
        define(f"__{name}__", forward(OPS[row]))
    for name, row in {"eq": "equal", "ne": "not_equal"}.items():
        define(f"__{name}__", equality(OPS[row], row == "not_equal"))
    for name, row in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        define(f"__{name}__", unary(OPS[row]))


_add_operators()
