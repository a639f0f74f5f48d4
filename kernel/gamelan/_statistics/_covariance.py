# SPDX-License-Identifier: BSD-3-Clause
"""cov and corrcoef: the centred observations times their transpose, by the engines' matrix product."""

import warnings

import numpy

from .._creation._from_data import array, asarray
from .._ufuncs._clip import clip
from .._ufuncs._objects import PUBLIC
from .._views._join import concatenate
from .._views._plain import squeeze
from ..linalg._products import dot
from ._averages import average
from ._common import document, of_numpy, unset

__all__ = ["corrcoef", "cov"]


def _frequencies(values, name, size):
    values = asarray(values)
    if values.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if values.shape[0] != size:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if bool((values < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return values.astype(float)


@document(
    "The covariance matrix of variables.",
    ">>> np.cov([[0.0, 1.0], [2.0, 0.0]]).tolist()\n[[0.5, -1.0], [-1.0, 2.0]]",
    "Lazy, but weights trigger evaluation.",
)
@of_numpy
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    y = None if y is None else asarray(y)
    if y is not None and y.ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    if dtype is None:
        dtype = numpy.result_type(m.dtype, numpy.float64) if y is None else numpy.result_type(m.dtype, y.dtype, numpy.float64)
    X = array(m, dtype, copy=None, ndmin=2)
    X = X.T if not rowvar and X.shape[0] != 1 else X
    if y is not None:
        y = array(y, dtype, copy=None, ndmin=2)
        X = concatenate((X, y.T if not rowvar and y.shape[0] != 1 else y), 0)
    weights = None
    if fweights is not None:
        values = asarray(fweights)
        if values.dtype.kind == "f" and not bool((values == PUBLIC["rint"](values)).all()):
            raise TypeError("fweights must be integer")
        weights = _frequencies(values, "fweights", X.shape[1])
    if aweights is not None:
        if type(aweights) is complex:
            float(aweights)  # NumPy's refusal
        aweights = _frequencies(aweights, "aweights", X.shape[1])
        weights = aweights if weights is None else weights * aweights
    ddof = (1 if bias == 0 else 0) if ddof is None else ddof
    center, total = average(X, axis=1, weights=weights, returned=True)
    factor = X.shape[1] - ddof if weights is None else _factor(float(total[0].real), weights, aweights, ddof)
    if factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4)
        factor = 0.0
    if X.dtype != center.dtype:
        numpy.subtract(numpy.ones(1), numpy.ones(1, center.dtype), out=numpy.ones(1, X.dtype))  # NumPy's refusal
    # A difference is stored in the order of its axes: of a table with a variable in each column, the table's.
    X = (X.T - center).T if abs(X.strides[0]) < abs(X.strides[1]) else X - center[:, None]
    transposed = X.T if weights is None else (X * weights).T
    c = dot(X, transposed.conj() if transposed.dtype.kind == "c" else transposed)
    c *= numpy.true_divide(1, factor)  # in place: the dtype is that of the products
    return squeeze(c)


def _factor(total, weights, aweights, ddof):
    if ddof == 0:
        return total
    return total - ddof if aweights is None else total - ddof * float((weights * aweights).sum()) / total


@document(
    "The correlation coefficients of variables.",
    ">>> np.corrcoef([[0.0, 1.0], [2.0, 0.0]]).round(6).tolist()\n[[1.0, -1.0], [-1.0, 1.0]]",
)
@of_numpy
def corrcoef(x, y=None, rowvar=True, bias=unset, ddof=unset, *, dtype=None):
    if bias is not unset or ddof is not unset:
        warnings.warn("bias and ddof have no effect and are deprecated", DeprecationWarning, stacklevel=3)
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviations = PUBLIC["sqrt"](c.diagonal().real)
    c = c / deviations[:, None] / deviations[None, :]
    if c.dtype.kind != "c":
        return clip(c, -1, 1)
    c.real[...] = clip(c.real, -1, 1)
    c.imag[...] = clip(c.imag, -1, 1)
    return c
