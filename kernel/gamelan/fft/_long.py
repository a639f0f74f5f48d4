# SPDX-License-Identifier: BSD-3-Clause
"""Few long lines, each on all engines: cut into matrices (_four_step.py), or as convolutions where the length has no factors for
that (_bluestein.py). Of real numbers half the columns are enough."""

from .._creation._filled import filled
from .._ufuncs._objects import PUBLIC
from .._views._plain import moveaxis
from .._views._reshape import reshape
from . import _bluestein, _four_step, _lines
from ._lines import BACKWARD, FORWARD, REAL_BACKWARD, REAL_FORWARD

conjugate = PUBLIC["conjugate"]


def transform(a, n, axis, kind, factor):
    """As `_one_axis.transform`, for lines that lie on all engines."""
    a = moveaxis(a, axis, -1)
    if not _four_step.can_be_cut(n):
        result = _bluestein.transform(a, n, kind, factor)
    elif kind == REAL_BACKWARD:
        result = _real_backward(a, n, factor)
    elif kind == REAL_FORWARD:
        result = _of_real(a, n, kind, factor)
    elif a.dtype.kind != "c" and kind == FORWARD:
        result = _of_real(a, n, kind, factor)
    else:
        rows = _four_step.transposed(_filled_up(a, n), n, kind, factor)
        result = reshape(rows.swapaxes(-1, -2), a.shape[:-1] + (n,))
    return moveaxis(result, -1, axis)


def _filled_up(a, n):
    if a.shape[-1] == n:
        return a
    full = filled(a.shape[:-1] + (n,), a.dtype, 0)
    full[..., : a.shape[-1]] = a
    return full


def _of_real(a, n, kind, factor):
    """Of the columns the first half, then their rows. With n1 - k1 for k1 and n2 - 1 - k2 for k2 stands the conjugate."""
    n1, n2 = _four_step.factors(n)
    matrix = reshape(_filled_up(a, n), a.shape[:-1] + (n1, n2))
    columns = _lines.record(matrix, n1, matrix.ndim - 2, REAL_FORWARD, factor, n)
    del matrix
    rows = _lines.record(columns, n2, columns.ndim - 1, FORWARD).swapaxes(-1, -2)
    del columns
    half = n1 // 2 + 1
    length, wanted = (n // 2 + 1, n2 // 2 + 1) if kind == REAL_FORWARD else (n, n2)
    result = filled(a.shape[:-1] + (wanted, n1), complex, 0)
    result[..., :half] = rows[..., :wanted, :]
    conjugate(rows[..., ::-1, n1 - half : 0 : -1][..., :wanted, :], out=result[..., half:])
    return reshape(result, a.shape[:-1] + (wanted * n1,))[..., :length]


def _real_backward(a, n, factor):
    """The same steps back: element k1 + n1 * k2 to [k2, k1], columns, rows. Imaginary parts that symmetry forbids vanish."""
    n1, n2 = _four_step.factors(n)
    half, direct = n1 // 2 + 1, (n2 + 1) // 2
    given = reshape(_filled_up(a, (n2 // 2 + 1) * n1), a.shape[:-1] + (n2 // 2 + 1, n1))
    matrix = filled(a.shape[:-1] + (n2, half), complex, 0)
    matrix[..., :direct, :] = given[..., :direct, :half]
    conjugate(given[..., n2 - 1 - direct :: -1, : n1 - half : -1], out=matrix[..., direct:, 1:])
    conjugate(given[..., n2 - direct : 0 : -1, :1], out=matrix[..., direct:, :1])
    columns = _lines.record(matrix, n2, matrix.ndim - 2, BACKWARD, factor, n)
    rows = _lines.record(columns, n1, matrix.ndim - 1, REAL_BACKWARD)
    return reshape(rows.swapaxes(-1, -2), a.shape[:-1] + (n,))
