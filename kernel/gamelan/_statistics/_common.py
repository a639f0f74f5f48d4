# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of this package share: which arguments are NumPy's to compute, axes, counts and outputs."""

import functools
import math

import numpy

from .. import _core
from .._arguments import flag
from .._creation._from_data import asarray
from .._imported_numpy import numpys
from .._local import as_output, as_value, call_numpy, each, gathered, has_distributed, is_distributed
from .._promotion import OPS, dtype_number

unset = numpy._NoValue
_AXIS = {"axis"}


def _emptied(value):
    """The value with NumPy's arrays in place of distributed ones without elements, also inside tuples and lists."""
    if is_distributed(value) and value.size == 0:
        return numpy.empty(value.shape, value.dtype)
    return each(_emptied, value) if isinstance(value, (tuple, list)) else value


def _has_axes(values):
    """True when a distributed array that has axes is among the values, also inside tuples and lists."""
    return any(
        value.ndim > 0 if is_distributed(value) else isinstance(value, (tuple, list)) and _has_axes(value) for value in values
    )


def is_of_reals(array):
    """True for a distributed array of float32 or float64 that has axes and elements."""
    return is_distributed(array) and array._a.dtype.char in "fd" and array._a.ndim > 0 and array._a.size > 0


def of_numpy(function, plain=None):
    """A function that NumPy computes when all its arguments are here, or have no elements, or are numbers beside a first one
    that is here; the body sees at least one distributed array that has some. `plain`: the same of one real distributed array
    that has elements, and of an axis; a look at every argument would take longer than the call."""
    theirs = numpys(function.__name__)

    @functools.wraps(function)
    def apply(*arguments, **keywords):
        if plain is not None and len(arguments) == 1 and keywords.keys() <= _AXIS and is_of_reals(arguments[0]):
            return plain(*arguments, **keywords)
        if has_distributed(arguments) or has_distributed(keywords.values()):
            out = keywords.get("out")
            arguments = tuple(map(_emptied, arguments))
            keywords = {name: value if name == "out" else _emptied(value) for name, value in keywords.items()}
            if out is not None or has_distributed(arguments[:1]) or _has_axes((*arguments, *keywords.values())):
                return function(*arguments, **keywords)
        result = call_numpy(theirs, theirs.__name__, arguments, keywords)
        out = keywords.get("out")
        return result if out is None else out

    return apply


def document(summary, example="", note=""):
    """Sets the docstring of a function: a sentence, what differs from NumPy, an example."""

    def decorate(function):
        shown = f"\nExamples\n--------\n>>> import gamelan as np\n{example}\n" if example else ""
        more = f"\n{note}\n" if note else ""
        function.__doc__ = f"{summary}\n{more}{shown}"
        return function

    return decorate


def on_engines(array):
    """The array on the engines; one that is here is sent."""
    array = asarray(array)
    return array if is_distributed(array) else _core.upload(numpy.asarray(array))


def small(array):
    """A short argument as a NumPy array. One that lives on the engines is fetched, within `config.gather_limit`."""
    return numpy.asarray(gathered(array))


def count_along(array, axes):
    """How many elements each fold over the axes has."""
    return math.prod(array.shape[axis] for axis in axes)


def is_true(keepdims):
    """A flag that NumPy's Python asks for its truth."""
    return keepdims is not unset and bool(keepdims)


def is_kept(keepdims):
    """`keepdims` where NumPy hands it to a fold, which takes whole numbers."""
    return keepdims is not unset and flag(keepdims)


def is_given(where):
    return where is not unset and where is not True


def stored(result, out):
    """The result, or `out` holding it. An array without axes stands for a scalar."""
    if out is None:
        return as_value(result) if is_distributed(result) else result
    out = as_output(out)
    if out.shape != result.shape:
        raise ValueError(f"output parameter has the wrong shape: got {out.shape}, expected {result.shape}")
    out[...] = result
    return out


def cast(array, dtype):
    """A distributed array as another dtype; itself when it is that."""
    if array.dtype == dtype:
        return array
    return _core.apply(OPS["copy"], dtype_number(array.dtype), dtype_number(dtype), (array,), None)


def divided(total, count, result):
    """total / count in the precision of `total`, as dtype `result`; `count` is a number or an array."""
    loop = total.dtype if total.dtype.kind in "fc" else numpy.dtype(float)
    return _core.apply(OPS["divide"], dtype_number(loop), dtype_number(result), (total, count), None)
