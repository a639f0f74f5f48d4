# SPDX-License-Identifier: BSD-3-Clause
"""Singular value decomposition. Matrices that are much longer than wide are first reduced by QR, block by block of rows."""

import numpy

from .._creation._from_data import asarray
from .._local import call_numpy, is_distributed
from .._views._join import concatenate
from ._decompositions import qr
from ._engine import compute, part, row
from ._operands import adjoint, cast, flipped, identities, of_lower, real_of, require_stack, types, zeros
from ._results import svd_result
from ._tsqr import is_tall, tall_qr, tall_triangle

__all__ = ["svd"]


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular value decomposition of a matrix.

    Triggers evaluation. The signs of the vectors are not determined; they may differ from NumPy's and with the number of
    engines. With `hermitian` the lower triangle counts, as in NumPy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).tolist()
    [4.0, 3.0]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.svd, "linalg.svd", (a, full_matrices, compute_uv, hermitian), {})
    require_stack(a, is_square=hermitian)
    if hermitian:
        a = of_lower(a)
    loop, dtype = types(a)
    real = real_of(dtype)
    m, n = a.shape[-2:]
    if not compute_uv:
        return _values(a, loop, real)
    u, s, vh = _reduced(a, loop, dtype, real) if a.size else _of_nothing(a, dtype, real)
    if full_matrices and m != n:
        u, vh = (_completed(u), vh) if m > n else (u, adjoint(_completed(adjoint(vh))).copy())
    return svd_result(u, s, vh)


def _values(a, loop, real):
    if not a.size:
        return zeros(a.shape[:-2] + (min(a.shape[-2:]),), real)
    if is_tall(a):
        a = tall_triangle([a], loop)
    elif is_tall(flipped(a)):
        a = tall_triangle([flipped(a)], loop)
    return row(compute("svd_values", loop, a), 0, real)


def _reduced(a, loop, dtype, real):
    """u, s, vh with as many columns, numbers and rows as the shorter side of the matrix."""
    if is_tall(flipped(a)):
        u, s, vh = _reduced(flipped(a), loop, dtype, real)
        return flipped(vh).copy(), s, flipped(u).copy()
    q = None
    if is_tall(a):
        q, a = tall_qr(a, loop)
    m, n = a.shape[-2:]
    result = compute("svd", loop, a)
    u, s, vh = part(result, 0, m, loop), row(result, m + n, real), flipped(part(result, m, m + n, dtype)).copy()
    return cast(u if q is None else q @ u, dtype), s, vh


def _completed(u):
    """Orthonormal columns, and as many more as make the matrix square."""
    m, n = u.shape[-2:]
    if not n:
        return identities(u.shape[:-2], m, u.dtype)
    return concatenate([u, qr(u, "complete")[0][..., n:]], -1)


def _of_nothing(a, dtype, real):
    """The reduced decomposition of a matrix without elements."""
    lead, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    return zeros(lead + (m, k), dtype), zeros(lead + (k,), real), zeros(lead + (k, n), dtype)
