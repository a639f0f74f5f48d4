# SPDX-License-Identifier: BSD-3-Clause
"""Where the q-th quantile lies among n sorted numbers: between which two, and how far along. The methods are those of
Hyndman and Fan (1996), "Sample quantiles in statistical packages", and NumPy's others. Numbers here and arrays on the
engines (how many numbers a line has without its NaNs) are computed by the same lines."""

import numpy

from .._imported_numpy import COUNTS_FROM_ONE
from .._local import is_distributed
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either

# alpha and beta of the methods that interpolate: the position is n q + alpha + q (1 - alpha - beta) - 1.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
_OTHERS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "linear", "lower", "higher", "midpoint", "nearest")
METHODS = (*_CONTINUOUS, *_OTHERS)


def check_method(method):
    """NumPy's ValueError for a method that there is not."""
    if method not in METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {METHODS}")


class _Here:
    floor, ceil, rint, where = numpy.floor, numpy.ceil, numpy.rint, numpy.where


class _There:
    floor, ceil, rint, where = PUBLIC["floor"], PUBLIC["ceil"], PUBLIC["rint"], staticmethod(either)


def _step(np, position, is_met):
    """The number at a position, or the one after it: a rule of a discrete method says which."""
    below = np.floor(position)
    found = np.where(is_met(position - below, position), below, below + 1)
    return np.where(found < 0, 0.0, found)


def positions(n, q, method):
    """Indices of the two neighbours, and the weight of the second; the weight is None where one number is the answer."""
    np = _There if is_distributed(n) else _Here
    last = n - 1
    if method == "inverted_cdf":
        found = _step(np, n * q - 1, lambda part, position: part == 0)
    elif method == "closest_observation":
        found = _step(np, n * q - 1 - 0.5, lambda part, position: (part == 0) & (np.floor(position) % 2 == COUNTS_FROM_ONE))
    elif method in ("lower", "higher", "nearest"):
        found = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[method](last * q)
    else:
        return _between(np, n, q, method)
    found = _whole(found)
    return found, found, None


def _between(np, n, q, method):
    last = n - 1
    if method == "linear":
        position = last * q
        if numpy.asarray(q).dtype.kind in "biu":  # 0 or 1 as a whole number: NumPy interpolates nothing
            return _whole(position), _whole(position), None
    elif method == "midpoint":
        position = 0.5 * (np.floor(last * q) + np.ceil(last * q))
    elif method == "averaged_inverted_cdf":
        position = n * q - 1
    else:
        alpha, beta = _CONTINUOUS[method]
        position = n * q + (alpha + q * (1 - alpha - beta)) - 1
    below = np.floor(position)
    # At the last number or beyond it both neighbours are the last; before the first both are the first.
    first, second = np.where(position >= last, last, below), np.where(position >= last, last, below + 1)
    first, second = np.where(position < 0, 0, first), np.where(position < 0, 0, second)
    weight = position - _whole(below)  # in float64, whatever q is
    if method == "averaged_inverted_cdf":
        weight = np.where(weight == 0, 0.5, 1.0)
    elif method == "midpoint":
        weight = np.where(position % 1 == 0, 0.0, 0.5)
    return _whole(first), _whole(second), weight


def _whole(index):
    return numpy.asarray(index).astype(numpy.intp) if not is_distributed(index) else index.astype(numpy.intp)
