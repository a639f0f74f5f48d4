# SPDX-License-Identifier: BSD-3-Clause
"""The linear-algebra extension of the array-API standard: gamelan's functions with the standard's signatures; matrices are
the last two axes, `rtol` is relative to the largest singular value."""

import math
from typing import Any, NamedTuple

from .. import _catalogue as np
from ._dtypes import promoted
from ._shapes import matrix_transpose

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EighResult(NamedTuple):
    """What `eigh` answers."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """What `qr` answers."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """What `slogdet` answers."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """What `svd` answers."""

    U: Any
    S: Any
    Vh: Any


def matmul(x1, x2, /):
    """Matrix product."""
    return np.matmul(*promoted(x1, x2))


def outer(x1, x2, /):
    """Products of all pairs of elements of two vectors."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("outer: both arrays must have one dimension")
    return np.outer(x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over pairs of axes."""
    return np.tensordot(*promoted(x1, x2), axes=axes)


def vecdot(x1, x2, /, *, axis=-1):
    """Sum of products along an axis, the first factor conjugated.

    Examples
    --------
    >>> import gamelan as np
    >>> float(np.array_api.vecdot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    if not -min(x1.ndim, x2.ndim) <= axis < 0 or x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: got shapes {x1.shape} and {x2.shape}, expected one extent along axis {axis} (< 0)")
    x1, x2 = promoted(x1, x2)
    products = np.conjugate(x1) * x2
    return np.sum(products, axis=axis, dtype=products.dtype)


def cross(x1, x2, /, *, axis=-1):
    """Vector products along an axis of extent 3."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross: got extents {x1.shape[axis]} and {x2.shape[axis]} along axis {axis}, expected 3")
    return np.cross(*promoted(x1, x2), axis=axis)


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices."""
    return np.diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums along the diagonals of the matrices."""
    return np.sum(np.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


def cholesky(x, /, *, upper=False):
    """Cholesky's factor, the lower one unless `upper`."""
    factor = np.linalg.cholesky(x)
    return np.conjugate(matrix_transpose(factor)) if upper else factor


def det(x, /):
    """Determinants."""
    return np.linalg.det(x)


def slogdet(x, /):
    """Signs and logarithms of determinants."""
    return SlogdetResult(*np.linalg.slogdet(x))


def eigh(x, /):
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return EighResult(*np.linalg.eigh(x))


def eigvalsh(x, /):
    """Eigenvalues of Hermitian matrices."""
    return np.linalg.eigvalsh(x)


def inv(x, /):
    """Inverses."""
    return np.linalg.inv(x)


def matrix_power(x, n, /):
    """A matrix times itself."""
    return np.linalg.matrix_power(x, n)


def qr(x, /, *, mode="reduced"):
    """Orthogonal and triangular factors."""
    return QRResult(*np.linalg.qr(x, mode=mode))


def svd(x, /, *, full_matrices=True):
    """Singular vectors and values."""
    return SVDResult(*np.linalg.svd(x, full_matrices=full_matrices))


def svdvals(x, /):
    """Singular values."""
    return np.linalg.svd(x, compute_uv=False)


def pinv(x, /, *, rtol=None):
    """Pseudo-inverses."""
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
    return np.linalg.pinv(x, rcond=rtol)


def matrix_rank(x, /, *, rtol=None):
    """How many singular values count."""
    if x.ndim < 2:
        raise np.linalg.LinAlgError(f"matrix_rank: got {x.ndim} dimensions, expected two at least")
    values = svdvals(x)
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(values.dtype).eps)
    limits = np.max(values, axis=-1, keepdims=True) * np.asarray(rtol)[..., None]
    return np.sum(values > limits, axis=-1)


def solve(x1, x2, /):
    """Solutions of linear equations; x2 is a vector only if it has one dimension."""
    if x2.ndim == 1:
        return np.linalg.solve(x1, x2[:, None])[..., 0]
    if x2.ndim == x1.ndim - 1:
        x2 = x2[None]
    return np.linalg.solve(x1, x2)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices."""
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors, whose elements may lie along several axes."""
    if axis is None:
        result = np.linalg.norm(np.reshape(x, (-1,)), ord)
        return np.reshape(result, (1,) * x.ndim) if keepdims else result
    if not isinstance(axis, tuple):
        return np.linalg.norm(x, ord, axis, keepdims)
    axes = tuple(each % x.ndim for each in axis)
    rest = tuple(each for each in range(x.ndim) if each not in axes)
    moved = np.transpose(x, axes + rest)
    flat = np.reshape(moved, (math.prod(x.shape[each] for each in axes), *(x.shape[each] for each in rest)))
    result = np.linalg.norm(flat, ord, 0)
    return (
        np.reshape(result, tuple(1 if place in axes else extent for place, extent in enumerate(x.shape))) if keepdims else result
    )
