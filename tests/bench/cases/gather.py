# SPDX-License-Identifier: BSD-3-Clause
"""Arkouda's gather: c = a[i], i random."""

import numpy

from inputs import u

FULL = {"n": 10_000_000}
SMOKE = {"n": 100_003}
EXPECTED = [49959.80491454429, 25501617.72564649, 0.7996252700274699]
TARGETS = {"reference": 1.5}


def inputs(params):
    n = params["n"]
    return u(0, n), numpy.floor(u(1, n) * n).astype(numpy.int64)


def compute(np, params, a, i):
    return (a[i],)


def result(np, params, c):
    weights = np.arange(params["n"]) % 1024
    return [float(c.sum()), float((c * weights).sum()), float(c[-1])]


compute_dask = compute


def bytes_moved(params):
    return 24 * params["n"]
