# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky's and QR factors."""

import warnings

import numpy

from .._creation._from_data import asarray
from .._local import call_numpy, is_distributed
from ._engine import compute, part, row
from ._operands import adjoint, cast, flipped, identities, require_stack, types, zeros
from ._results import qr_result
from ._tsqr import is_tall, tall_qr, tall_triangle

__all__ = ["cholesky", "qr"]

_OLD_MODES = {"f": "reduced", "full": "reduced", "e": "economic", "economic": "economic"}


def cholesky(a, /, *, upper=False):
    """The Cholesky factor of a positive definite matrix.

    Triggers evaluation, because a matrix that is not positive definite must raise here.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]]).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.cholesky, "linalg.cholesky", (a,), {"upper": upper} if upper else {})
    if upper:  # of the elements above the diagonal
        return adjoint(cholesky(adjoint(a)))
    require_stack(a, is_square=True)
    loop, dtype = types(a)
    return cast(compute("cholesky", loop, a), dtype) if a.size else zeros(a.shape, dtype)


def qr(a, mode="reduced"):
    """The QR decomposition of a matrix.

    Lazy. The signs of the columns may differ from NumPy's for matrices that are much longer than wide. For large ones they may
    depend on the number of engines. With `mode="raw"` one engine computes each matrix.

    Examples
    --------
    >>> import gamelan as np
    >>> q, r = np.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> np.allclose(q @ r, [[3.0, 1.0], [4.0, 2.0]])
    True
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        if mode not in _OLD_MODES:
            raise ValueError(f"Unrecognized mode '{mode}'")
        warnings.warn(f"The '{mode}' option is deprecated.", DeprecationWarning, stacklevel=2)
        mode = _OLD_MODES[mode]
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.qr, "linalg.qr", (a, mode), {})
    require_stack(a)
    loop, dtype = types(a)
    m, n = a.shape[-2:]
    width = m if mode == "complete" else min(m, n)
    if not a.size:
        return _of_nothing(a, mode, width, dtype)
    if mode in ("raw", "economic"):
        result = compute("qr_factors", loop, a)
        factors = part(result, 0, m, dtype)
        return factors if mode == "economic" else (flipped(factors), row(result, m, dtype)[..., : min(m, n)])
    if mode != "complete" and is_tall(a):
        if mode == "r":
            return cast(tall_triangle([a], loop), dtype)
        q, r = tall_qr(a, loop)
        return qr_result(cast(q, dtype), cast(r, dtype))
    result = compute("qr", loop, a, width=width)
    r = flipped(part(result, m, m + n, dtype))
    return r if mode == "r" else qr_result(part(result, 0, m, dtype), r)


def _of_nothing(a, mode, width, dtype):
    lead, (m, n) = a.shape[:-2], a.shape[-2:]
    if mode == "raw":
        return zeros(lead + (n, m), dtype), zeros(lead + (min(m, n),), dtype)
    if mode == "economic":
        return zeros(a.shape, dtype)
    r = zeros(lead + (width, n), dtype)
    if mode == "r":
        return r
    return qr_result(identities(lead, m, dtype) if mode == "complete" else zeros(lead + (m, width), dtype), r)
