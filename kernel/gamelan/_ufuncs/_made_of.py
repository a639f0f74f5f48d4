# SPDX-License-Identifier: BSD-3-Clause
"""Element-wise functions that NumPy makes of universal functions: nan_to_num, round, fix, sinc, i0, angle, unwrap, iscomplex
and their kin. Distributed arrays are composed of the same operations, recorded and fused; others are NumPy's to compute."""

import functools
import operator

import numpy

from .. import _core
from .._arguments import axis_of
from .._creation._from_data import asarray, copy_of
from .._imported_numpy import i0_coefficients
from .._local import as_value, call_numpy, gathered, has_distributed, is_distributed, is_value, rewrap
from .._promotion import OPS
from ._objects import PUBLIC
from ._rounding import rounded

__all__ = [
    "angle",
    "around",
    "fix",
    "i0",
    "iscomplex",
    "isnat",
    "isreal",
    "nan_to_num",
    "real_if_close",
    "round",
    "round_",
    "sinc",
    "unwrap",
    "vectorize",
]


def _or_numpy(function):
    """NumPy's function of this name for arguments that are here; the decorated one for distributed arrays."""
    name = function.__name__
    theirs = getattr(numpy, name)

    @functools.wraps(function)
    def apply(*arguments, **keywords):
        if has_distributed(arguments) or has_distributed(keywords.values()):
            return function(asarray(arguments[0]), *arguments[1:], **keywords) if arguments else function(**keywords)
        return call_numpy(theirs, name, arguments, keywords)

    example, shown = _EXAMPLES[name]
    apply.__doc__ = f"""{function.__doc__}

    Examples
    --------
    >>> import gamelan as np
    >>> {example}
    {shown}
    """
    return apply


_EXAMPLES = {
    "nan_to_num": ("np.nan_to_num([1.0, float('nan')]).tolist()", "[1.0, 0.0]"),
    "real_if_close": ("np.real_if_close([1 + 1e-20j]).tolist()", "[1.0]"),
    "iscomplex": ("np.iscomplex([1, 1j]).tolist()", "[False, True]"),
    "isreal": ("np.isreal([1, 1j]).tolist()", "[True, False]"),
    "angle": ("np.angle([1.0, 1j], deg=True).tolist()", "[0.0, 90.0]"),
    "sinc": ("np.sinc([0.0]).tolist()", "[1.0]"),
    "i0": ("np.i0([0.0]).tolist()", "[1.0]"),
    "fix": ("np.fix([1.5, -1.5]).tolist()", "[1.0, -1.0]"),
    "around": ("np.around([1.25, 2.5], 1).tolist()", "[1.2, 2.5]"),
    "unwrap": ("np.unwrap([0, 3, 6], period=4).tolist()", "[0, -1, -2]"),
}


def _op(name, *operands):
    return PUBLIC[name](*operands)


def _where(condition, x, y):
    return _core.evaluate(OPS["where"], condition, x, y)


@_or_numpy
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replace NaN by zero and infinities by large finite numbers."""
    if x.dtype.kind not in "fc":
        return as_value(x.copy()) if copy else x
    result = copy_of(x) if copy or is_value(x) else x
    for part in (result.real, result.imag) if result.dtype.kind == "c" else (result,):
        limits = numpy.finfo(part.dtype)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        finite = _where(part == numpy.inf, _same(high, part), _where(part == -numpy.inf, _same(low, part), part))
        part[...] = _where(_op("isnan", part), _same(nan, part), finite)
    return as_value(result) if is_value(x) else result


def _same(value, array):
    """A number in the dtype of the array."""
    return (
        value.astype(array.dtype) if isinstance(value, (_core.Array, numpy.ndarray)) and value.ndim else array.dtype.type(value)
    )


@_or_numpy
def real_if_close(a, tol=100):
    """The real part when all imaginary parts are nearly zero, else the array.

    Triggers evaluation.
    """
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = numpy.finfo(a.dtype).eps * tol
    return a.real if bool((abs(a.imag) < tol).all()) else a


@_or_numpy
def iscomplex(x):
    """Test each element for an imaginary part that is not zero."""
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else _op("not_equal", x, x) & False


@_or_numpy
def isreal(x):
    """Test each element for an imaginary part that is zero."""
    x = asarray(x)
    return x.imag == 0 if x.dtype.kind == "c" else _op("equal", x, x) | True


@_or_numpy
def angle(z, deg=False):
    """The angle of complex numbers."""
    z = asarray(z)
    result = _op("arctan2", z.imag, z.real) if z.dtype.kind == "c" else _op("arctan2", 0, z)
    return result * (180 / numpy.pi) if deg else result


@_or_numpy
def sinc(x):
    """The sinc function, sin(pi x) / (pi x)."""
    y = numpy.pi * _where(x == 0, 1.0e-20, x)
    return _op("sin", y) / y


@_or_numpy
def i0(x):
    """The modified Bessel function of the first kind and order 0."""

    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    x = abs(x if x.dtype.kind == "f" else x.astype(float))
    if x.ndim == 0:
        return i0(x[None])[0]  # beside an array a number of Python's leaves the dtype as it is
    is_small = x <= 8.0
    near, far = _where(is_small, x, x.dtype.type(8)), _where(is_small, x.dtype.type(8), x)
    small = _op("exp", near) * _chebyshev(near / 2.0 - 2, i0_coefficients[0])
    large = _op("exp", far) * _chebyshev(32.0 / far - 2.0, i0_coefficients[1]) / _op("sqrt", far)
    return _where(is_small, small, large).astype(x.dtype, copy=False)


def _chebyshev(x, coefficients):
    """Clenshaw's recurrence for a series in x / 2."""
    last = before = 0.0
    newest = coefficients[0]
    for coefficient in coefficients[1:]:
        before, last = last, newest
        newest = x * last - before + coefficient
    return 0.5 * (newest - before)


@_or_numpy
def fix(x, out=None):
    """Round towards zero."""
    return _op("trunc", x) if out is None else PUBLIC["trunc"](x, out=out)


@_or_numpy
def around(a, decimals=0, out=None):
    """Round to a number of decimals."""
    a, decimals = asarray(a), operator.index(decimals)
    if out is not None and not isinstance(out, (_core.Array, numpy.ndarray)):
        raise TypeError("output must be an array")
    return rounded(a if is_distributed(a) else _core.upload(numpy.asarray(a)), decimals, out)


round = round_ = around


@_or_numpy
def unwrap(p, discont=None, axis=-1, *, period=2 * numpy.pi):
    """Replace jumps of more than half a period by their complement."""
    axis = axis_of(axis, p.ndim)
    before, after = ((slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None)))
    step = p[after] - p[before] if p.dtype != bool else _op("not_equal", p[after], p[before])
    discont = period / 2 if discont is None else discont
    dtype = numpy.result_type(step.dtype, period)
    if numpy.issubdtype(dtype, numpy.integer):
        half, rest = divmod(period, 2)
        is_ambiguous = rest == 0
    else:
        half, is_ambiguous = period / 2, True
    turned = _op("remainder", step - -half, period) + -half  # of unsigned numbers a negative one makes signed ones
    if is_ambiguous:
        turned = _where((turned == -half) & (step > 0), _same(half, turned), turned)
    correction = turned - step
    correction = _where(abs(step) < discont, _same(0, correction), correction)
    result = p.astype(dtype)
    if step.size:
        result[after] = p[after] + correction.cumsum(axis)
    return result


class vectorize(numpy.vectorize):
    """As `numpy.vectorize`: a Python function for each element, so elements come here, bounded by `config.gather_limit`, and
    large results go to the engines. What ufuncs, `np.where` and `np.piecewise` can compute stays there, and is far faster."""

    def __call__(self, *arguments, **keywords):
        return rewrap(super().__call__(*map(gathered, arguments), **{name: gathered(value) for name, value in keywords.items()}))


def isnat(x):
    """Test each element for NaT, "not a time".

    Not implemented for distributed arrays, which hold no dates. No evaluation is needed.
    """
    return call_numpy(numpy.isnat, "isnat", (x,), {}) if not is_distributed(x) else numpy.isnat(numpy.empty(0, x.dtype))
