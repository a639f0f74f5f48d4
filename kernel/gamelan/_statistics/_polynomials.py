# SPDX-License-Identifier: BSD-3-Clause
"""polyval by Horner's rule, and polyfit: the powers of x are made orthogonal one after another, twice, as Gram and Schmidt
did (twice is enough: Giraud et al. 2005); what is left is a triangle of one number for each pair of powers, solved here."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._creation._like import zeros_like
from .._imported_numpy import RankWarning
from .._local import is_distributed, wrap_here
from .._views._reshape import reshape
from ._common import cast, document, of_numpy

__all__ = ["polyfit", "polyval"]


@document(
    "Evaluate a polynomial at specific values.",
    ">>> np.polyval([3, 0, 1], [2, 5]).tolist()\n[13, 76]",
)
@of_numpy
def polyval(p, x):
    p, x = asarray(p), asarray(x)
    if not p.ndim:
        raise TypeError("iteration over a 0-d array")
    y = zeros_like(x)
    coefficients = p if is_distributed(p) else numpy.asarray(p)
    for k in range(p.shape[0]):
        y = y * x + coefficients[k]
    return y


def _orthogonal(columns):
    """The columns as an orthonormal set, and the coefficients by which it makes them: lists of lazy numbers."""
    basis, triangle = [], []
    for column in columns:
        made = [0.0] * len(basis)
        for _ in range(2):
            for k, direction in enumerate(basis):
                share = (direction * column).sum()
                column = column - share * direction
                made[k] = made[k] + share
        size = ((column * column).sum()) ** 0.5
        basis.append(column / (size + (size == 0)))
        triangle.append([*made, size])
    return basis, triangle


def _here(values):
    """Numbers and rows as NumPy's, lazy ones in one round trip."""
    values = list(values)
    fetched = iter(_core.fetch([value for value in values if is_distributed(value)]))
    return [next(fetched) if is_distributed(value) else numpy.asarray(value) for value in values]


def _checked(x, y, w, deg):
    deg = numpy.asarray(deg)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    x, y = asarray(x) + 0.0, asarray(y) + 0.0
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is not None:
        w = asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
    return x, y, w, int(deg) + 1


@document(
    "The least-squares polynomial fit.",
    ">>> np.polyfit([0, 1, 2], [1, 3, 5], 1).round(6).tolist()\n[2.0, 1.0]",
    "Triggers evaluation. The coefficients are a small array.",
)
@of_numpy
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    x, y, w, order = _checked(x, y, w, deg)
    rcond = len(x) * numpy.finfo(x.dtype).eps if rcond is None else rcond
    dtype = numpy.result_type(x.dtype, y.dtype, numpy.float64)
    x, right = cast(x, numpy.dtype(float)), cast(y, dtype)
    if w is not None:
        right = right * (w if y.ndim == 1 else reshape(w, (-1, 1)))
    powers = [x * 0.0 + 1.0 if w is None else cast(w, x.dtype)]
    for _ in range(order - 1):
        powers.append(powers[-1] * x)
    scale = numpy.array([value[()] for value in _here([((power * power).sum()) ** 0.5 for power in powers])])
    basis, triangle = _orthogonal([power / size for power, size in zip(powers, scale)])
    shares = [(direction * right).sum() if y.ndim == 1 else (reshape(direction, (-1, 1)) * right).sum(0) for direction in basis]
    numbers = iter(_here([value for column in triangle for value in column]))
    upper = numpy.zeros((order, order))
    for k in range(order):
        for row in range(k + 1):
            upper[row, k] = next(numbers)[()]
    target = numpy.stack([numpy.asarray(share) for share in _here(shares)])
    # From here on as if the powers fell; columns are reversed.
    lower, scale = upper[:, ::-1], scale[::-1]
    solution, _, rank, singular = numpy.linalg.lstsq(lower, target, rcond)
    coefficients = (solution.T / scale).T
    residuals = numpy.empty(0, dtype)
    if (full or cov) and rank == order and x.size > order:
        fitted = (
            sum(direction * share for direction, share in zip(basis, target))
            if y.ndim == 1
            else sum(reshape(direction, (-1, 1)) * share for direction, share in zip(basis, target))
        )
        (residuals,) = _here([((right - fitted) ** 2).sum(0)])
        residuals = numpy.atleast_1d(residuals)
    if rank != order and not full:
        import warnings

        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=4)
    if full:
        return wrap_here(coefficients), wrap_here(residuals), rank, wrap_here(singular), rcond
    if not cov:
        return wrap_here(coefficients)
    base = numpy.linalg.inv(lower.T @ lower) / numpy.outer(scale, scale)
    if cov != "unscaled":
        if x.size <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        base = base * (residuals / (x.size - order)) if y.ndim == 1 else base[:, :, None] * (residuals / (x.size - order))
    return wrap_here(coefficients), wrap_here(base)
