# SPDX-License-Identifier: BSD-3-Clause
"""RandomState, and the functions of numpy.random that share one of it."""

import copy

import numpy

from .._errors import NotImplementedName
from .._local import gathered
from . import _several
from ._bits import BitGenerator, Philox, bit_generator_from
from ._choosing import Choosing, choose
from ._continuous import Continuous
from ._discrete import Discrete, whole_numbers
from ._streams import draw, numbers

__all__ = ["RandomState", "get_bit_generator", "set_bit_generator"]


class RandomState(Continuous, Discrete, Choosing):
    """numpy.random's older interface. The same seed gives the same numbers as `default_rng`, which are not NumPy's."""

    def __init__(self, seed=None):
        is_ready = isinstance(seed, (BitGenerator, numpy.random.BitGenerator))
        self._bits = bit_generator_from(seed) if is_ready else Philox(_legacy_seed(seed))

    def __getattr__(self, name):
        if hasattr(numpy.random.RandomState, name) and not name.startswith("_"):
            raise NotImplementedName(f"gamelan.random.RandomState.{name} is not implemented yet")
        raise AttributeError(f"'RandomState' object has no attribute {name!r}")

    def __reduce__(self):
        return RandomState, (self._bits,)

    def __copy__(self):
        return RandomState(copy.deepcopy(self._bits))  # a stream of its own

    def __repr__(self):
        return f"RandomState({type(self._bits).__name__}) at 0x{id(self):X}"

    def seed(self, seed=None):
        """Seed the generator again.

        Needs no evaluation.

        Parameters
        ----------
        seed : int, sequence of int or None, optional
            The seed. By default one from the operating system.
        """
        self._bits._restart(_legacy_seed(seed))

    def get_state(self, legacy=True):
        """The state of the generator.

        Needs no evaluation. The state is a tuple whose third item counts the numbers drawn, or with `legacy=False` a dict.
        """
        state = self._bits.state
        if not legacy:
            return state
        return "Philox", numpy.array([state["state"]["key"]], numpy.uint64), state["state"]["counter"], 0, 0.0

    def set_state(self, state):
        """Set the state of the generator.

        Needs no evaluation. The state is one that `get_state` returned.
        """
        if not isinstance(state, dict):
            if not isinstance(state, (tuple, list)):
                raise TypeError("state must be a dict or a tuple.")
            if len(state) < 3 or state[0] != "Philox":
                raise ValueError("set_state can only be used with states of gamelan's Philox")
            pair = {"key": int(numpy.asarray(state[1]).ravel()[0]), "counter": int(state[2])}
            state = {"bit_generator": "Philox", "state": pair}
        self._bits.state = state

    def random_sample(self, size=None):
        """Uniform numbers in [0, 1)."""
        return numbers(self._bits, "random_uniform", size, float, 0.0, 1.0)

    def random(self, size=None):
        """Uniform numbers in [0, 1).

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result. By default one number.
        """
        return self.random_sample(size)

    def rand(self, *shape):
        """Uniform numbers in [0, 1), of the shape that the arguments say."""
        return self.random_sample(shape or None)

    def randn(self, *shape):
        """Numbers of the standard normal distribution, of the shape that the arguments say."""
        return self.standard_normal(shape or None)

    def standard_normal(self, size=None):
        """Numbers of the standard normal distribution."""
        return numbers(self._bits, "random_normal", size, float, 0.0, 1.0)

    def standard_exponential(self, size=None):
        """Numbers of the exponential distribution of mean 1."""
        return draw(self._bits, "exponential", (1.0,), size, is_checked=True)

    def standard_gamma(self, shape, size=None):
        """Numbers of the gamma distribution of scale 1.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "gamma", (shape, 1.0), size)

    def randint(self, low, high=None, size=None, dtype=int):
        """Uniform integers in [low, high).

        Lazy, but distributed limits trigger evaluation, to check them.
        """
        return whole_numbers(self._bits, low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        """Uniform integers in [low, high].

        Lazy, but distributed limits trigger evaluation, to check them.
        """
        return whole_numbers(self._bits, 1 if high is None else low, low if high is None else high, size, int, True)

    def tomaxint(self, size=None):
        """Uniform integers from 0 to the largest one."""
        return whole_numbers(self._bits, 0, numpy.iinfo(int).max, size, int, True)

    def bytes(self, length):
        """Random bytes.

        Needs no evaluation: the bytes are made in the notebook's process.
        """
        return numpy.asarray(numbers(self._bits, "random_integers", length, "u1", numpy.uint8(0), numpy.uint8(255))).tobytes()

    def choice(self, a, size=None, replace=True, p=None):
        """A random sample of an array, or of the numbers below an integer.

        Lazy, but a distributed `p`, and a sample of a distributed array that is distributed itself, trigger evaluation.
        """
        if numpy.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return choose(self._bits, a, size, replace, p)

    def shuffle(self, x):
        """Shuffle the rows of an array or the items of a list in place."""
        Choosing.shuffle(self, x)

    def permutation(self, x):
        """A shuffled copy of an array, or the numbers below an integer in random order."""
        return Choosing.permutation(self, x)

    def multinomial(self, n, pvals, size=None):
        """Numbers of the multinomial distribution."""
        if numpy.ndim(pvals) != 1:
            raise ValueError("pvals must be a 1-d sequence")
        return _several.multinomial(self._bits, n, pvals, size)

    def dirichlet(self, alpha, size=None):
        """Numbers of the Dirichlet distribution."""
        return _several.dirichlet(self._bits, alpha, size)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Numbers of the multivariate normal distribution.

        Lazy, but a distributed covariance triggers evaluation: it is fetched, and its factor is computed in the notebook's
        process.
        """
        return _several.multivariate_normal(self._bits, mean, cov, size, check_valid, tol)


def _legacy_seed(seed):
    seed = gathered(seed)
    if isinstance(seed, (int, numpy.integer)) and not 0 <= seed < 2**32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    if isinstance(seed, (list, tuple, numpy.ndarray)) and numpy.ndim(seed):
        numbers_of = numpy.asarray(seed)
        if numbers_of.size == 0:
            raise ValueError("Seed must be non-empty")
        if numbers_of.dtype.kind not in "biuO":
            raise TypeError(f"Cannot cast array data from {numbers_of.dtype!r} to dtype('int64') according to the rule 'safe'")
        if numbers_of.ndim != 1:
            raise ValueError("Seed array must be 1-d")
        if any(not 0 <= int(each) < 2**32 for each in numbers_of.tolist()):
            raise ValueError("Seed must be between 0 and 2**32 - 1")
    return seed


_global = RandomState()
METHODS = """
beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel hypergeometric laplace logistic
lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto
permutation poisson power rand randint randn random random_integers random_sample rayleigh seed set_state shuffle
standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf
""".split()
FUNCTIONS = {name: getattr(_global, name) for name in METHODS}
FUNCTIONS["ranf"] = FUNCTIONS["sample"] = FUNCTIONS["random_sample"]  # NumPy's other names


def get_bit_generator():
    """The bit generator behind the functions of this module.

    Needs no evaluation.

    Returns
    -------
    BitGenerator
    """
    return _global._bits


def set_bit_generator(bitgen):
    """Put another bit generator behind the functions of this module.

    Needs no evaluation.

    Parameters
    ----------
    bitgen : BitGenerator
        The new one.

    Returns
    -------
    None
    """
    if not isinstance(bitgen, (BitGenerator, numpy.random.BitGenerator)):
        raise TypeError(f"expected a bit generator, got {type(bitgen).__name__}")
    _global._bits = bit_generator_from(bitgen)
