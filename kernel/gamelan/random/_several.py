# SPDX-License-Identifier: BSD-3-Clause
"""Draws of several numbers at a time: multinomial, Dirichlet, multivariate normal. The last axis is that of the variables,
which are few; the others are distributed."""

import numpy

from .._creation._filled import zeros
from .._creation._from_data import asarray
from ._streams import _checker, draw, numbers, parameter, shape_of


def multinomial(bits, n, pvals, size=None):
    """How often each of several outcomes occurs in n trials: one binomial after another, of what is left."""
    p = numpy.asarray(pvals, float)  # the outcomes' probabilities: a table
    n = parameter(n, int)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.")
    if not (numpy.all(p >= 0) and numpy.all(p <= 1)):
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if numpy.any(p[..., :-1].sum(-1) > 1 + 1e-12):
        raise ValueError("sum(pvals[:-1]) > 1.0")
    if n.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {n.dtype!r} to dtype('int64') according to the rule 'safe'")
    if n.size and int(n.min()) < 0:
        raise ValueError("n < 0")
    broadcast = numpy.broadcast_shapes(n.shape, p.shape[:-1])
    shape = broadcast if size is None else shape_of(size)
    if numpy.broadcast_shapes(shape, broadcast) != shape:
        raise ValueError(f"Output size {shape} is not compatible with broadcast dimensions of inputs {broadcast}.")
    result = zeros(shape + p.shape[-1:], int)
    left = zeros(shape, int) + (asarray(n) if n.ndim else int(n))
    rest = numpy.ones(p.shape[:-1])
    for outcome in range(p.shape[-1] - 1):
        share = numpy.clip(numpy.divide(p[..., outcome], rest, out=numpy.zeros_like(rest), where=rest > 0), 0, 1)
        drawn = draw(bits, "binomial", (left, share), shape, int, is_checked=True)
        result[..., outcome] = drawn
        left = left - drawn
        rest = rest - p[..., outcome]
    result[..., -1] = left
    return result


def multivariate_hypergeometric(bits, colors, nsample, size=None, method="marginals"):
    """How many of each colour are in a sample: one hypergeometric after another, of what is left. `method` changes nothing."""
    colors = numpy.asarray(colors)
    _checker.multivariate_hypergeometric(colors, nsample, 0, method)  # for NumPy's errors
    shape = () if size is None else shape_of(size)
    result = zeros(shape + colors.shape, int)
    left, rest = zeros(shape, int) + int(nsample), int(colors.sum())
    for color, count in enumerate(colors[:-1].tolist()):
        rest -= count
        drawn = draw(bits, "hypergeometric", (count, rest, left), shape, int, is_checked=True)
        result[..., color] = drawn
        left = left - drawn
    if colors.size:
        result[..., -1] = left
    return result


def dirichlet(bits, alpha, size=None, may_be_zero=False):
    """Shares that add up to 1: gammas over their sum; where all are small, one beta after another of what is left."""
    alpha = numpy.asarray(alpha, float)
    if alpha.ndim != 1:
        raise ValueError("object of too small depth for desired array" if alpha.ndim == 0 else "alpha must be one-dimensional")
    if not numpy.all(alpha >= 0 if may_be_zero else alpha > 0):
        raise ValueError("alpha < 0" if may_be_zero else "alpha <= 0")
    shape = () if size is None else shape_of(size)
    if alpha.size == 0 or alpha.max() >= 0.1:
        parts = asarray(draw(bits, "gamma", (alpha, 1.0), shape + alpha.shape, is_checked=True))
        return parts / parts.sum(-1, keepdims=True)
    result = zeros(shape + alpha.shape)
    left = asarray(numpy.ones(shape))
    for place in range(alpha.size - 1):
        share = asarray(draw(bits, "beta", (alpha[place], alpha[place + 1 :].sum()), shape, is_checked=True))
        result[..., place] = left * share
        left = left * (1 - share)
    result[..., -1] = left
    return result


def multivariate_normal(bits, mean, cov, size=None, check_valid="warn", tol=1e-8, method="svd"):
    """Normal variables of a given covariance: independent ones times a factor of it, which is found here (it is small)."""
    import warnings

    if method not in ("eigh", "svd", "cholesky"):
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    mean, cov = numpy.asarray(mean), numpy.asarray(cov)  # bounded by config.gather_limit
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    if mean.dtype.kind == "c" or cov.dtype.kind == "c":
        raise TypeError("mean and cov must not be complex")
    cov = cov.astype(float)
    if method == "cholesky":
        factor, is_valid = numpy.linalg.cholesky(cov).T, True
    else:
        values, vectors = numpy.linalg.eigh(cov)
        is_valid = bool(values.min() >= -tol) and numpy.allclose(cov, cov.T, rtol=tol, atol=tol)
        factor = (vectors * numpy.sqrt(numpy.clip(values, 0, None))).T
    if not is_valid and check_valid != "ignore":
        if check_valid == "raise":
            raise ValueError("covariance is not symmetric positive-semidefinite.")
        warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=3)
    shape = () if size is None else shape_of(size)
    normal = asarray(numbers(bits, "random_normal", shape + mean.shape, float, 0.0, 1.0))
    return normal.reshape((-1, mean.size)).__matmul__(asarray(factor)).reshape(shape + mean.shape) + asarray(mean.astype(float))
