# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials as arrays of their coefficients, from the highest power down: sums, products, quotients, derivatives, and the
way between coefficients and zeros. A quotient and a product of zeros take one recorded step for each coefficient, as
NumPy's loops do; nothing is fetched but where leading zeros end, and by eigvals."""

import numpy

from .._creation._filled import ones, zeros
from .._creation._from_data import asarray
from .._editing._insert_delete import trim_zeros
from .._imported_numpy import NUMBERS_ARE_WEAK
from .._indexing._nonzero import flatnonzero
from .._sorting._sort import sort
from .._views._join import concatenate, hstack
from .._views._plain import atleast_1d
from ..linalg._eigen import eigvals
from ._common import document, of_numpy
from ._convolution import convolve

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "roots"]


def _sum_of(a1, a2, sign):
    a1, a2 = atleast_1d(a1), atleast_1d(a2)
    missing = len(a2) - len(a1)
    if missing > 0:
        a1 = concatenate([zeros(missing, a1.dtype), a1])
    elif missing < 0:
        a2 = concatenate([zeros(-missing, a2.dtype), a2])
    return a1 + a2 if sign > 0 else a1 - a2


@document("The sum of two polynomials.", ">>> np.polyadd([1, 2], [9, 5, 4]).tolist()\n[9, 6, 6]")
@of_numpy
def polyadd(a1, a2):
    return _sum_of(a1, a2, 1)


@document("The difference of two polynomials.", ">>> np.polysub([2, 10, -2], [3, 10, -4]).tolist()\n[-1, 0, 2]")
@of_numpy
def polysub(a1, a2):
    return _sum_of(a1, a2, -1)


def _trimmed(a):
    """Without leading zeros; one is left of nothing else."""
    a = atleast_1d(a)
    if a.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    rest = trim_zeros(a, "f")
    return rest if len(rest) else zeros(1, a.dtype)


@document(
    "The product of two polynomials.",
    ">>> np.polymul([1, 2, 3], [9, 5, 1]).tolist()\n[9, 23, 38, 17, 3]",
    "Triggers evaluation: leading zeros are left out.",
)
@of_numpy
def polymul(a1, a2):
    return convolve(_trimmed(a1), _trimmed(a2))


@document("The derivative of a polynomial.", ">>> np.polyder([1, 1, 1, 1]).tolist()\n[3, 2, 1]")
@of_numpy
def polyder(p, m=1):
    p, m = asarray(p), int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(m):
        p = p[:-1] * numpy.arange(len(p) - 1, 0, -1)
    return p


@document(
    "The antiderivative of a polynomial.",
    ">>> np.polyint([3, 2, 1]).tolist()\n[1.0, 1.0, 1.0, 0.0]",
)
@of_numpy
def polyint(p, m=1, k=None):
    p, m = asarray(p), int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = zeros(m, float) if k is None else atleast_1d(k)
    if len(k) == 1 and m > 1:
        k = k * numpy.ones(m)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for order in range(m):
        p = concatenate([p / numpy.arange(len(p), 0, -1), k[order : order + 1]])
    return p


@document(
    "The quotient and the remainder of two polynomials.",
    ">>> [part.tolist() for part in np.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])]\n[[1.5, 1.75], [0.25]]",
    "Triggers evaluation: leading zeros of the remainder are left out.",
)
@of_numpy
def polydiv(u, v):
    u, v = atleast_1d(u) + 0.0, atleast_1d(v) + 0.0
    dtype = numpy.result_type(u.dtype, v.dtype)
    steps = len(u) - len(v) + 1
    # Of two scalars NumPy 1 makes double precision, of a scalar and an array that of the array.
    scale = 1.0 / (v[:1] if NUMBERS_ARE_WEAK else v[:1].astype(numpy.result_type(dtype, float)))
    loop = dtype if NUMBERS_ARE_WEAK else numpy.result_type(numpy.empty(1, v.dtype), scale.dtype.type(1))
    quotient, rest = zeros(max(steps, 1), dtype), u.astype(dtype)
    for k in range(steps):
        factor = scale * rest[k : k + 1]
        quotient[k : k + 1] = factor
        rest[k : k + len(v)] -= factor.astype(loop) * v
    is_zero = abs(rest) <= 1e-8  # as allclose(rest[0], 0) says it
    first = flatnonzero(~is_zero)[:1].tolist()
    return quotient, rest[first[0] if first else -1 :]


@document(
    "The roots of a polynomial.",
    ">>> sorted(np.roots([1.0, -3.0, 2.0]).round(6).tolist())\n[1.0, 2.0]",
    "Triggers evaluation. The roots are the eigenvalues of the companion matrix, which `gamelan.linalg.eigvals` computes.",
)
@of_numpy
def roots(p):
    p = atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = flatnonzero(p)
    if not len(places):
        return asarray(numpy.empty(0))
    first, last = places[:1].tolist()[0], places[-1:].tolist()[0]
    zeros_at_0, p = len(p) - last - 1, p[first : last + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    order = len(p) - 1
    found = zeros(0, float)
    if order:
        companion = zeros((order, order), p.dtype)
        companion.reshape(-1)[order :: order + 1] = 1
        companion[0] = -p[1:] / p[:1]
        found = eigvals(companion)
    return hstack([found, zeros(zeros_at_0, found.dtype)])


@document(
    "The polynomial with the given roots, or the characteristic polynomial of a matrix.",
    ">>> np.poly([1.0, 2.0]).tolist()\n[1.0, -3.0, 2.0]",
    "Complex roots and matrices trigger evaluation. Otherwise lazy.",
)
@of_numpy
def poly(seq_of_zeros):
    found = atleast_1d(seq_of_zeros)
    if found.ndim == 2 and found.shape[0] == found.shape[1] != 0:
        found = eigvals(found)
    elif found.ndim == 1:
        found = found.astype(numpy.mintypecode(found.dtype.char))
    else:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    result = concatenate([ones(1, found.dtype), zeros(len(found), found.dtype)])
    for k in range(len(found)):
        result[1 : k + 2] -= found[k : k + 1] * result[: k + 1]
    is_paired = result.dtype.kind == "c" and bool((sort(found) == sort(found.conj())).all())
    return result.real.copy() if is_paired else result
