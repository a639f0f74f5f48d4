# SPDX-License-Identifier: BSD-3-Clause
"""Element-wise functions of the array-API standard: NumPy's under the standard's names, built in a loop, and the few
whose meaning differs. A function of gamelan is looked up when it is called, so that what is missing says so."""

from .. import _catalogue as np
from ._dtypes import promoted

# The standard's name: gamelan's.
_UNARY = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "conj": "conjugate",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "expm1": "expm1",
    "imag": "imag",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log1p": "log1p",
    "log2": "log2",
    "log10": "log10",
    "logical_not": "logical_not",
    "negative": "negative",
    "positive": "positive",
    "real": "real",
    "reciprocal": "reciprocal",
    "signbit": "signbit",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
}
_BINARY = {
    "add": "add",
    "atan2": "arctan2",
    "bitwise_and": "bitwise_and",
    "bitwise_left_shift": "left_shift",
    "bitwise_or": "bitwise_or",
    "bitwise_right_shift": "right_shift",
    "bitwise_xor": "bitwise_xor",
    "copysign": "copysign",
    "divide": "divide",
    "equal": "equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "hypot": "hypot",
    "less": "less",
    "less_equal": "less_equal",
    "logaddexp": "logaddexp",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "maximum",
    "minimum": "minimum",
    "multiply": "multiply",
    "nextafter": "nextafter",
    "not_equal": "not_equal",
    "pow": "power",
    "remainder": "remainder",
    "subtract": "subtract",
}
_ROUNDING = {"ceil": "ceil", "floor": "floor", "trunc": "trunc", "round": "rint"}


def _unary(theirs):
    def function(x, /):
        return getattr(np, theirs)(x)

    return function


def _binary(theirs):
    def function(x1, x2, /):
        return getattr(np, theirs)(*promoted(x1, x2))

    return function


def _rounding(theirs):
    def function(x, /):
        return x.copy() if x.dtype.kind in "iu" else getattr(np, theirs)(x)

    return function


def clip(x, /, min=None, max=None):
    """Values limited to an interval; the dtype stays that of x."""
    result = x
    for bound, limit in ((min, np.maximum), (max, np.minimum)):
        if bound is not None:
            result = limit(*promoted(result, bound))
    return x.copy() if result is x else result.astype(x.dtype, copy=False)


def sign(x, /):
    """The sign of every number; of a complex one the number of modulus 1 in its direction, 0 of 0."""
    if x.dtype.kind != "c":
        return np.sign(x)
    modulus = np.absolute(x)
    return np.where(modulus == 0, np.zeros_like(x), x / np.where(modulus == 0, np.ones_like(modulus), modulus))


def where(condition, x1, x2, /):
    """Elements of x1 where the condition holds, else of x2."""
    return np.where(condition, *promoted(x1, x2))


def floor_divide(x1, x2, /):
    """Quotients rounded down; where an infinity is among the operands the quotient itself, for which NumPy has NaN or -1."""
    x1, x2 = promoted(x1, x2)
    result = np.floor_divide(x1, x2)
    if result.dtype.kind != "f":
        return result
    return np.where(np.isinf(x1) | np.isinf(x2), np.divide(x1, x2), result)


FUNCTIONS = {"clip": clip, "floor_divide": floor_divide, "sign": sign, "where": where}


def _build():
    for make, names in ((_unary, _UNARY), (_binary, _BINARY), (_rounding, _ROUNDING)):
        for name, theirs in names.items():
            function = make(theirs)
            function.__name__ = function.__qualname__ = name
            function.__doc__ = f"As `gamelan.{theirs}`, by the rules of the array-API standard."
            function.__module__ = "gamelan.array_api"
            FUNCTIONS[name] = function


_build()
