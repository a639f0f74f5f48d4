# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of whole arrays."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._errors import unsupported_dtype
from .._local import as_value, call_numpy, has_distributed, is_distributed
from .._promotion import OPS, is_supported
from ._objects import PUBLIC

__all__ = ["allclose", "array_equal", "array_equiv", "isclose", "isneginf", "isposinf"]


def _op(name, *operands):
    result = _core.evaluate(OPS[name], *operands)
    return PUBLIC[name](*operands) if result is NotImplemented else result  # which computes it with NumPy, or refuses it by name


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Test for each pair of elements whether |a - b| <= atol + rtol * |b|."""
    a, b = asarray(a), asarray(b)
    others = [each.dtype for each in (a, b) if not is_supported(each.dtype)]
    if others and any(is_distributed(each) and each.ndim for each in (a, b)):
        raise unsupported_dtype(others[0])
    if others or not has_distributed((a, b)) and max(a.size, b.size) < _core.threshold():
        return call_numpy(numpy.isclose, "isclose", (a, b, rtol, atol, equal_nan), {})
    if b.dtype.kind in "biu":
        b = b.astype(numpy.result_type(b.dtype, 1.0))
    both_finite = _op("logical_and", _op("isfinite", a), _op("isfinite", b))
    within = _op(
        "less_equal", _op("absolute", _op("subtract", a, b)), _op("add", _op("multiply", _op("absolute", b), rtol), atol)
    )
    # Infinities are close to themselves only; NaN to nothing unless asked.
    result = _op("where", both_finite, within, _op("equal", a, b))
    if equal_nan:
        result = _op("logical_or", result, _op("logical_and", _op("isnan", a), _op("isnan", b)))
    return as_value(result)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True when all elements of two arrays are equal within a tolerance.

    Triggers evaluation.
    """
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def _given(a1, a2):
    """Both arguments as arrays, None where one is none; what no engine holds stays NumPy's."""
    try:
        pair = [a if _core.is_ours(a) else asarray(a) if has_distributed((a,)) else numpy.asarray(a) for a in (a1, a2)]
    except Exception:
        return None
    return [asarray(a) if a.dtype.kind in "biufc" else a for a in pair]


def _all_equal(a1, a2):
    same = a1 == a2
    return same if isinstance(same, bool) else bool(same.all())


def array_equal(a1, a2, equal_nan=False):
    """True when two arrays have the same shape and elements.

    Triggers evaluation.
    """
    pair = _given(a1, a2)
    if pair is None or pair[0].shape != pair[1].shape:
        return False
    a1, a2 = pair
    if not has_distributed(pair):
        return call_numpy(numpy.array_equal, "array_equal", (a1, a2, equal_nan), {})
    if not equal_nan:
        return _all_equal(a1, a2)
    same = _op("equal", a1, a2)
    same = _op("logical_or", same, _op("logical_and", _op("isnan", a1), _op("isnan", a2)))
    return bool(same.all())


def array_equiv(a1, a2):
    """True when the shapes of two arrays broadcast and all elements are equal.

    Triggers evaluation.
    """
    pair = _given(a1, a2)
    try:
        numpy.broadcast_shapes(*(a.shape for a in pair or ()))
    except ValueError:
        pair = None
    if pair is None:
        return False
    a1, a2 = pair
    if not has_distributed(pair):
        return call_numpy(numpy.array_equiv, "array_equiv", (a1, a2), {})
    return _all_equal(a1, a2) if a1.shape == a2.shape or is_distributed(a1) else _all_equal(a2, a1)


def _equals(x, infinity):
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    return _op("equal", x, infinity)


def isposinf(x, out=None):
    """Test each element for positive infinity."""
    result = _equals(x, numpy.inf)
    if out is None:
        return result
    out[...] = result
    return out


def isneginf(x, out=None):
    """Test each element for negative infinity."""
    result = _equals(x, -numpy.inf)
    if out is None:
        return result
    out[...] = result
    return out


def truth_of(array):
    """The array as bools: itself when it holds bools, else where it is not zero."""
    if array.dtype.kind in "biufc":
        return array if array.dtype == bool else array != 0
    return asarray(numpy.asarray(array).astype(object).astype(bool))  # of texts: where there is one
