# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of whole arrays."""
import numpy

from . import _core
from ._creation import asarray
from ._local import call_numpy, has_distributed
from ._promotion import OPS


def _op(name, *operands):
    return _core.evaluate(OPS[name], *operands)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True where |a - b| <= atol + rtol * |b|. See `numpy.isclose`."""
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)) and max(a.size, b.size) < _core.threshold():
        return call_numpy(numpy.isclose, "isclose", (a, b, rtol, atol, equal_nan), {})
    if b.dtype.kind in "biu":
        b = b.astype(numpy.result_type(b.dtype, 1.0))
    both_finite = _op("logical_and", _op("isfinite", a), _op("isfinite", b))
    within = _op("less_equal", _op("absolute", _op("subtract", a, b)), _op("add", _op("multiply", _op("absolute", b), rtol), atol))
    # Infinities are close to themselves only; NaN to nothing unless asked.
    result = _op("where", both_finite, within, _op("equal", a, b))
    if equal_nan:
        result = _op("logical_or", result, _op("logical_and", _op("isnan", a), _op("isnan", b)))
    return result


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True when all elements are close. Triggers evaluation. See `numpy.allclose`."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1, a2, equal_nan=False):
    """True when shapes and elements are equal. Triggers evaluation. See `numpy.array_equal`."""
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return False
    if not has_distributed((a1, a2)):
        return numpy.array_equal(a1._a, a2._a, equal_nan)
    same = _op("equal", a1, a2)
    if equal_nan:
        same = _op("logical_or", same, _op("logical_and", _op("isnan", a1), _op("isnan", a2)))
    return bool(same.all())


def array_equiv(a1, a2):
    """True when shapes broadcast and all elements are equal. Triggers evaluation. See `numpy.array_equiv`."""
    a1, a2 = asarray(a1), asarray(a2)
    try:
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    if not has_distributed((a1, a2)):
        return numpy.array_equiv(a1._a, a2._a)
    return bool(_op("equal", a1, a2).all())


def _equals(x, infinity):
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    return _op("equal", x, infinity)


def isposinf(x, out=None):
    """True where positive infinity. See `numpy.isposinf`."""
    result = _equals(x, numpy.inf)
    if out is None:
        return result
    out[...] = result
    return out


def isneginf(x, out=None):
    """True where negative infinity. See `numpy.isneginf`."""
    result = _equals(x, -numpy.inf)
    if out is None:
        return result
    out[...] = result
    return out
