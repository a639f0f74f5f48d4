# SPDX-License-Identifier: BSD-3-Clause
"""Few long lines, each on all engines. A line of n1 * n2 elements is a matrix: its columns are transformed, multiplied by
roots of unity, then its rows, and the result stands there transposed (Gentleman and Sande's four steps, 1966). A length
without such factors, a prime above all, becomes a convolution of a length that has them (Bluestein, 1970). Of
real numbers half the columns are enough."""
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


def _real_forward(a, n, factor):
    """Of the columns the first half, then their rows. With n1 - k1 for k1 and n2 - 1 - k2 for k2 stands the conjugate."""
    a = _filled_up(a, n)
    n1, n2 = factors(n)
    if n1 < least_factor:
        return _by_convolution(a, n, FORWARD, factor)[..., : n // 2 + 1].copy()
    matrix = reshape(a, a.shape[:-1] + (n1, n2))
    columns = _lines.record(matrix, n1, matrix.ndim - 2, REAL_FORWARD, factor, n)
    rows = _lines.record(columns, n2, matrix.ndim - 1, FORWARD)
    half, wanted = n1 // 2 + 1, n2 // 2 + 1
    result = filled(a.shape[:-1] + (wanted, n1), complex, 0)
    result[..., :half] = rows[..., :wanted].swapaxes(-1, -2)
    result[..., half:] = conjugate(rows[..., n1 - half : 0 : -1, ::-1][..., :wanted]).swapaxes(-1, -2)
    return reshape(result, a.shape[:-1] + (wanted * n1,))[..., : n // 2 + 1]


def _real_backward(a, n, factor):
    """The same steps back: element k1 + n1 * k2 to [k2, k1], columns, rows. Imaginary parts that symmetry forbids vanish."""
    n1, n2 = factors(n)
    if n1 < least_factor:
        return _by_convolution(_with_conjugates(a, n), n, BACKWARD, factor).real.copy()
    half, direct = n1 // 2 + 1, (n2 + 1) // 2
    given = reshape(_filled_up(a, (n2 // 2 + 1) * n1), a.shape[:-1] + (n2 // 2 + 1, n1))
    matrix = filled(a.shape[:-1] + (n2, half), complex, 0)
    matrix[..., :direct, :] = given[..., :direct, :half]
    matrix[..., direct:, 1:] = conjugate(given[..., n2 - 1 - direct :: -1, : n1 - half : -1])
    matrix[..., direct:, :1] = conjugate(given[..., n2 - direct : 0 : -1, :1])
    columns = _lines.record(matrix, n2, matrix.ndim - 2, BACKWARD, factor, n)
    rows = _lines.record(columns, n1, matrix.ndim - 1, REAL_BACKWARD)
    return reshape(rows.swapaxes(-1, -2), a.shape[:-1] + (n,))


def _with_conjugates(a, n):
    """The whole line of which the first half is given."""
    a = _filled_up(a, n // 2 + 1)
    full = filled(a.shape[:-1] + (n,), complex, 0)
    full[..., : n // 2 + 1] = a
    full[..., n // 2 + 1 :] = conjugate(a[..., (n - 1) // 2 : 0 : -1])
    full[..., :1] = a[..., :1].real
    return full
