# SPDX-License-Identifier: BSD-3-Clause
"""The discrete distributions, as methods of Generator and RandomState. Results are int64; probabilities are exact, by
inversion or rejection (protocol/discrete_methods.hpp)."""

import functools

import numpy

from .._local import is_distributed
from .._ufuncs._where import either
from ._streams import check, draw, numbers, output_shape, parameter


class Discrete:
    """Needs `self._bits`."""

    def poisson(self, lam=1.0, size=None):
        """Numbers of the Poisson distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.

        Examples
        --------
        >>> import gamelan as np
        >>> np.random.default_rng(1).poisson(3, (2, 3)).shape
        (2, 3)
        """
        return draw(self._bits, "poisson", (lam,), size, int)

    def binomial(self, n, p, size=None):
        """Numbers of the binomial distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.

        Examples
        --------
        >>> import gamelan as np
        >>> bool((np.random.default_rng(1).binomial(10, 0.5, 100) <= 10).all())
        True
        """
        return draw(self._bits, "binomial", (n, p), size, int)

    def negative_binomial(self, n, p, size=None):
        """Numbers of the negative binomial distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "negative_binomial", (n, p), size, int)

    def geometric(self, p, size=None):
        """Numbers of the geometric distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "geometric", (p,), size, int)

    def zipf(self, a, size=None):
        """Numbers of the Zipf distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "zipf", (a,), size, int)

    def logseries(self, p, size=None):
        """Numbers of the logarithmic series distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "logseries", (p,), size, int)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """Numbers of the hypergeometric distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        values = [parameter(value, int) for value in (ngood, nbad, nsample)]
        if any(map(is_distributed, values)):
            check("poisson", values[:1])  # none is negative; then how they stand to each other: one look each
            check("poisson", values[1:2])
            check("poisson", values[2:])
            if bool((values[2] > values[0] + values[1]).any()):
                raise ValueError("ngood + nbad < nsample")
        else:
            check("hypergeometric", values)
        return draw(self._bits, "hypergeometric", values, size, int, is_checked=True)


def whole_numbers(bits, low, high, size, dtype, endpoint):
    """Uniform integers between limits that may be arrays; the last one belongs to them with `endpoint`."""
    if high is None:
        low, high = 0, low
    python_type = dtype if size is None and (dtype is int or dtype is bool) else None  # of these NumPy draws one number of Python
    dtype = numpy.dtype(dtype)
    if type(low) is not int or type(high) is not int:
        low, high = _limit(low), _limit(high)
        _check_dtype(dtype)
        if low.ndim or high.ndim or is_distributed(low) or is_distributed(high):
            return _between(bits, low, high, size, dtype, endpoint)
        low, high = _exact(low), _exact(high)
    result = numbers(bits, "random_integers", size, *_range(low, high, dtype, endpoint))
    if python_type is not None:
        return python_type(result)
    return result.astype(bool) if dtype == bool else result


def _check_dtype(dtype):
    if dtype.kind not in "iub":
        raise TypeError(f"Unsupported dtype {dtype!r} for integers")


@functools.lru_cache(1024)
def _range(low, high, dtype, endpoint):
    """The dtype in which to draw, the first number and the last."""
    _check_dtype(dtype)
    last = high - (0 if endpoint else 1)
    _check_limits(low, last, dtype, endpoint)
    kind = numpy.dtype("u1") if dtype == bool else dtype
    return kind, kind.type(low), kind.type(last)


def _exact(limit):
    """NumPy takes floats for limits and drops what follows the point."""
    return int(limit[()])


def _check_limits(low, last, dtype, endpoint):
    least, greatest = (0, 1) if dtype == bool else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
    if low < least:
        raise ValueError(f"low is out of bounds for {dtype.name}")
    if last > greatest:
        raise ValueError(f"high is out of bounds for {dtype.name}")
    if last < low:
        raise ValueError("low >= high" if not endpoint else "low > high")


def _limit(value):
    """A limit, or an array of them; a list of integers that have no dtype together as objects."""
    array = parameter(value)
    if array.dtype.kind != "f" or not isinstance(value, (list, tuple)):
        return array
    exact = numpy.array(value, object)
    return exact if exact.size and all(isinstance(each, (int, numpy.integer)) for each in exact.reshape(-1)) else array


def _whole(limits):
    """Limits without what follows the point; as objects where there may be more bits than NumPy compares exactly."""
    if limits.dtype.kind == "f":
        limits = limits.astype("i8")
    return limits if is_distributed(limits) or limits.dtype.kind not in "uO" else limits.astype(object)


def _word(limits):
    """Limits modulo 2**64."""
    if limits.dtype != object:
        return limits.astype("i8").astype("u8")
    return numpy.array([int(limit) % 2**64 for limit in limits.reshape(-1).tolist()], "u8").reshape(limits.shape)


def _between(bits, low, high, size, dtype, endpoint):
    shape = output_shape(size, (low, high))
    low, high = _whole(low), _whole(high)
    if low.size and high.size:
        _check_limits(int(low.min()), int(high.max()) - (0 if endpoint else 1), dtype, endpoint)
        if (low > high if endpoint else low >= high).any():
            raise ValueError("low >= high" if not endpoint else "low > high")
    low, high = _word(low), _word(high)
    span = high - low - numpy.uint64(not endpoint)  # the last number less the first
    first, second = (numbers(bits, "random_integers", shape, "u8", numpy.uint64(0), numpy.uint64(2**64 - 1)) for _ in range(2))
    is_all = span == numpy.uint64(2**64 - 1)  # of so many numbers a word is one
    drawn = (low + either(is_all, first, _below(first, second, span + numpy.uint64(1)))).astype("i8")
    return drawn.astype(dtype)


def _below(first, second, width):
    """Uniform in [0, width): the upper word of width times a fraction of 128 bits, as philox.hpp's `below`."""
    high, low = _product(first, width)
    carry, _ = _product(second, width)
    return high + ((low + carry) < low).astype("u8")


def _product(x, y):
    """Upper and lower word of the product of two words."""
    half, mask = numpy.uint64(32), numpy.uint64(2**32 - 1)
    x0, x1, y0, y1 = x & mask, x >> half, y & mask, y >> half
    middle = x1 * y0 + ((x0 * y0) >> half)
    other = x0 * y1 + (middle & mask)
    return x1 * y1 + (middle >> half) + (other >> half), x * y
