# SPDX-License-Identifier: BSD-3-Clause
"""Every universal function of the op table, built in a loop: one object per element-wise row, documented from the row."""
import inspect

import numpy

from . import _core
from ._errors import unimplemented
from ._local import call_numpy, has_distributed, is_distributed, unwrap, wrap, wrap_here
from ._promotion import OPS, TABLE, dtype_number, numpy_function, resolve

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

Works on arrays of any size: small ones are computed at once by NumPy, distributed ones are recorded and computed later.
`where` is only supported for arrays that are here. See `numpy.{name}` for the full description.

Examples
--------
>>> import gamelan as np
>>> np.{name}({example}).shape
(3,)

See Also
--------
numpy.{name}
"""


def _describe(value):
    """What `_promotion.resolve` is asked with for an operand."""
    if isinstance(value, (_core.Array, numpy.ndarray)):
        return value.dtype if value.ndim else (value.dtype,) if is_distributed(value) else unwrap(value)
    return value if numpy.ndim(value) == 0 else numpy.asarray(value).dtype


class ufunc(_core.Ufunc):
    """An element-wise function. Instances are made from the op table, not by users."""

    nout = 1

    def __new__(cls, row):
        return super().__new__(cls, row["op"], row["arity"])

    def __init__(self, row):
        self.__name__ = row["name"]
        self._numpy = numpy_function(row["name"])
        numbers = "[1, 1, 1]" if row["types"].startswith("integer") else "[0.5, 0.5, 0.5]"
        example = ", ".join([numbers] * self.nin)
        self.__doc__ = _DOC.format(doc=row["doc"], name=row["name"], example=example)
        names = ("x",) if self.nin == 1 else ("x1", "x2")
        positional = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        keywords = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in (("out", None), ("where", True), ("casting", "same_kind"), ("dtype", None))
        ]
        self.__signature__ = inspect.Signature(positional + keywords)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._numpy, name)  # identity, types, ntypes: facts that are NumPy's

    def _call(self, *inputs, out=None, where=True, casting="same_kind", dtype=None, **keywords):
        """Every call but the plain one with operands alone, which `_core.Ufunc` makes."""
        if len(inputs) == self.nin + 1 and out is None:
            *inputs, out = inputs
        if len(inputs) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} positional arguments but {len(inputs)} were given")
        if type(out) is tuple:
            (out,) = out
        if out is not None and not isinstance(out, (_core.Array, numpy.ndarray)):
            raise TypeError("return arrays must be of ArrayType")
        return self._general(inputs, out, where, casting, dtype, keywords)

    def _refuse(self, inputs):
        if has_distributed(inputs):
            names = ", ".join(type(value).__name__ for value in inputs)
            raise TypeError(f"ufunc '{self.__name__}' not supported for the input types: {names}")
        return wrap(self._numpy(*map(unwrap, inputs)))

    def _general(self, inputs, out, where, casting, dtype, keywords):
        if out is None and where is True and dtype is None and casting == "same_kind":
            result = _core.evaluate(self._op, *inputs)
            return self._refuse(inputs) if result is NotImplemented else result
        if not has_distributed((*inputs, out, where)):
            keywords = {"where": unwrap(where), "casting": casting, "dtype": dtype, **keywords}
            result = self._numpy(*map(unwrap, inputs), out=unwrap(out), **keywords)
            return wrap(result) if out is None else out
        if where is not True:
            raise unimplemented(f"{self.__name__}(where=...)", "use gamelan.where on the result")
        if set(keywords) - {"order", "subok"}:
            raise unimplemented(f"{self.__name__}({', '.join(keywords)})")
        if out is not None and not is_distributed(out):
            target = out if isinstance(out, _core.Array) else wrap_here(out)
            if dtype is None and casting == "same_kind":
                _core.evaluate_into(self._op, target, *inputs)
            else:
                value = self._general(inputs, None, True, casting, dtype, {})
                numpy.copyto(target._a, numpy.asarray(value), casting=casting)
            return out
        if dtype is None and casting == "same_kind":
            result = _core.evaluate_into(self._op, out, *inputs)
            return self._refuse(inputs) if result is NotImplemented else result
        if casting not in ("same_kind", "unsafe"):
            raise unimplemented(f"{self.__name__}(casting={casting!r})")
        checked = out.dtype if out is not None and casting == "same_kind" else None
        described = [_describe(value) for value in inputs]
        loop, result, _ = resolve(self.__name__, described, checked, None if dtype is None else numpy.dtype(dtype))
        return _core.apply(self._op, loop, result, inputs, out)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_unset, where=True):
        """Fold along axes, as `numpy.ufunc.reduce`. In parallel where the operation is associative; others are folded from
        the left, side by side for the elements of the result."""
        from ._creation import asarray
        from ._reductions import reduce
        from ._scans import reduce_subtract

        array = asarray(array)
        if not has_distributed((array, out, where)):
            keywords = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "where": where}
            if initial is not _unset:
                keywords["initial"] = initial
            result = call_numpy(self._numpy.reduce, f"{self.__name__}.reduce", (array,), keywords)
            return result if out is None else out
        if not is_distributed(array):
            array = _core.upload(numpy.asarray(array))
        name = _REDUCTIONS.get(self.__name__)
        if name is not None:
            return reduce(name, array, axis, dtype, out, keepdims, initial, where)
        if self.__name__ == "subtract" and initial is _unset and where is True:
            return reduce_subtract(array, axis, dtype, out, keepdims)
        raise unimplemented(f"{self.__name__}.reduce")

    def outer(self, left, right, **keywords):
        """The function of every pair of elements, as `numpy.ufunc.outer`."""
        from ._creation import asarray

        left, right = asarray(left), asarray(right)
        return self(left[(Ellipsis,) + (None,) * right.ndim], right, **keywords)

    def _here_only(self, method, arguments, keywords):
        return call_numpy(getattr(self._numpy, method), f"{self.__name__}.{method}", arguments, keywords)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Running fold along an axis, as `numpy.ufunc.accumulate`; distributed where the operation is associative."""
        from ._creation import asarray
        from ._scans import accumulate

        array = asarray(array)
        if is_distributed(array) or is_distributed(out):
            return accumulate(self.__name__, self._numpy, array, axis, dtype, out)
        result = self._numpy.accumulate(unwrap(array), axis, dtype, unwrap(out))
        return wrap(result) if out is None else out

    def reduceat(self, *arguments, **keywords):
        """As `numpy.ufunc.reduceat`, for arrays that are here."""
        return self._here_only("reduceat", arguments, keywords)

    def at(self, *arguments, **keywords):
        """As `numpy.ufunc.at`, for arrays that are here."""
        return self._here_only("at", arguments, keywords)


UFUNCS = {name: ufunc(row) for name, row in TABLE.items() if row["kind"] in ("unary", "binary") and name != "copy"}
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


def divmod(x1, x2):
    """Quotient rounded down and remainder, as `numpy.divmod`."""
    return UFUNCS["floor_divide"](x1, x2), UFUNCS["remainder"](x1, x2)


def where(condition, x=None, y=None):
    """Elements of x where the condition holds, else of y.

    The form with the condition alone has a shape that depends on data: for arrays that are here only.

    Examples
    --------
    >>> import gamelan as np
    >>> np.where([True, False], 1, 2).tolist()
    [1, 2]

    See Also
    --------
    numpy.where
    """
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    if x is None:
        return call_numpy(numpy.where, "where(condition)", (condition,), {})
    result = _core.evaluate(OPS["where"], condition, x, y)
    if result is NotImplemented:
        return call_numpy(numpy.where, "where", (condition, x, y), {})
    return result


def astype(array, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The array cast to another dtype; a copy unless `copy` is false and nothing changes."""
    if array._b is None:
        result = array._a.astype(dtype, order, casting, copy=copy)
        return array if result is array._a else wrap_here(result)
    dtype = numpy.dtype(dtype)
    if not numpy.can_cast(array.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {array.dtype!r} to {dtype!r} according to the rule {casting!r}")
    if not copy and dtype == array.dtype:
        return array
    return _core.apply(OPS["copy"], dtype_number(array.dtype), dtype_number(dtype), (array,), None)


def _has_negative(array):
    """True when an array holds a number below zero. Triggers evaluation."""
    return bool((array < 0).any())


_core.set_negative_hook(_has_negative)
