# SPDX-License-Identifier: BSD-3-Clause
"""Arkouda's argsort of random int64 keys below 2^40; stable, so that the few equal keys have one answer."""

import numpy

from inputs import u

FULL = {"n": 4_000_000}
SMOKE = {"n": 100_003}
EXPECTED = [2550248270567, 40106, 97570, 91199]
TARGETS = {"reference": 2.0}


def inputs(params):
    return (numpy.floor(u(0, params["n"]) * 2.0**40).astype(numpy.int64),)


def compute(np, params, keys):
    return (np.argsort(keys, kind="stable"),)


def result(np, params, p):
    weights = np.arange(params["n"]) % 1024
    return [int((p * weights).sum()), int(p[0]), int(p[params["n"] // 2]), int(p[-1])]


def bytes_moved(params):
    return 16 * params["n"]
