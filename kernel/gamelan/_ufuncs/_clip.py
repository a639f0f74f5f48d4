# SPDX-License-Identifier: BSD-3-Clause
"""clip. Of distributed arrays: the larger with one limit, then the smaller with the other, in the dtype that NumPy's own
ufunc for it would compute in."""

import warnings

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._imported_numpy import CLIP_CASTS, NUMBERS_ARE_WEAK
from .._imported_numpy import clip as numpys_clip
from .._local import alone, as_output, as_value, call_numpy, has_distributed, is_distributed
from .._promotion import OPS, dtype_number
from ._calls import described, general, operand
from ._objects import PUBLIC

__all__ = ["clip"]


_unset = numpy._NoValue
_MAXIMUM, _MINIMUM, _DOUBLE = OPS["maximum"], OPS["minimum"], dtype_number(numpy.dtype(float))


def _is_plain(limit):
    """True for a float of Python that is no NaN, and for a whole number that is the same as a float."""
    return type(limit) is float and limit == limit or type(limit) is int and -(2**53) <= limit <= 2**53


def clip(a, a_min=_unset, a_max=_unset, out=None, *, min=_unset, max=_unset, **keywords):
    """Limit the elements to an interval."""
    if out is None and not keywords and _is_plain(a_min) and _is_plain(a_max) and is_distributed(a) and a._a.dtype.char == "d":
        raised = _core.apply(_MAXIMUM, _DOUBLE, _DOUBLE, (a, a_min), None)  # nothing is left to decide
        return as_value(_core.apply(_MINIMUM, _DOUBLE, _DOUBLE, (raised, a_max), None))
    given = {"a_min": a_min, "a_max": a_max, "min": min, "max": max}
    given = {name: value for name, value in given.items() if value is not _unset}
    if given.keys() != {"a_min", "a_max"}:
        numpy.clip(0, **{name: None if value is None else 0 for name, value in given.items()})  # for its errors
        a_min, a_max = (given.get(f"a_{name}", given.get(name)) for name in ("min", "max"))
    if not has_distributed((a, a_min, a_max, out)):
        a = asarray(a)
        if a.size < _core.threshold():
            return call_numpy(numpy.clip, "clip", (a, a_min, a_max), {"out": out, **keywords})
    return _clipped(a, a_min, a_max, out, **keywords)


def _clipped(a, low, high, out=None, casting=None, where=True, **keywords):
    """`clip` when something is distributed, or the result is large."""
    low, high = _limit(low, -numpy.inf), _limit(high, numpy.inf)
    if out is not None:
        out = as_output(alone(out))
    if NUMBERS_ARE_WEAK:
        low, high = _within(asarray(a).dtype, low, high)
    if low is None and high is None:
        numpy.clip(numpy.empty(0, asarray(a).dtype), None, None)  # for its errors
        return PUBLIC["positive"](a, out=out, where=where, **keywords, **({} if casting is None else {"casting": casting}))
    operands = tuple(_known(each) for each in (asarray(a), low, high) if each is not None)
    name = "clip" if len(operands) == 3 else "maximum" if high is None else "minimum"
    dtype, casting = _decided(name, operands, out, casting, keywords)
    number = dtype_number(dtype)
    value, limits = operands[0], operands[1:]
    for op, limit in zip(("minimum",) if name == "minimum" else ("maximum", "minimum"), limits):
        value = _core.apply(OPS[op], number, number, (value, limit), None)
    if out is None and where is True:
        return as_value(value)
    return general("positive" if value.dtype != bool else "logical_or", OPS["copy"], (value,), out, where, casting="unsafe")


def _within(dtype, low, high):
    """The limits without whole numbers that no element of that dtype exceeds."""
    if dtype.kind in "iu":
        low = None if type(low) is int and low <= numpy.iinfo(dtype).min else low
        high = None if type(high) is int and high >= numpy.iinfo(dtype).max else high
    return low, high


def _limit(limit, none):
    """NumPy 1 ignores a limit that is a NaN, though it takes part in the promotion."""
    return none if CLIP_CASTS and isinstance(limit, (float, numpy.floating)) and limit != limit else limit


def _known(value):
    """A number on the engines takes part in the promotion by its value."""
    value = operand(value)
    return numpy.asarray(value)[()] if is_distributed(value) and not value.ndim else value


def _decided(name, operands, out, casting, keywords):
    """The dtype of the result and the casting to it; NumPy's errors, and its warning."""
    function = numpys_clip if name == "clip" else getattr(numpy, name)
    probes = [numpy.empty(0, each) if isinstance(each, numpy.dtype) else each for each in map(described, operands)]
    shape = numpy.broadcast_shapes(*map(numpy.shape, probes))
    target = None if out is None else numpy.empty(shape, out.dtype)
    with numpy.errstate(all="ignore"):
        if casting is not None:
            function(*probes, out=target, casting=casting, **keywords)
        else:
            try:
                function(*probes, out=target, **keywords)
            except TypeError:
                if not CLIP_CASTS:
                    raise
                function(*probes, out=target, casting="unsafe", **keywords)
                warnings.warn(
                    'Converting the output of clip from its dtype is deprecated. Pass `casting="unsafe"` explicitly',
                    DeprecationWarning,
                    stacklevel=4,
                )
        return function(*probes, casting="unsafe", **keywords).dtype, casting
