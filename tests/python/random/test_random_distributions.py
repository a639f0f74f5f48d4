# SPDX-License-Identifier: BSD-3-Clause
"""The distributions: draws against exact cumulative distributions (Kolmogorov and Smirnov) and probabilities (chi-squared),
with fixed seeds; the same numbers here and on engines, whatever the ranks."""

import math

import numpy
import pytest

import gamelan

COUNT = 20_000
exp, log, pi = numpy.exp, numpy.log, numpy.pi
lgamma = numpy.vectorize(math.lgamma, otypes=[float])
erf = numpy.vectorize(math.erf, otypes=[float])


def gamma_pdf(shape, scale=1.0):
    return lambda x: exp((shape - 1) * log(x / scale) - x / scale - math.lgamma(shape)) / scale


def beta_pdf(a, b):
    return lambda x: exp((a - 1) * log(x) + (b - 1) * numpy.log1p(-x) - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b))


def f_pdf(m, n):
    return lambda x: exp(m / 2 * log(m / n) + (m / 2 - 1) * log(x) - (m + n) / 2 * numpy.log1p(m * x / n)
                         - math.lgamma(m / 2) - math.lgamma(n / 2) + math.lgamma((m + n) / 2))  # fmt: skip


def noncentral_pdf(df, nonc):
    return lambda x: sum(
        exp(-nonc / 2 + j * log(nonc / 2) - math.lgamma(j + 1)) * gamma_pdf(df / 2 + j, 2.0)(x) for j in range(60)
    )


# Cumulative distributions, or (density, from, to) to be added up.
CONTINUOUS = {
    "exponential 2": lambda x: -numpy.expm1(-x / 2),
    "gamma 0.3 2": (gamma_pdf(0.3, 2.0), 1e-40, 60), "gamma 1.7": (gamma_pdf(1.7), 1e-9, 40), "gamma 25": (gamma_pdf(25), 1e-3, 120),
    "beta 0.5 0.3": (beta_pdf(0.5, 0.3), 1e-12, 1 - 1e-12), "beta 2 5": (beta_pdf(2, 5), 1e-9, 1 - 1e-9),
    "chisquare 3": (gamma_pdf(1.5, 2.0), 1e-9, 80),
    "noncentral_chisquare 3 2": (noncentral_pdf(3, 2), 1e-9, 90), "noncentral_chisquare 0.7 2": (noncentral_pdf(0.7, 2), 1e-14, 90),
    "f 5 8": (f_pdf(5, 8), 1e-9, 3000),
    "standard_t 4": (lambda x: (1 + x * x / 4) ** -2.5 * 0.375, -300, 300),
    "standard_cauchy": lambda x: 0.5 + numpy.arctan(x) / pi,
    "lognormal 1 0.5": lambda x: 0.5 + 0.5 * erf((log(x) - 1) / (0.5 * 2**0.5)),
    "laplace 1 2": lambda x: numpy.where(x < 1, 0.5 * exp(numpy.minimum(x - 1, 0) / 2), 1 - 0.5 * exp(-numpy.maximum(x - 1, 0) / 2)),
    "logistic 1 2": lambda x: 1 / (1 + exp(-(x - 1) / 2)),
    "gumbel 1 2": lambda x: exp(-exp(-(x - 1) / 2)),
    "pareto 3": lambda x: 1 - (1 + x) ** -3.0, "power 3": lambda x: x**3, "rayleigh 2": lambda x: -numpy.expm1(-x * x / 8),
    "weibull 1.5": lambda x: -numpy.expm1(-(x**1.5)),
    "wald 1 2": (lambda x: numpy.sqrt(1 / (pi * x**3)) * exp(-((x - 1) ** 2) / x), 1e-3, 60),
    "vonmises 0.5 2": (lambda x: exp(2 * numpy.cos(x - 0.5)) / (2 * pi * numpy.i0(2.0)), -pi, pi),
    "vonmises 0 0.000001": lambda x: (x + pi) / (2 * pi),
    "triangular 0 1 3": lambda x: numpy.where(x < 1, x * x / 3, 1 - (3 - x) ** 2 / 6),
}  # fmt: skip


def split(case):
    name, *parameters = case.split()
    return name, [float(parameter) for parameter in parameters]


@pytest.mark.parametrize("case", CONTINUOUS)
def test_continuous(engine, case):
    name, parameters = split(case)
    x = numpy.sort(numpy.asarray(getattr(gamelan.random.default_rng(20), name)(*parameters, size=COUNT)))
    exact = CONTINUOUS[case]
    if isinstance(exact, tuple):
        density, low, high = exact
        inner = numpy.linspace(low, high, 20_001) if low < 0 or high < 1 else numpy.geomspace(low, high, 40_001)
        if high < 1:
            inner = numpy.unique(
                numpy.concatenate([inner, numpy.geomspace(low, 0.5, 20_001), 1 - numpy.geomspace(low, 0.5, 20_001)])
            )
        values = density(inner)
        sums = numpy.concatenate([[0], numpy.cumsum((values[1:] + values[:-1]) / 2 * numpy.diff(inner))])
        assert abs(sums[-1] - 1) < 2e-3, "the density is one"
        cumulated = numpy.interp(x, inner, sums)
    else:
        cumulated = exact(x)
    steps = numpy.arange(COUNT + 1) / COUNT
    distance = max(numpy.abs(cumulated - steps[1:]).max(), numpy.abs(cumulated - steps[:-1]).max())
    assert distance < 1.95 / COUNT**0.5, "one in a thousand"


def binomial_pmf(n, p):
    return lambda k: exp(math.lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * numpy.log1p(-p))


def choose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


# Probabilities of the numbers from .. to.
DISCRETE = {
    "poisson 3.5": (lambda k: exp(k * log(3.5) - 3.5 - lgamma(k + 1)), 0, 40), "poisson 40": (lambda k: exp(k * log(40) - 40 - lgamma(k + 1)), 0, 120),
    "binomial 12 0.3": (binomial_pmf(12, 0.3), 0, 12), "binomial 100 0.35": (binomial_pmf(100, 0.35), 0, 100), "binomial 60 0.9": (binomial_pmf(60, 0.9), 0, 60),
    "negative_binomial 4 0.3": (lambda k: exp(lgamma(k + 4) - math.lgamma(4) - lgamma(k + 1) + 4 * log(0.3) + k * log(0.7)), 0, 100),
    "geometric 0.2": (lambda k: 0.2 * 0.8 ** (k - 1), 1, 120), "logseries 0.8": (lambda k: 0.8**k / (-k * log(0.2)), 1, 200),
    "zipf 2.5": (lambda k: k**-2.5 / 1.341487257250917, 1, 3000),
    "hypergeometric 12 9 6": (lambda k: exp(choose(12, k) + choose(9, 6 - k) - choose(21, 6)), 0, 6),
    "hypergeometric 70 40 50": (lambda k: exp(choose(70, k) + choose(40, 50 - k) - choose(110, 50)), 10, 50),
    "hypergeometric 30 80 75": (lambda k: exp(choose(30, k) + choose(80, 75 - k) - choose(110, 75)), 0, 30),
}  # fmt: skip


@pytest.mark.parametrize("case", DISCRETE)
def test_discrete(engine, case):
    name, parameters = split(case)
    if name in ("binomial", "hypergeometric"):
        parameters = [int(parameter) if parameter >= 1 else parameter for parameter in parameters]
    x = numpy.asarray(getattr(gamelan.random.default_rng(21), name)(*parameters, size=COUNT))
    probability, first, last = DISCRETE[case]
    k = numpy.arange(first, last + 1, dtype=float)
    p = probability(k)
    assert abs(p.sum() - 1) < 1e-3 and x.min() >= first and x.dtype == int
    expected, found = p * COUNT, numpy.bincount(numpy.minimum(x, last) - first, minlength=k.size)
    is_common = expected >= 10
    expected, found = ([*values[is_common], COUNT - values[is_common].sum()] for values in (expected, found))
    if expected[-1] < 5:
        expected, found = [*expected[:-2], sum(expected[-2:])], [*found[:-2], sum(found[-2:])]
    bins = len(expected)
    distance = sum((f - e) ** 2 / e for f, e in zip(found, expected))
    assert distance < bins + 3.3 * (2 * bins) ** 0.5 + 4, "about one in a thousand"


@pytest.mark.parametrize("case", [*CONTINUOUS, *DISCRETE])
def test_the_same_numbers_here_and_there(engine, case):
    name, parameters = split(case)
    if name in ("binomial", "hypergeometric"):
        parameters = [int(parameter) if parameter >= 1 else parameter for parameter in parameters]
    there = numpy.asarray(getattr(gamelan.random.default_rng(5), name)(*parameters, size=(7, 11)))
    with gamelan.options(distribute_from=2**62):
        here = numpy.asarray(getattr(gamelan.random.default_rng(5), name)(*parameters, size=(7, 11)))
    assert here.dtype == there.dtype and (here == there).all()


def test_parameters_that_are_arrays(engine):
    shape, scale = numpy.array([[0.5], [2.0], [30.0]]), numpy.arange(1.0, 6.0)
    with gamelan.options(distribute_from=2**62):
        here = numpy.asarray(gamelan.random.default_rng(3).gamma(shape, scale, (2, 3, 5)))
    for first in (shape, gamelan.asarray(shape)):
        for second in (scale, gamelan.asarray(scale)):
            there = numpy.asarray(gamelan.random.default_rng(3).gamma(first, second, (2, 3, 5)))
            assert (here == there).all()
    assert gamelan.random.default_rng(3).poisson(gamelan.asarray(shape)).shape == (3, 1)
