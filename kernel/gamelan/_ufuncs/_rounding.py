# SPDX-License-Identifier: BSD-3-Clause
"""round: multiplied, rounded and divided, or the other way round, as NumPy does it: each of the three steps is stored in the
dtype of the result, and what a step computes in is NumPy's answer for these operands. So a float32 without axes is multiplied
in float64."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._imported_numpy import ROUNDING_COPIES
from .._local import as_value
from .._promotion import OPS, dtype_number, resolve
from ._calls import described
from ._objects import PUBLIC


def rounded(a, decimals, out):
    """The distributed array rounded, or `out` with it."""
    if not -(2**31) <= decimals < 2**31:
        raise OverflowError(f"the number of decimals {decimals} does not fit into 32 bits")
    if out is not None and out.size != a.size:
        raise ValueError("invalid output shape")
    if a.dtype.kind == "c":
        result = filled(a.shape, a.dtype, 0) if out is None else out
        result.real = rounded(a.real, decimals, None)
        result.imag = rounded(a.imag, decimals, None)
        return as_value(result) if out is None else result
    is_integer = a.dtype.kind in "iu"
    if is_integer and decimals >= 0:
        return _unchanged(a, out)
    if decimals == 0:
        return PUBLIC["rint"](a) if out is None else PUBLIC["rint"](a, out=out)
    first, last = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
    factor = _power_of_ten(abs(decimals))
    if out is not None:
        PUBLIC[first](a, factor, out=out)
        PUBLIC["rint"](out, out=out)
        return PUBLIC[last](out, factor, out=out)
    dtype = numpy.dtype(float) if is_integer else a.dtype
    result = _step(last, _step("rint", _step(first, a, dtype, factor), dtype), dtype, factor)
    return as_value(result.astype(a.dtype) if is_integer else result)


def _step(name, a, dtype, *factor):
    number = dtype_number(dtype)
    loop = number if a.dtype == dtype == float else resolve(name, [described(a), *factor], dtype)[0]
    return _core.apply(OPS[name], loop, number, (a, *factor), None)


def _unchanged(a, out):
    if out is None:
        return a if a.ndim and not ROUNDING_COPIES else PUBLIC["positive"](a)
    if not numpy.can_cast(a.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to {out.dtype!r} according to the rule 'same_kind'")
    out[...] = a
    return out


def _power_of_ten(exponent):
    try:
        return 10.0**exponent
    except OverflowError:
        return numpy.inf
