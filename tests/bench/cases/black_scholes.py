# SPDX-License-Identifier: BSD-3-Clause
"""DistNumPy's Black-Scholes (its figure 9): European calls on n stocks, strike 65, one more day to maturity per iteration;
the cumulative normal distribution by Abramowitz and Stegun 26.2.17. Each iteration gives the sum of its prices."""

from inputs import u

FULL = {"n": 4_000_000, "iterations": 1}
SMOKE = {"n": 100_003, "iterations": 2}
EXPECTED = [1051063.0885118227, 1052708.5777577716]
TARGETS = {"reference": 1.8, "numpy": 8.0}
X, R, V = 65.0, 0.08, 0.3


def inputs(params):
    return (55.0 + 20.0 * u(0, params["n"]),)


def cnd(np, x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    w = 1.0 - 0.3989422804014327 * np.exp(x * x * -0.5) * poly
    return np.where(x < 0.0, 1.0 - w, w)


def compute(np, params, s):
    sums = []
    for day in range(params["iterations"]):
        t = 1.0 + day / 365.0
        spread = V * t**0.5
        d1 = (np.log(s / X) + (R + V * V / 2.0) * t) / spread
        d2 = d1 - spread
        price = s * cnd(np, d1) - (X * 2.718281828459045 ** (-R * t)) * cnd(np, d2)
        sums.append(price.sum())
    return (sums,)


def result(np, params, sums):
    return [float(each) for each in sums]


def compute_numexpr(evaluate, params, s):
    sums = []
    for day in range(params["iterations"]):
        t = 1.0 + day / 365.0
        spread = V * t**0.5
        drift = (R + V * V / 2.0) * t
        # numexpr has no functions of ours: the text of one is put into that of the other.
        d1 = f"((log(s / {X}) + {drift!r}) / {spread!r})"
        d2 = f"({d1} - {spread!r})"
        price = evaluate(f"s * {_cnd_text(d1)} - {X * 2.718281828459045 ** (-R * t)!r} * {_cnd_text(d2)}", {"s": s})
        sums.append(price.sum())  # numexpr's own sum runs on one thread
    return (sums,)


def _cnd_text(x):
    k = f"(1.0 / (1.0 + 0.2316419 * abs({x})))"
    poly = f"{k} * (0.31938153 + {k} * (-0.356563782 + {k} * (1.781477937 + {k} * (-1.821255978 + {k} * 1.330274429))))"
    w = f"(1.0 - 0.3989422804014327 * exp({x} * {x} * -0.5) * {poly})"
    return f"where({x} < 0.0, 1.0 - {w}, {w})"


compute_dask = compute
