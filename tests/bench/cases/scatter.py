# SPDX-License-Identifier: BSD-3-Clause
"""Arkouda's scatter: c[i] = a, i a random permutation."""

import numpy

from inputs import u

FULL = {"n": 10_000_000}
SMOKE = {"n": 100_003}
EXPECTED = [49892.64005612897, 25437311.024914194, 0.17187115708874234]
TARGETS = {"reference": 1.5}
MUTATES = (2,)


def inputs(params):
    n = params["n"]
    return u(0, n), numpy.argsort(u(1, n), kind="stable"), numpy.zeros(n)


def compute(np, params, a, i, c):
    c[i] = a
    return (c,)


def result(np, params, c):
    weights = np.arange(params["n"]) % 1024
    return [float(c.sum()), float((c * weights).sum()), float(c[-1])]


def bytes_moved(params):
    return 24 * params["n"]
