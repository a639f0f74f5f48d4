# SPDX-License-Identifier: BSD-3-Clause
"""Generator: numpy.random's modern interface, drawing distributed arrays."""

import copy

import numpy

from .._creation._from_data import asarray
from .._errors import NotImplementedName
from .._imported_numpy import ZERO_SHARES, normalize_axis_index
from .._views._reshape import ravel, reshape
from . import _several
from ._bits import BitGenerator, bit_generator_from
from ._choosing import Choosing, choose, order_within_lines
from ._continuous import Continuous
from ._discrete import Discrete, whole_numbers
from ._streams import draw, numbers, put_out, size_for

__all__ = ["Generator", "default_rng"]


class Generator(Continuous, Discrete, Choosing):
    """A stream of random numbers. Made by `default_rng`.

    The numbers depend on the seed alone, not on the number of engines nor on where an array lives; they are not NumPy's.

    Examples
    --------
    >>> import gamelan as np
    >>> rng = np.random.default_rng(1)
    >>> rng.random(3).shape
    (3,)
    """

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, (BitGenerator, numpy.random.BitGenerator)):
            raise AttributeError(f"{type(bit_generator).__name__!r} object has no attribute 'capsule'")
        self._bits = bit_generator_from(bit_generator)

    def __getattr__(self, name):
        if hasattr(numpy.random.Generator, name) and not name.startswith("_"):
            raise NotImplementedName(f"gamelan.random.Generator.{name} is not implemented yet")
        raise AttributeError(f"'Generator' object has no attribute {name!r}")

    def __reduce__(self):
        return Generator, (self._bits,)

    def __copy__(self):
        return Generator(copy.deepcopy(self._bits))  # a stream of its own

    def __repr__(self):
        return f"Generator({type(self._bits).__name__}) at 0x{id(self):X}"

    __str__ = __repr__

    @property
    def bit_generator(self):
        """Where the numbers come from; its `state` may be kept and assigned."""
        return self._bits

    def spawn(self, n_children):
        """Make independent generators.

        Needs no evaluation.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
            Their streams are independent of this one and of each other.

        Raises
        ------
        TypeError
            If the bit generator was made without a seed sequence.
        """
        return [Generator(bits) for bits in self._bits.spawn(n_children)]

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Uniform numbers in [0, 1).

        Examples
        --------
        >>> import gamelan as np
        >>> np.random.default_rng(1).random(3).shape
        (3,)
        """
        return self._floating("random_uniform", "random", size, dtype, out)

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        """Numbers of the standard normal distribution."""
        return self._floating("random_normal", "standard_normal", size, dtype, out)

    def _floating(self, op, name, size, dtype, out):
        dtype = _floating_dtype(dtype, name)
        return put_out(numbers(self._bits, op, size_for(size, out, dtype), dtype, 0.0, 1.0), out)

    def standard_exponential(self, size=None, dtype=numpy.float64, method="zig", out=None):
        """Numbers of the exponential distribution of mean 1.

        Lazy. The numbers are made by inversion, whatever `method` says.
        """
        dtype = _floating_dtype(dtype, "standard_exponential")
        return put_out(draw(self._bits, "exponential", (1.0,), size_for(size, out, dtype), dtype, True), out)

    def standard_gamma(self, shape, size=None, dtype=numpy.float64, out=None):
        """Numbers of the gamma distribution of scale 1.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        dtype = _floating_dtype(dtype, "standard_gamma")
        return put_out(draw(self._bits, "gamma", (shape, 1.0), size_for(size, out, dtype), dtype), out)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """Uniform integers between two limits.

        Lazy, but distributed limits trigger evaluation, to check them.
        """
        return whole_numbers(self._bits, low, high, size, dtype, endpoint)

    def bytes(self, length):
        """Random bytes.

        Needs no evaluation: the bytes are made in the notebook's process.
        """
        return numpy.asarray(numbers(self._bits, "random_integers", length, "u1", numpy.uint8(0), numpy.uint8(255))).tobytes()

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """A random sample of an array, or of the numbers below an integer.

        Lazy, but a distributed `p`, and a sample of a distributed array that is distributed itself, trigger evaluation. Without
        replacement the order is always random, as with `shuffle`.

        Examples
        --------
        >>> import gamelan as np
        >>> sorted(np.random.default_rng(1).choice(3, 3, replace=False).tolist())
        [0, 1, 2]
        """
        return choose(self._bits, a, size, replace, p, axis)

    def permuted(self, x, axis=None, out=None):
        """A copy with the elements along an axis in random order, for each line another one."""
        x = asarray(x)
        if axis is None:
            result = reshape(order_within_lines(self._bits, ravel(x), 0), x.shape)
        else:
            result = order_within_lines(self._bits, x, normalize_axis_index(axis, x.ndim))
        if out is None:
            return result
        if out.shape != x.shape:
            raise ValueError("out must have the same shape as x")
        if not numpy.can_cast(x.dtype, out.dtype, "safe"):
            raise TypeError(f"Cannot cast array data from {x.dtype!r} to {out.dtype!r} according to the rule 'safe'")
        out[...] = result
        return out

    def multinomial(self, n, pvals, size=None):
        """Numbers of the multinomial distribution.

        Distributed parameters trigger evaluation, to check them. Otherwise lazy.
        """
        return _several.multinomial(self._bits, n, pvals, size)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """Numbers of the multivariate hypergeometric distribution.

        Distributed parameters trigger evaluation, to check them. Otherwise lazy. `method` changes nothing.
        """
        return _several.multivariate_hypergeometric(self._bits, colors, nsample, size, method)

    def dirichlet(self, alpha, size=None):
        """Numbers of the Dirichlet distribution.

        Distributed parameters trigger evaluation, to check them. Otherwise lazy.
        """
        return _several.dirichlet(self._bits, alpha, size, ZERO_SHARES)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Numbers of the multivariate normal distribution.

        Lazy, but a distributed covariance triggers evaluation: it is fetched, and its factor is computed in the notebook's
        process.
        """
        return _several.multivariate_normal(self._bits, mean, cov, size, check_valid, tol, method)


def _floating_dtype(dtype, name):
    dtype = numpy.dtype(dtype)
    if dtype not in (numpy.float64, numpy.float32):
        raise TypeError(f"Unsupported dtype {dtype!r} for {name}")
    return dtype


def default_rng(seed=None):
    """Make a generator of random numbers.

    The same seed gives the same numbers on any number of engines. They are not NumPy's numbers. Needs no evaluation.

    Parameters
    ----------
    seed : None, int, sequence of int, SeedSequence, BitGenerator or Generator, optional
        The seed. By default one from the operating system.

    Returns
    -------
    Generator

    Raises
    ------
    TypeError, ValueError
        If the seed is not a seed, or negative.
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(bit_generator_from(seed))
