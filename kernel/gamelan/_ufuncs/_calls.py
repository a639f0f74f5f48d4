# SPDX-License-Identifier: BSD-3-Clause
"""Calls of a universal function with out=, where=, dtype=, casting=, signature=, when something is distributed. NumPy is
asked first, with operands of the same dtypes and no elements: its errors are the user's, at once, and its dtypes ours."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._float_errors import numpys_own
from .._local import as_value, is_distributed, is_output, is_value, unwrap
from .._promotion import DTYPES, OPS, dtype_number, resolve


def described(value):
    """What `_promotion.resolve` is asked with for an operand."""
    if isinstance(value, (_core.Array, numpy.ndarray)):
        return value.dtype if value.ndim else (value.dtype,) if is_distributed(value) else unwrap(value)
    return value if numpy.ndim(value) == 0 else numpy.asarray(value).dtype


def checked_out(name, count, inputs, out, positional):
    """The outputs that a call names, one for each result, None where it names none."""
    if positional and out is not None:
        raise TypeError("cannot specify 'out' as both a positional and keyword argument")
    if out is not None and type(out) is not tuple:
        if count > 1:
            raise TypeError("'out' must be a tuple of arrays")
        out = (out,)
    if out is not None and len(out) != count:
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    out = positional if out is None else out
    out = (*out, *(None,) * (count - len(out)))
    if any(each is not None and not is_output(each) for each in out):
        raise TypeError("return arrays must be of ArrayType")
    return out


@numpys_own
def general(name, op, inputs, out, where=True, **keywords):
    """The function with any of NumPy's keywords; `out` is an array or None. What `where` leaves out is computed, too, when
    there is no `out` (NumPy does not say what stands there)."""
    inputs = tuple(operand(value) for value in inputs)
    mask = None if where is True else _mask(where)
    loop, result, inputs = _resolved(name, inputs, out, keywords)
    _check_power(name, loop, inputs)
    shape = numpy.broadcast_shapes(*map(numpy.shape, inputs), () if mask is None else mask.shape)
    compute = _core.apply if mask is None else _apply_unheard
    if out is None:
        value = compute(op, loop, result, inputs, None)
        return as_value(value) if value.shape == shape else _spread(value, shape)
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
    if numpy.broadcast_shapes(shape, out.shape) != out.shape:
        raise ValueError(f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {shape}")
    if is_distributed(out) and mask is None:
        return _core.apply(op, loop, result, inputs, out)
    value = compute(op, loop, result, inputs, None)
    if is_distributed(out):
        number = dtype_number(out.dtype)
        _core.apply(OPS["where"], number, number, (mask, value, out), out)
    else:
        numpy.copyto(out, numpy.asarray(value), "unsafe", True if mask is None else numpy.asarray(mask))
    return out


def _apply_unheard(*arguments):
    """`_core.apply`, whose floating-point errors are not told: some are of elements that `where` leaves out."""
    return _core.apply(*arguments)


def operand(value):
    """A number or an array; lists and other libraries' arrays become arrays."""
    if isinstance(value, (_core.Array, numpy.ndarray, numpy.generic, int, float, complex)):
        return value
    return asarray(value)


def _mask(where):
    mask = asarray(where)
    if mask.dtype == bool:
        return mask
    if isinstance(where, numpy.ndarray) or _core.is_ours(where) and not is_value(where):
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    return mask.astype(bool)


def _resolved(name, inputs, out, keywords):
    """Loop and result dtype numbers, and the inputs: those whose value decides are fetched."""
    dtype = None if out is None else out.dtype
    while True:
        loop, result, needs_value = resolve(name, [described(value) for value in inputs], dtype, **keywords)
        if not needs_value:
            return loop, result, inputs
        inputs = tuple(numpy.asarray(value)[()] if needs_value >> index & 1 else value for index, value in enumerate(inputs))


def _check_power(name, loop, inputs):
    if name != "power" or DTYPES[loop].kind != "i":
        return
    exponent = asarray(inputs[1])
    if exponent.dtype.kind == "i" and bool((exponent < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")


def _spread(value, shape):
    """The value over a larger shape, an array of its own."""
    result = filled(shape, value.dtype, 0)
    result[...] = value
    return result


@numpys_own
def call(name, op, inputs, out, keywords):
    """As `general`; a small output of small operands that only `where` makes distributed is filled by NumPy."""
    return general(name, op, inputs, out, **keywords)
