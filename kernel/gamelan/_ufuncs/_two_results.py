# SPDX-License-Identifier: BSD-3-Clause
"""Universal functions with two results, of operations with one, which the engines fuse: modf, frexp, divmod. Exact: what is
estimated (an exponent) is corrected."""

import numpy

from .. import _core
from .._local import as_value
from .._promotion import OPS, dtype_number
from .._views._plain import broadcast_to
from ._calls import described, general


def compute(ufunc, ufuncs, inputs, out, where=True, casting="same_kind", **keywords):
    """Both results, into `out` where given."""
    dtypes = _asked(ufunc, inputs, out, casting, keywords)
    kind = numpy.dtype(dtypes[0])
    values = _PARTS[ufunc.__name__](ufuncs, kind, inputs)
    shape = numpy.broadcast_shapes(values[0].shape, *(each.shape for each in out if each is not None))
    results = []
    for value, dtype, target in zip(values, dtypes[-2:], out):
        value = value if value.dtype == dtype else value.astype(dtype)
        if target is None and where is True:
            results.append(as_value(value) if value.shape == shape else broadcast_to(value, shape).copy())
        else:
            results.append(general("positive", OPS["copy"], (value,), target, where, casting="unsafe"))
    return tuple(results)


def _asked(ufunc, inputs, out, casting, keywords):
    """The dtypes of the loop, operands first; NumPy's errors."""
    probes = [_probe(each) for each in map(described, inputs)]
    shape = numpy.broadcast_shapes(*map(numpy.shape, probes))
    targets = tuple(None if each is None else numpy.empty(shape, each.dtype) for each in out)
    with numpy.errstate(all="ignore"):
        ufunc._numpy(*probes, out=targets, casting=casting, **keywords)
        results = ufunc._numpy(*probes, casting="unsafe", **keywords)
    first = results[0].dtype
    return (first,) * ufunc.nin + tuple(each.dtype for each in results)


def _probe(described):
    """An array without elements for a dtype, a one for the dtype of a 0-d array, a number for itself."""
    if isinstance(described, tuple):
        return numpy.ones((), described[0])
    return numpy.empty(0, described) if isinstance(described, numpy.dtype) else described


def _fraction_and_integer(ufuncs, dtype, inputs):
    (x,) = inputs
    x = x.astype(dtype)
    integer = ufuncs["trunc"](x)
    fraction = _where(ufuncs["isinf"](x), 0, x - integer)
    return ufuncs["copysign"](fraction, x), integer


def _mantissa_and_exponent(ufuncs, dtype, inputs):
    (x,) = inputs
    x = x.astype(dtype)
    has_exponent = ufuncs["logical_and"](ufuncs["isfinite"](x), x != 0)
    size = _where(has_exponent, ufuncs["absolute"](x), 1)
    guess = ufuncs["floor"](ufuncs["log2"](size)) + 1  # off by one at most
    mantissa = ufuncs["ldexp"](size, (-guess).astype(numpy.int32))
    exponent = guess + (mantissa >= 1) - (mantissa < 0.5).astype(dtype)
    exponent = _where(has_exponent, exponent, 0).astype(numpy.int32)
    return ufuncs["ldexp"](x, -exponent), exponent


def _quotient_and_remainder(ufuncs, dtype, inputs):
    number = dtype_number(dtype)
    return tuple(_core.apply(OPS[name], number, number, inputs, None) for name in ("floor_divide", "remainder"))


def _where(condition, x, y):
    return _core.evaluate(OPS["where"], condition, x, y)


_PARTS = {"modf": _fraction_and_integer, "frexp": _mantissa_and_exponent, "divmod": _quotient_and_remainder}
