# SPDX-License-Identifier: BSD-3-Clause
"""DistNumPy's naive k nearest neighbours: the n x n matrix of squared distances between two sets of points by broadcasting,
then k times the nearest, which is struck out."""

import numpy

from inputs import u

FULL = {"n": 4000, "k": 4, "dims": 4}
SMOKE = {"n": 200, "k": 4, "dims": 4}
EXPECTED = [2171668, 2013710, 1946323, 1983528, 1, 94]
TARGETS = {"numpy": 2.0}


def inputs(params):
    n, dims = params["n"], params["dims"]
    return u(0, n * dims).reshape(dims, n), u(1, n * dims).reshape(dims, n)  # base, targets: one row a coordinate


def compute(np, params, base, targets):
    n = params["n"]
    distance = np.zeros((n, n))
    for d in range(params["dims"]):
        difference = targets[d].reshape(n, 1) - base[d]
        distance = distance + difference * difference
    columns = np.arange(n)
    nearest = []
    for _ in range(params["k"]):
        index = distance.argmin(axis=1)
        nearest.append(index)
        distance = np.where(columns == index.reshape(n, 1), np.inf, distance)
    return (nearest,)  # k arrays of n indices; ties go to the lower index


def result(np, params, nearest):
    weights = np.arange(params["n"]) % 1024
    return [int((index * weights).sum()) for index in nearest] + [int(nearest[-1][0]), int(nearest[-1][-1])]


def compute_numexpr(evaluate, params, base, targets):
    n, dims = params["n"], params["dims"]
    operands = {f"b{d}": base[d] for d in range(dims)} | {f"t{d}": targets[d].reshape(n, 1) for d in range(dims)}
    distance = evaluate(" + ".join(f"(t{d} - b{d}) * (t{d} - b{d})" for d in range(dims)), operands)
    nearest = []
    for _ in range(params["k"]):
        index = distance.argmin(axis=1)
        nearest.append(index)
        distance[numpy.arange(n), index] = numpy.inf
    return (nearest,)


def compute_dask(da, params, base, targets):
    n = params["n"]
    rows = -(-n // 8)
    distance = 0.0
    for d in range(params["dims"]):
        difference = targets[d].reshape(n, 1).rechunk((rows, 1)) - base[d]
        distance = distance + difference * difference
    columns = da.arange(n, chunks=n)
    nearest = []
    for _ in range(params["k"]):
        index = distance.argmin(axis=1)
        nearest.append(index)
        distance = da.where(columns == index.reshape(n, 1), numpy.inf, distance)
    return (nearest,)
