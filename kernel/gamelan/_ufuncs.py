# SPDX-License-Identifier: BSD-3-Clause
"""Every universal function of the op table, built in a loop: one object per element-wise row, documented from the row."""

import inspect

import numpy

from . import _core, _docs
from ._arguments import flag
from ._creation import asarray
from ._errors import unsupported_dtype
from ._float_errors import numpys_own
from ._local import alone, call_numpy, decides_itself, has_distributed, is_distributed, is_output, rewrap, unwrap, wrap, wrap_here
from ._odd_comparisons import COMPARISONS, by_numpy
from ._promotion import OPS, TABLE, dtype_number, numpy_function
from ._ufunc.calls import call, checked_out

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_or": "any",
    "logical_and": "all",
    **{
        name: f"reduce_{name}"
        for name in "fmax fmin logical_xor bitwise_and bitwise_or bitwise_xor gcd lcm hypot logaddexp logaddexp2".split()
    },
}
_unset = numpy._NoValue
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
    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_unset, where=True):
        """Reduce an array along axes by applying the function.

        Lazy. Associative functions are reduced in parallel, in an order of their own. Others are applied from left to right,
        for all elements of the result at the same time.
        """
        from ._reductions import reduce
        from ._ufunc.left_folds import reduce_from_the_left

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
        name = _REDUCTIONS.get(self.__name__)
        if name is not None:
            return reduce(name, array, axis, dtype, out, keepdims, initial, where)
        if self.__name__ == "subtract" and initial is _unset and where is True:
            from ._scans import reduce_subtract

            return reduce_subtract(array, axis, dtype, out, keepdims)
        return reduce_from_the_left(self, array, axis, dtype, out, keepdims, initial, where)

    @numpys_own
    def outer(self, left, right, /, **keywords):
        """Apply the function to all pairs of elements."""
        if self.nin != 2:
            raise ValueError("outer product only supported for binary functions")
        left, right = asarray(left), asarray(right)
        return self(left[(Ellipsis,) + (None,) * right.ndim], right, **keywords)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Accumulate the results of the function along an axis.

        Lazy. A distributed array of one dimension is accumulated for associative functions and for subtract only.
        """
        from ._scans import accumulate

        if self.nin != 2 or self.nout != 1:
            self._numpy.accumulate(numpy.ones(1))  # NumPy's words
        array, out = asarray(array), alone(out)
        if has_distributed((array, out)):
            return accumulate(self.__name__, self._numpy, array, axis, dtype, out)
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
        from ._ufunc.reduceat import reduceat

        out = alone(out)
        if not has_distributed((array, indices, out)):
            result = call_numpy(self._numpy.reduceat, "reduceat", (array, indices, axis, dtype, out), {})
            return result if out is None else out
        return reduceat(self, array, indices, axis, dtype, out)

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
        from ._ufunc.at import at

        operands = () if b is _unset else (b,)
        if not is_output(a):
            raise TypeError("first operand must be array")
        if self.nout > 1:
            raise ValueError("Only single output ufuncs supported at this time")
        if len(operands) != self.nin - 1:
            raise ValueError(
                "second operand needed for ufunc" if self.nin == 2 else f"{self.__name__}.at takes no second operand"
            )
        if has_distributed((a, indices, *operands)):
            at(self, a, indices, operands)
        else:
            self._numpy.at(unwrap(a), unwrap(indices), *map(unwrap, operands))


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
        """Every call but the plain one with operands alone, which `_core.Ufunc` makes."""
        if isinstance(out, _core.Array) and not keywords and len(inputs) == self.nin:  # what loops do
            result = _core.evaluate_into(self._op, out, *inputs)
            if result is not NotImplemented:
                return result
        if any(map(decides_itself, inputs)):
            return self._numpy(*inputs, **({} if out is None else {"out": out}), **keywords)
        inputs, out = self._split(inputs, out)
        (target,) = out
        if keywords.get("where", True) is True:
            keywords.pop("where", None)
        if not keywords:
            if target is None:
                result = _core.evaluate(self._op, *inputs)
            elif is_distributed(target) or isinstance(target, _core.Array):
                result = _core.evaluate_into(self._op, target, *inputs)
            else:
                result = _core.evaluate_into(self._op, wrap_here(target), *inputs)
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
            plain = [value._a if isinstance(value, _core.Array) else value for value in inputs]
            if len(inputs) == self.nin and not has_distributed(inputs):
                return tuple(map(wrap, self._numpy(*plain)))
        from ._ufunc.two_results import compute

        inputs, out = self._split(inputs, out)
        inputs = tuple(value if type(value) in (int, float) else asarray(value) for value in inputs)
        if not has_distributed((*inputs, *out, keywords.get("where"))):
            return self._here(inputs, out, keywords)
        return compute(self, UFUNCS, inputs, out, **keywords)


PUBLIC["modf"] = PairUfunc("modf", "Fraction and integer part, each with the sign of x.", ("x",), "[0.5, 1.5, -2.5]")
PUBLIC["frexp"] = PairUfunc("frexp", "Mantissa in [0.5, 1) and exponent: x = mantissa * 2**exponent.", ("x",), "[0.5, 1.5, -2.5]")
PUBLIC["divmod"] = PairUfunc("divmod", "Quotient rounded down, and remainder.", ("x1", "x2"), "[7, 8, 9], 4")
divmod = PUBLIC["divmod"]


def where(condition, x=_unset, y=_unset):
    """Choose elements of x where the condition is true, else of y.

    Lazy. With the condition alone it is `nonzero`, which triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.where([True, False], 1, 2).tolist()
    [1, 2]
    """
    if (x is _unset) != (y is _unset):
        raise ValueError("either both or neither of x and y should be given")
    if x is _unset:
        from ._index import nonzero

        return nonzero(condition)
    result = _core.evaluate(OPS["where"], condition, x, y)
    if result is NotImplemented:  # texts, dates, objects
        if has_distributed((condition, x, y)):
            raise unsupported_dtype(
                numpy.result_type(*(value.dtype if is_distributed(value) else numpy.asarray(value) for value in (x, y)))
            )
        return call_numpy(numpy.where, "where", (condition, x, y), {})
    return result


@numpys_own
def astype(array, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The array cast to another dtype; a copy unless `copy` is false and nothing changes."""
    if array._b is None:
        result = array._a.astype(dtype, order, casting, copy=copy)
        return array if result is array._a else wrap_here(result)
    dtype, _ = numpy.dtype(dtype), flag(subok)
    if order != "K":
        numpy.empty(0).astype(float, order)  # for its error
    if not numpy.can_cast(array.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {array.dtype!r} to {dtype!r} according to the rule {casting!r}")
    if not copy and dtype == array.dtype:
        return array
    loop, result = dtype_number(array.dtype), dtype_number(dtype)
    if array.dtype.kind == "c":
        _core.warn_of_real_parts(loop, result)
    return _core.apply(OPS["copy"], loop, result, (array,), None)


def _has_negative(array):
    """True when an array holds a number below zero. Triggers evaluation."""
    return bool((array < 0).any())


_core.set_negative_hook(_has_negative)
