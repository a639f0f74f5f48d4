# SPDX-License-Identifier: BSD-3-Clause
"""Arkouda's scan: c = cumsum(a)."""

from inputs import u

FULL = {"n": 20_000_000}
SMOKE = {"n": 100_003}
EXPECTED = [2491604092.4381685, 24885.58792864147, 49892.64005612908]


def inputs(params):
    return (u(0, params["n"]),)


def compute(np, params, a):
    return (np.cumsum(a),)


def result(np, params, c):
    return [float(c.sum()), float(c[params["n"] // 2]), float(c[-1])]


def compute_dask(da, params, a):
    return (da.cumsum(a, axis=0),)


def bytes_moved(params):
    return 16 * params["n"]
