# SPDX-License-Identifier: BSD-3-Clause
"""The continuous distributions, as methods of Generator and RandomState. Parameters may be arrays; names, order and errors
are NumPy's. Each is drawn exactly, by inversion or by rejection (protocol/distribution_methods.hpp)."""

import math

from .._local import is_numpys
from ._streams import PLAIN, check, draw, numbers, output_shape, parameter


class Continuous:
    """Needs `self._bits`."""

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform numbers in [low, high).

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        if type(low) in PLAIN and type(high) in PLAIN and 0 <= high - low < math.inf:
            return numbers(self._bits, "random_uniform", size, float, float(low), float(high))
        low, high = parameter(low, float), parameter(high, float)
        check("uniform", (low, high))
        if is_numpys(low) and is_numpys(high) and low.ndim == high.ndim == 0:
            return numbers(self._bits, "random_uniform", size, float, float(low), float(high))
        return low + (high - low) * numbers(self._bits, "random_uniform", output_shape(size, (low, high)), float, 0.0, 1.0)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the normal distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        if type(loc) in PLAIN and type(scale) in PLAIN and scale > 0:
            return numbers(self._bits, "random_normal", size, float, float(loc), float(scale))
        loc, scale = parameter(loc, float), parameter(scale, float)
        check("normal", (loc, scale))
        if is_numpys(loc) and is_numpys(scale) and loc.ndim == scale.ndim == 0:
            return numbers(self._bits, "random_normal", size, float, float(loc), float(scale))
        return loc + scale * numbers(self._bits, "random_normal", output_shape(size, (loc, scale)), float, 0.0, 1.0)

    def exponential(self, scale=1.0, size=None):
        """Numbers of the exponential distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.

        Examples
        --------
        >>> import gamelan as np
        >>> bool((np.random.default_rng(1).exponential(2.0, 5) > 0).all())
        True
        """
        return draw(self._bits, "exponential", (scale,), size)

    def gamma(self, shape, scale=1.0, size=None):
        """Numbers of the gamma distribution.

        Lazy, but distributed parameters trigger evaluation, to check them. They are made by the rejection method of Marsaglia
        and Tsang; each element draws from a substream of its own.
        """
        return draw(self._bits, "gamma", (shape, scale), size)

    def beta(self, a, b, size=None):
        """Numbers of the beta distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "beta", (a, b), size)

    def chisquare(self, df, size=None):
        """Numbers of the chi-square distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "chisquare", (df,), size)

    def noncentral_chisquare(self, df, nonc, size=None):
        """Numbers of the noncentral chi-square distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "noncentral_chisquare", (df, nonc), size)

    def f(self, dfnum, dfden, size=None):
        """Numbers of the F distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "f", (dfnum, dfden), size)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Numbers of the noncentral F distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "noncentral_f", (dfnum, dfden, nonc), size)

    def standard_t(self, df, size=None):
        """Numbers of Student's t distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "standard_t", (df,), size)

    def standard_cauchy(self, size=None):
        """Numbers of the standard Cauchy distribution."""
        return draw(self._bits, "standard_cauchy", (), size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Numbers of the log-normal distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "lognormal", (mean, sigma), size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the Laplace distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "laplace", (loc, scale), size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the logistic distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "logistic", (loc, scale), size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the Gumbel distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "gumbel", (loc, scale), size)

    def pareto(self, a, size=None):
        """Numbers of the Pareto II (Lomax) distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "pareto", (a,), size)

    def power(self, a, size=None):
        """Numbers of the power distribution in [0, 1].

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "power", (a,), size)

    def rayleigh(self, scale=1.0, size=None):
        """Numbers of the Rayleigh distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "rayleigh", (scale,), size)

    def wald(self, mean, scale, size=None):
        """Numbers of the Wald (inverse Gaussian) distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "wald", (mean, scale), size)

    def weibull(self, a, size=None):
        """Numbers of the Weibull distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "weibull", (a,), size)

    def vonmises(self, mu, kappa, size=None):
        """Numbers of the von Mises distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        return draw(self._bits, "vonmises", (mu, kappa), size)

    def triangular(self, left, mode, right, size=None):
        """Numbers of the triangular distribution.

        Lazy, but distributed parameters trigger evaluation, to check them.
        """
        values = [parameter(value, float) for value in (left, mode, right)]
        if not all(map(is_numpys, values)):  # how they stand to each other: one look at all
            left, mode, right = values
            wrong = ((left > mode) | (mode > right) | (left == right)).any()
            if bool(wrong):
                raise ValueError("left > mode, mode > right or left == right")
        else:
            check("triangular", values)
        return draw(self._bits, "triangular", values, size, is_checked=True)
