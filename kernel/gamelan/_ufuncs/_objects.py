# SPDX-License-Identifier: BSD-3-Clause
"""Every universal function of the op table, built in a loop: one object per element-wise row, documented from the row. Their
methods reduce, accumulate, reduceat and at need higher floors, and come from _ufunc_methods."""

import inspect

import numpy

from .. import _core, _docs
from .._creation._from_data import asarray
from .._float_errors import numpys_own
from .._local import decides_itself, has_distributed, is_distributed, rewrap, unwrap, wrap
from .._promotion import TABLE, numpy_function
from ._calls import call, checked_out
from ._odd_comparisons import COMPARISONS, by_numpy
from ._two_results import compute

__all__ = ["ufunc"]

_DOC = """{doc}

Raises
------
TypeError
    If the function is not defined for the types of its arguments.
ValueError
    If the shapes of the arguments and of `out` do not fit each other.

Examples
--------
>>> import gamelan as np
>>> np.{name}({example}){result}.shape
(3,)
"""


def _named(name):
    return PUBLIC[name]


class ufunc:
    __doc__ = _docs.Documentation("A universal function. Instances are made from the op table, not by users.")
    nout = 1

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return _named, (self.__name__,)  # a copy of it, or what a pickle gives, is itself

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._numpy, name)  # identity, types, ntypes: facts that are NumPy's

    def _describe(self, doc, names, example, outputs):
        self._doc, self._example = doc, example
        positional = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        keywords = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in (
                ("out", outputs),
                ("where", True),
                ("casting", "same_kind"),
                ("order", "K"),
                ("dtype", None),
                ("subok", True),
            )
        ]
        self.__signature__ = inspect.Signature(positional + keywords)

    @property
    def own_doc(self):
        """What the docstring says before the sections of NumPy's."""
        return _DOC.format(doc=self._doc, name=self.__name__, example=self._example, result="[1]" * (self.nout - 1))

    def _split(self, inputs, out):
        """Operands and outputs of a call; NumPy's errors."""
        if not self.nin <= len(inputs) <= self.nin + self.nout:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nin + self.nout} positional arguments but "
                f"{len(inputs)} were given"
            )
        return inputs[: self.nin], checked_out(self.__name__, self.nout, inputs, out, inputs[self.nin :])

    def _here(self, inputs, out, keywords):
        """The call by NumPy of what is all here."""
        if all(each is None for each in out):
            return rewrap(self._numpy(*map(unwrap, inputs), **unwrap(keywords)))
        result = self._numpy(*map(unwrap, inputs), out=unwrap(out), **unwrap(keywords))
        result = result if self.nout > 1 else (result,)
        given = tuple(wrap(value) if each is None else each for each, value in zip(out, result))
        return given if self.nout > 1 else given[0]

    @numpys_own
    def outer(self, left, right, /, **keywords):
        """Apply the function to all pairs of elements."""
        if self.nin != 2:
            raise ValueError("outer product only supported for binary functions")
        left, right = asarray(left), asarray(right)
        return self(left[(Ellipsis,) + (None,) * right.ndim], right, **keywords)


class ElementwiseUfunc(_core.Ufunc, ufunc):
    __doc__ = _docs.Documentation("A row of the op table.")

    def __new__(cls, row):
        return super().__new__(cls, row["op"], row["arity"])

    def __init__(self, row):
        self.__name__ = row["name"]
        self._numpy = numpy_function(row["name"])
        numbers = "[1, 1, 1]" if row["types"].startswith("integer") else "[0.5, 0.5, 0.5]"
        if row["name"] == "arccosh":
            numbers = "[1, 1, 1]"  # there is none of less
        operands = [numbers] * self.nin if row["name"] != "ldexp" else [numbers, "[1, 1, 1]"]
        self._describe(row["doc"], ("x",) if self.nin == 1 else ("x1", "x2"), ", ".join(operands), None)

    @numpys_own
    def _call(self, *inputs, out=None, **keywords):
        """Every call but those with operands alone, and with an output of ours besides, which `_core.Ufunc` makes."""
        if any(map(decides_itself, inputs)):
            return self._numpy(*inputs, **({} if out is None else {"out": out}), **keywords)
        inputs, out = self._split(inputs, out)
        (target,) = out
        if keywords.get("where", True) is True:
            keywords.pop("where", None)
        if not keywords:
            if target is None:
                result = _core.evaluate(self._op, *inputs)
            elif is_distributed(target) or _core.is_ours(target):
                result = _core.evaluate_into(self._op, target, *inputs)
            else:
                result = _core.evaluate_into(self._op, _core.share(numpy.asarray(target)), *inputs)
                result = target if result is not NotImplemented else result
            return self._refuse(inputs, target) if result is NotImplemented else result
        if not has_distributed((*inputs, *out, keywords.get("where"))):
            return self._here(inputs, out, keywords)
        return call(self.__name__, self._op, inputs, target, keywords)

    def _refuse(self, inputs, target):
        if has_distributed(inputs) and self.__name__ in COMPARISONS:
            return _written(by_numpy(self._numpy, inputs), target)
        if has_distributed((*inputs, target)):
            names = ", ".join(type(value).__name__ for value in inputs)
            raise TypeError(f"ufunc '{self.__name__}' not supported for the input types: {names}")
        return self._here(inputs, (target,), {})


def _written(result, target):
    """The result, or the output that takes it."""
    if target is None:
        return result
    if target.shape != numpy.broadcast_shapes(target.shape, result.shape):
        raise ValueError(
            f"non-broadcastable output operand with shape {target.shape} doesn't match the broadcast shape {result.shape}"
        )
    target[...] = result
    return target


UFUNCS = {name: ElementwiseUfunc(row) for name, row in TABLE.items() if row["kind"] in ("unary", "binary") and name != "copy"}
ALIASES = {
    "abs": "absolute",
    "true_divide": "divide",
    "mod": "remainder",
    "conj": "conjugate",
    "bitwise_not": "invert",
    "degrees": "rad2deg",
    "radians": "deg2rad",
}
ALIASES |= {
    alias: name
    for alias, name in {
        "acos": "arccos",
        "acosh": "arccosh",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan": "arctan",
        "atan2": "arctan2",
        "atanh": "arctanh",
        "bitwise_invert": "invert",
        "bitwise_left_shift": "left_shift",
        "bitwise_right_shift": "right_shift",
        "pow": "power",
    }.items()
    if hasattr(numpy, alias)  # NumPy 2 has them
}
PUBLIC = {**UFUNCS, **{alias: UFUNCS[name] for alias, name in ALIASES.items()}}


class PairUfunc(ufunc):
    __doc__ = _docs.Documentation("A function with two results, made of functions with one: modf, frexp, divmod.")
    nout = 2

    def __init__(self, name, doc, names, example):
        self.__name__, self._numpy, self.nin = name, getattr(numpy, name), len(names)
        self._describe(doc, names, example, (None, None))

    def __call__(self, *inputs, out=None, **keywords):
        if any(map(decides_itself, inputs)):
            return self._numpy(*inputs, **({} if out is None else {"out": out}), **keywords)
        if out is None and not keywords and not any(map(is_distributed, inputs)):
            plain = [value._a if _core.is_ours(value) else value for value in inputs]
            if len(inputs) == self.nin and not has_distributed(inputs):
                return tuple(map(wrap, self._numpy(*plain)))
        inputs, out = self._split(inputs, out)
        inputs = tuple(value if type(value) in (int, float) else asarray(value) for value in inputs)
        if not has_distributed((*inputs, *out, keywords.get("where"))):
            return self._here(inputs, out, keywords)
        return compute(self, UFUNCS, inputs, out, **keywords)


PUBLIC["modf"] = PairUfunc("modf", "Fraction and integer part, each with the sign of x.", ("x",), "[0.5, 1.5, -2.5]")
PUBLIC["frexp"] = PairUfunc("frexp", "Mantissa in [0.5, 1) and exponent: x = mantissa * 2**exponent.", ("x",), "[0.5, 1.5, -2.5]")
PUBLIC["divmod"] = PairUfunc("divmod", "Quotient rounded down, and remainder.", ("x1", "x2"), "[7, 8, 9], 4")


def _has_negative(array):
    """True when an array holds a number below zero. Triggers evaluation."""
    return bool((array < 0).any())


_core.set_negative_hook(_has_negative)
