# SPDX-License-Identifier: BSD-3-Clause
"""Few long lines, each on all engines. A line of n1 * n2 elements is a matrix: its columns are transformed, multiplied by
roots of unity, then its rows, and the result stands there transposed (Gentleman and Sande's four steps, 1966). A length
without such factors, a prime above all, becomes a convolution of a length that has them (Bluestein, 1970). A real
transform of even length is a complex one of half the length."""
import math

from .._creation import arange, filled
from .._manipulation import moveaxis, reshape
from .._ufuncs import PUBLIC
from . import _lines
from ._lines import BACKWARD, FORWARD, REAL_BACKWARD, REAL_FORWARD

conjugate, exp = PUBLIC["conjugate"], PUBLIC["exp"]

least_factor = 32  # so many engines at least share the work of both passes


def factors(n):
    """n1 <= n2 with n1 * n2 = n, as near to each other as can be."""
    for small in range(math.isqrt(n), 0, -1):
        if n % small == 0:
            return small, n // small


def good_length(least):
    """The first length from `least` on that is 2, 3, 5, 9 or 15 times a power of two."""
    return min(odd << max((-(-least // odd) - 1).bit_length(), 0) for odd in (1, 3, 5, 9, 15))


def transform(a, n, axis, kind, factor):
    """As `_lines.transform`, for lines that lie on all engines."""
    a = moveaxis(a, axis, -1)
    if kind in (FORWARD, BACKWARD):
        result = _complex(a, n, kind, factor)
    elif kind == REAL_FORWARD:
        result = _real_forward(a, n, factor)
    else:
        result = _real_backward(a, n, factor)
    return moveaxis(result, -1, axis)


def _complex(a, n, kind, factor):
    if factors(n)[0] < least_factor:
        return _by_convolution(a, n, kind, factor)
    rows = _transposed(_filled_up(a, n), n, kind, factor)
    return reshape(rows.swapaxes(-1, -2), a.shape[:-1] + (n,))


def _filled_up(a, n):
    if a.shape[-1] == n:
        return a
    full = filled(a.shape[:-1] + (n,), a.dtype, 0)
    full[..., : a.shape[-1]] = a
    return full


def _transposed(a, n, kind, factor=1.0):
    """The transform along the last axis; element k1 + n1 * k2 of it stands at [k1, k2]."""
    n1, n2 = factors(n)
    matrix = reshape(a, a.shape[:-1] + (n1, n2))
    columns = _lines.record(matrix, n1, matrix.ndim - 2, kind, factor, n)
    return _lines.record(columns, n2, matrix.ndim - 1, kind)


def _back(rows, n, kind, factor):
    """The way back from what `_transposed` gives, in order again."""
    n1, n2 = factors(n)
    matrix = rows.swapaxes(-1, -2)
    columns = _lines.record(matrix, n2, matrix.ndim - 2, kind, factor, n)
    line = _lines.record(columns, n1, matrix.ndim - 1, kind)
    return reshape(line.swapaxes(-1, -2), rows.shape[:-2] + (n,))


def _by_convolution(a, n, kind, factor):
    """Element k is c[k] * sum of (a[j] c[j]) / c[k - j], where c[k] = exp(-+pi i k**2 / n)."""
    length = good_length(2 * n - 1)
    k = arange(n)
    chirp = exp((k * k % (2 * n)) * ((1j if kind == BACKWARD else -1j) * math.pi / n))
    given = filled(a.shape[:-1] + (length,), complex, 0)
    given[..., : a.shape[-1]] = a * chirp[: a.shape[-1]]
    product = _transposed(given, length, FORWARD)
    del given
    weights = filled((length,), complex, 0)
    weights[:n] = conjugate(chirp)
    weights[length - n + 1 :] = weights[n - 1 : 0 : -1]
    product *= _transposed(weights, length, FORWARD)
    del weights
    return _back(product, length, BACKWARD, factor / length)[..., :n] * chirp


def _roots(count, n, sign):
    return exp(arange(count) * (sign * 2j * math.pi / n))


def _real_forward(a, n, factor):
    a = _filled_up(a.real if a.dtype.kind == "c" else a, n)
    if n % 2:
        return _complex(a, n, FORWARD, factor)[..., : n // 2 + 1].copy()
    half = n // 2
    packed = _complex(a[..., 0::2] + 1j * a[..., 1::2].astype(float, copy=False), half, FORWARD, factor)
    result = filled(a.shape[:-1] + (half + 1,), complex, 0)
    one, other = packed[..., 1:], conjugate(packed[..., :0:-1])
    result[..., 1:half] = 0.5 * (one + other) - 0.5j * _roots(half, n, -1)[1:] * (one - other)
    first = packed[..., :1]
    result[..., :1] = first.real + first.imag
    result[..., half:] = first.real - first.imag
    return result


def _real_backward(a, n, factor):
    a = _filled_up(a, n // 2 + 1)
    if n % 2:
        full = filled(a.shape[:-1] + (n,), complex, 0)
        full[..., : n // 2 + 1] = a
        full[..., :1] = a[..., :1].real
        full[..., n // 2 + 1 :] = conjugate(a[..., :0:-1])
        return _complex(full, n, BACKWARD, factor).real.copy()
    half = n // 2
    packed = filled(a.shape[:-1] + (half,), complex, 0)
    one, other = a[..., :half], conjugate(a[..., :0:-1])
    packed[...] = one + other + 1j * _roots(half, n, 1) * (one - other)
    first, last = a[..., :1].real, a[..., half:].real  # real by symmetry, whatever was given
    packed[..., :1] = (first + last) + 1j * (first - last)
    line = _complex(packed, half, BACKWARD, factor)
    result = filled(a.shape[:-1] + (n,), float, 0)
    result[..., 0::2] = line.real
    result[..., 1::2] = line.imag
    return result
