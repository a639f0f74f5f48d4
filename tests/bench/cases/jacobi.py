# SPDX-License-Identifier: BSD-3-Clause
"""DistNumPy's Jacobi solver of the dense system A x = b by row operations: x' = x + (b - sum(A * x, rows)) / diagonal."""

import numpy

from inputs import u

FULL = {"n": 4096, "iterations": 5}
SMOKE = {"n": 256, "iterations": 5}
EXPECTED = [0.00013522053281460968, 0.36050039998732075, 0.0008403267685416049, 0.003009487669073535]
TARGETS = {"numpy": 2.0}


def inputs(params):
    n = params["n"]
    matrix = u(0, n * n).reshape(n, n)
    matrix[numpy.arange(n), numpy.arange(n)] += n
    return matrix, u(1, n), matrix.diagonal().copy()


def compute(np, params, matrix, b, diagonal):
    x = np.zeros(params["n"])
    change, iteration = 1.0, 0
    while change > 1e-300 and iteration < params["iterations"]:
        following = x + (b - (matrix * x).sum(axis=1)) / diagonal
        change = float(np.abs(following - x).max())
        x = following
        iteration += 1
    return x, change


def result(np, params, x, change):
    return [change, float(x.sum()), float((x * x).sum()), float(x[-1])]


def compute_numexpr(evaluate, params, matrix, b, diagonal):
    x = numpy.zeros(params["n"])
    change, iteration = 1.0, 0
    while change > 1e-300 and iteration < params["iterations"]:
        following = x + (b - evaluate("sum(matrix * x, axis=1)", {"matrix": matrix, "x": x})) / diagonal
        change = float(numpy.abs(following - x).max())
        x = following
        iteration += 1
    return x, change


def compute_dask(da, params, matrix, b, diagonal):
    import dask

    x = da.zeros(params["n"])
    change, iteration = 1.0, 0
    while change > 1e-300 and iteration < params["iterations"]:
        following = (x + (b - (matrix * x).sum(axis=1)) / diagonal).rechunk(-1)
        x, change = dask.persist(following, da.abs(following - x).max())
        change = float(change)
        iteration += 1
    return x, change
