# SPDX-License-Identifier: BSD-3-Clause
"""Arkouda's stream: c = a + 3 b. 24 n bytes."""

from inputs import u

FULL = {"n": 20_000_000}
SMOKE = {"n": 100_003}
EXPECTED = [199738.24247174713, 2.1778947993591724, 2.54036168496311]
TARGETS = {"reference": 1.3}


def inputs(params):
    return u(0, params["n"]), u(1, params["n"])


def compute(np, params, a, b):
    return (a + 3.0 * b,)


def result(np, params, c):
    return [float(c.sum()), float(c[0]), float(c[-1])]


def compute_numexpr(evaluate, params, a, b):
    return (evaluate("a + 3.0 * b", {"a": a, "b": b}),)


compute_dask = compute


def bytes_moved(params):
    return 24 * params["n"]
