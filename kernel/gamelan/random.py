# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers that depend on the seed alone: not on the number of engines, nor on where an array lives.

A counter-based generator (Philox4x32-10): element i of a draw is a function of the key, which comes from the seed through
`numpy.random.SeedSequence`, and of the count of numbers drawn before it. The streams are not NumPy's.
"""
import operator

import numpy

from . import _core
from ._errors import NotImplementedName
from ._local import wrap_here
from ._promotion import OPS, dtype_number


def _shape_of(size):
    if size is None:
        return None
    try:
        return (operator.index(size),)
    except TypeError:
        return tuple(operator.index(extent) for extent in size)


class Generator:
    """A stream of random numbers. Made by `default_rng`."""

    def __init__(self, seed=None):
        self._restart(seed)

    def __getattr__(self, name):
        if hasattr(numpy.random.Generator, name) and not name.startswith("_"):
            raise NotImplementedName(f"gamelan.random.Generator.{name} is not implemented yet")
        raise AttributeError(f"'Generator' object has no attribute {name!r}")

    def _restart(self, seed):
        if isinstance(seed, _core.Array):
            seed = numpy.asarray(seed)
        sequence = seed if isinstance(seed, numpy.random.SeedSequence) else numpy.random.SeedSequence(seed)
        self._key = int(sequence.generate_state(1, numpy.uint64)[0])
        self._offset = 0

    def _draw(self, name, size, dtype, first, second):
        """`size` numbers of op `name` with its two parameters; one number, not an array, when size is None."""
        dtype = numpy.dtype(dtype)
        shape = _shape_of(size)
        extents = () if shape is None else shape
        if any(extent < 0 for extent in extents):
            raise ValueError("negative dimensions are not allowed")
        count = 1
        for extent in extents:
            count *= extent
        offset, self._offset = self._offset, self._offset + count
        if shape is not None and count >= _core.threshold():
            number = dtype_number(dtype)
            result = _core.empty(shape, number)
            _core.record(OPS[name], number, result, True, (first, second), (self._key, offset))
            return result
        values = numpy.empty(extents, dtype)
        _core.random_fill(values, OPS[name], self._key, offset, first, second)
        return values[()] if shape is None else wrap_here(values)

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Uniform in [0, 1).

        Examples
        --------
        >>> import gamelan as np
        >>> np.random.default_rng(1).random(3).shape
        (3,)
        """
        if out is not None:
            out[...] = self.random(out.shape, out.dtype)
            return out
        if numpy.dtype(dtype) not in (numpy.float64, numpy.float32):
            raise TypeError(f"Unsupported dtype {numpy.dtype(dtype)!r} for random")
        return self._draw("random_uniform", size, dtype, 0.0, 1.0)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform in [low, high); the limits may be arrays."""
        if numpy.ndim(low) == 0 and numpy.ndim(high) == 0:
            return self._draw("random_uniform", size, numpy.float64, float(low), float(high))
        return low + (high - low) * self.random(_broadcast(size, low, high))

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        """Normal of mean 0 and deviation 1."""
        if out is not None:
            out[...] = self.standard_normal(out.shape, out.dtype)
            return out
        if numpy.dtype(dtype) not in (numpy.float64, numpy.float32):
            raise TypeError(f"Unsupported dtype {numpy.dtype(dtype)!r} for standard_normal")
        return self._draw("random_normal", size, dtype, 0.0, 1.0)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal of mean loc and deviation scale; both may be arrays."""
        if numpy.ndim(loc) == 0 and numpy.ndim(scale) == 0:
            if float(scale) < 0:
                raise ValueError("scale < 0")
            return self._draw("random_normal", size, numpy.float64, float(loc), float(scale))
        return loc + scale * self.standard_normal(_broadcast(size, loc, scale))

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """Uniform integers in [low, high), or in [low, high] with `endpoint`."""
        if high is None:
            low, high = 0, low
        if numpy.ndim(low) or numpy.ndim(high):
            raise NotImplementedError("gamelan.random.integers is not implemented yet for limits that are arrays")
        low, last = operator.index(low), operator.index(high) - (0 if endpoint else 1)
        dtype = numpy.dtype(dtype)
        if dtype == bool:
            return self.integers(low, last, size, numpy.uint8, endpoint=True).astype(bool)
        if dtype.kind not in "iu":
            raise TypeError(f"Unsupported dtype {dtype!r} for integers")
        limits = numpy.iinfo(dtype)
        if low < limits.min:
            raise ValueError(f"low is out of bounds for {dtype.name}")
        if last > limits.max:
            raise ValueError(f"high is out of bounds for {dtype.name}")
        if last < low:
            raise ValueError("low >= high" if not endpoint else "low > high")
        return self._draw("random_integers", size, dtype, dtype.type(low), dtype.type(last))


def _broadcast(size, *parameters):
    if size is not None:
        return size
    return numpy.broadcast_shapes(*(numpy.shape(parameter) for parameter in parameters))


def default_rng(seed=None):
    """A new stream; the same seed gives the same numbers at any number of engines."""
    return seed if isinstance(seed, Generator) else Generator(seed)


_global = Generator()


def seed(seed=None):
    """Restart the stream behind the functions of this module."""
    _global._restart(seed)


def random(size=None):
    """Uniform in [0, 1). See `numpy.random.random`."""
    return _global.random(size)


random_sample = ranf = sample = random


def rand(*shape):
    """Uniform in [0, 1), the shape as arguments. See `numpy.random.rand`."""
    return _global.random(shape or None)


def randn(*shape):
    """Standard normal, the shape as arguments. See `numpy.random.randn`."""
    return _global.standard_normal(shape or None)


def standard_normal(size=None):
    """Normal of mean 0 and deviation 1. See `numpy.random.standard_normal`."""
    return _global.standard_normal(size)


def uniform(low=0.0, high=1.0, size=None):
    """Uniform in [low, high). See `numpy.random.uniform`."""
    return _global.uniform(low, high, size)


def normal(loc=0.0, scale=1.0, size=None):
    """Normal of mean loc and deviation scale. See `numpy.random.normal`."""
    return _global.normal(loc, scale, size)


def randint(low, high=None, size=None, dtype=int):
    """Uniform integers in [low, high). See `numpy.random.randint`."""
    return _global.integers(low, high, size, dtype)


def __dir__():
    return ["Generator", "default_rng", "normal", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]


def __getattr__(name):
    if hasattr(numpy.random, name) and not name.startswith("_"):
        raise NotImplementedName(f"gamelan.random.{name} is not implemented yet")
    raise AttributeError(f"module 'gamelan.random' has no attribute {name!r}")
