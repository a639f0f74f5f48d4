# SPDX-License-Identifier: BSD-3-Clause
"""Arkouda's reduce: one reduction a run, op = sum, min or max. 8 n bytes."""

from inputs import u

FULL = {"n": 20_000_000, "op": "sum"}
SMOKE = {"n": 100_003, "op": "sum"}
EXPECTED = {
    "reduce_sum": [49892.64005612898],
    "reduce_min": [3.764447891629885e-06],
    "reduce_max": [0.9999973295364288],
}
TARGETS = {"reference": 1.3}


def inputs(params):
    return (u(0, params["n"]),)


def compute(np, params, a):
    return (float(getattr(a, params["op"])()),)


def result(np, params, value):
    return [value]


def compute_numexpr(evaluate, params, a):
    return (float(evaluate(params["op"] + "(a)", {"a": a})),)


compute_dask = compute


def bytes_moved(params):
    return 8 * params["n"]
