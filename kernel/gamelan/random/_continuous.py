# SPDX-License-Identifier: BSD-3-Clause
"""The continuous distributions, as methods of Generator and RandomState. Parameters may be arrays; names, order and errors
are NumPy's. Each is drawn exactly, by inversion or by rejection (protocol/distribution_methods.hpp)."""

import numpy

from ._streams import check, draw, numbers, output_shape, parameter


class Continuous:
    """Needs `self._bits`."""

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform in [low, high); the limits may be arrays."""
        low, high = parameter(low, float), parameter(high, float)
        check("uniform", (low, high))
        if isinstance(low, numpy.ndarray) and isinstance(high, numpy.ndarray) and low.ndim == high.ndim == 0:
            return numbers(self._bits, "random_uniform", size, float, float(low), float(high))
        return low + (high - low) * numbers(self._bits, "random_uniform", output_shape(size, (low, high)), float, 0.0, 1.0)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal of mean loc and deviation scale; both may be arrays."""
        loc, scale = parameter(loc, float), parameter(scale, float)
        check("normal", (loc, scale))
        if isinstance(loc, numpy.ndarray) and isinstance(scale, numpy.ndarray) and loc.ndim == scale.ndim == 0:
            return numbers(self._bits, "random_normal", size, float, float(loc), float(scale))
        return loc + scale * numbers(self._bits, "random_normal", output_shape(size, (loc, scale)), float, 0.0, 1.0)

    def exponential(self, scale=1.0, size=None):
        """Exponential of mean scale.

        Examples
        --------
        >>> import gamelan as np
        >>> bool((np.random.default_rng(1).exponential(2.0, 5) > 0).all())
        True
        """
        return draw(self._bits, "exponential", (scale,), size)

    def gamma(self, shape, scale=1.0, size=None):
        """Gamma, by Marsaglia and Tsang's rejection: each element draws as often as it needs, on a substream of its own."""
        return draw(self._bits, "gamma", (shape, scale), size)

    def beta(self, a, b, size=None):
        """Beta, from two gammas."""
        return draw(self._bits, "beta", (a, b), size)

    def chisquare(self, df, size=None):
        """Chi-squared."""
        return draw(self._bits, "chisquare", (df,), size)

    def noncentral_chisquare(self, df, nonc, size=None):
        """Noncentral chi-squared."""
        return draw(self._bits, "noncentral_chisquare", (df, nonc), size)

    def f(self, dfnum, dfden, size=None):
        """Fisher's F."""
        return draw(self._bits, "f", (dfnum, dfden), size)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Noncentral F."""
        return draw(self._bits, "noncentral_f", (dfnum, dfden, nonc), size)

    def standard_t(self, df, size=None):
        """Student's t."""
        return draw(self._bits, "standard_t", (df,), size)

    def standard_cauchy(self, size=None):
        """Cauchy, about 0."""
        return draw(self._bits, "standard_cauchy", (), size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """exp of a normal variable."""
        return draw(self._bits, "lognormal", (mean, sigma), size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Double exponential."""
        return draw(self._bits, "laplace", (loc, scale), size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Logistic."""
        return draw(self._bits, "logistic", (loc, scale), size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Gumbel."""
        return draw(self._bits, "gumbel", (loc, scale), size)

    def pareto(self, a, size=None):
        """Pareto II, from 0 on."""
        return draw(self._bits, "pareto", (a,), size)

    def power(self, a, size=None):
        """Density a x**(a - 1) in [0, 1]."""
        return draw(self._bits, "power", (a,), size)

    def rayleigh(self, scale=1.0, size=None):
        """Rayleigh."""
        return draw(self._bits, "rayleigh", (scale,), size)

    def wald(self, mean, scale, size=None):
        """Inverse Gaussian."""
        return draw(self._bits, "wald", (mean, scale), size)

    def weibull(self, a, size=None):
        """Weibull of scale 1."""
        return draw(self._bits, "weibull", (a,), size)

    def vonmises(self, mu, kappa, size=None):
        """Von Mises, in [-pi, pi]."""
        return draw(self._bits, "vonmises", (mu, kappa), size)

    def triangular(self, left, mode, right, size=None):
        """Triangular in [left, right]."""
        values = [parameter(value, float) for value in (left, mode, right)]
        if any(not isinstance(value, numpy.ndarray) for value in values):  # how they stand to each other: one look at all
            left, mode, right = values
            wrong = ((left > mode) | (mode > right) | (left == right)).any()
            if bool(wrong):
                raise ValueError("left > mode, mode > right or left == right")
        else:
            check("triangular", values)
        return draw(self._bits, "triangular", values, size, checked=True)
