# SPDX-License-Identifier: BSD-3-Clause
"""Least squares and the pseudo-inverse, by singular values."""

import warnings

import numpy
from numpy.linalg import LinAlgError

from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._imported_numpy import LSTSQ_RCOND
from .._local import call_numpy, has_distributed, is_distributed
from .._ufuncs._where import either
from ._engine import compute, is_for_one_engine, part
from ._operands import adjoint, cast, real_of, require_matrix, require_stack, types, zeros
from ._singular import svd
from ._tsqr import is_tall, tall_triangle

__all__ = ["lstsq", "pinv"]


def _reciprocals(values, is_kept):
    """1 / value where it is kept, else 0."""
    return either(is_kept, 1 / either(is_kept, values, values.dtype.type(1)), values.dtype.type(0))


def pinv(a, rcond=None, hermitian=False, *, rtol=numpy._NoValue):
    """The pseudo-inverse of a matrix.

    Triggers evaluation. Singular values up to `rcond` times the largest count as 0.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.pinv([[2.0], [0.0]]).tolist()
    [[0.5, 0.0]]
    """
    a = asarray(a)
    keywords = {} if rtol is numpy._NoValue else {"rtol": rtol}
    if not has_distributed((a, rcond, rtol)):
        if rcond is not None:
            keywords["rcond"] = rcond
        return call_numpy(numpy.linalg.pinv, "linalg.pinv", (a,), {"hermitian": hermitian, **keywords})
    if rcond is None:
        rcond = 1e-15 if not keywords else max(a.shape[-2:]) * numpy.finfo(a.dtype).eps if rtol is None else rtol
    elif keywords:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if a.ndim >= 2 and a.shape[-1] * a.shape[-2] == 0:
        return zeros(a.shape[:-2] + (a.shape[-1], a.shape[-2]), a.dtype)
    require_stack(a)
    u, s, vh = svd(a, full_matrices=False, hermitian=hermitian)
    cutoff = asarray(rcond)[..., None] * reduce("max", s, -1, None, None, True)
    scaled = _reciprocals(s, s > cutoff)[..., None] * adjoint(u)
    return adjoint(vh) @ scaled


def _of_tall(a, columns, loop, rcond):
    """x, singular values, rank and squares of the residuals, from the triangle of the QR factorization of matrix and columns
    side by side: one pass over both. The triangle is small, and NumPy's."""
    n = a.shape[1]
    triangle = numpy.asarray(tall_triangle([a, columns], loop))
    x, _, rank, s = numpy.linalg.lstsq(triangle[:n, :n], triangle[:n, n:], rcond)
    left = numpy.abs(triangle[n:, n:])
    return asarray(x), asarray(s), rank, asarray((left * left).sum(0))


def _of_whole(a, columns, loop, rcond):
    """The same by LAPACK on one engine."""
    n, k = a.shape[1], min(a.shape)
    result = compute("least_squares", loop, a, columns, rcond=numpy.float64(rcond))
    rows = part(result, n, result.shape[0], real_of(loop))
    numbers = numpy.asarray(rows[1:]).reshape(-1)
    return part(result, 0, n, loop), asarray(numbers[:k]), int(numbers[k]), rows[0]


def lstsq(a, b, rcond=LSTSQ_RCOND):
    """The least-squares solution of a linear system.

    Triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> x, residuals, rank, values = np.linalg.lstsq([[1.0], [1.0]], [1.0, 3.0], rcond=None)
    >>> np.allclose(x, [2.0])
    True
    """
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.linalg.lstsq, "linalg.lstsq", (a, b, rcond), {})
    is_vector = b.ndim == 1
    columns = b[:, None] if is_vector else b
    require_matrix(a, columns)
    m, n = a.shape
    if m != columns.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    loop, dtype = types(a, b)
    if isinstance(rcond, str):
        warnings.warn(
            "`rcond` parameter will change to the default of machine precision times ``max(M, N)`` where M and N are the "
            "input matrix dimensions.\nTo use the future default and silence this warning we advise to pass `rcond=None`, "
            "to keep using the old, explicitly pass `rcond=-1`.",
            FutureWarning,
            stacklevel=2,
        )
        rcond = -1
    precision = numpy.finfo(loop).eps
    rcond = precision * max(n, m) if rcond is None else rcond
    squares = None  # of what is left, for each column
    if not a.size:
        x, s, rank = zeros((n, columns.shape[1]), dtype), zeros((0,), real_of(dtype)), 0
    elif is_tall(a) and m >= 8 * (n + columns.shape[1]) and not is_distributed(rcond):
        x, s, rank, squares = _of_tall(cast(a, loop), cast(columns, loop), loop, rcond)
    elif is_for_one_engine(a, columns.shape[1]) and not is_distributed(rcond):
        x, s, rank, squares = _of_whole(cast(a, loop), cast(columns, loop), loop, float(rcond))
    else:
        wide = cast(a, loop)
        u, s, vh = svd(wide, full_matrices=False)
        rcond = precision if not is_distributed(rcond) and rcond < 0 else rcond
        is_kept = s > rcond * s[0]
        rank = int(is_kept.sum(dtype=numpy.intp))
        x = adjoint(vh) @ (_reciprocals(s, is_kept)[:, None] * (adjoint(u) @ cast(columns, loop)))
    if rank == n and m > n:
        if squares is None:
            left = cast(columns, loop) - cast(a, loop) @ x
            squares = (left.real * left.real + left.imag * left.imag if loop.kind == "c" else left * left).sum(0)
        residuals = cast(squares, real_of(dtype))
    else:
        residuals = zeros((0,), real_of(dtype))
    x = cast(x, dtype)
    return x[:, 0] if is_vector else x, residuals, numpy.intc(rank), cast(s, real_of(dtype))
