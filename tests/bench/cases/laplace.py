# SPDX-License-Identifier: BSD-3-Clause
"""GAiN's laplace.py on n x n points of the unit square, dx = dy, u = x^2 - y^2 on the boundary, 0 inside: a Jacobi step and
the 2-norm of what it changed, looked at in every turn. laplace_small is the same with its own defaults."""

import numpy

FULL = {"n": 4096, "sweeps": 5}
SMOKE = {"n": 251, "sweeps": 5}
EXPECTED = {
    "laplace": [1.3038020993305823, 497.6940954820038, -0.13721465625, 0.48832646874999996],
    "laplace_small": [1.3038020993305823, 497.6940954820038, -0.13721465625, 0.48832646874999996],
}
TARGETS = {"laplace": {"reference": 1.3, "numpy": 9.0}, "laplace_small": {"reference": 1.3, "numpy": 4.0}}
MUTATES = (0,)


def inputs(params):
    n = params["n"]
    x = numpy.arange(n) / (n - 1)
    grid = numpy.zeros((n, n))
    grid[0, :], grid[-1, :] = 0.0 - x * x, 1.0 - x * x
    grid[:, 0], grid[:, -1] = x * x, x * x - 1.0
    return (grid,)


def compute(np, params, grid):
    error, sweep = 1.0, 0
    while error > 1e-16 and sweep < params["sweeps"]:
        old = grid.copy()
        grid[1:-1, 1:-1] = (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]) / 4
        error = float(np.sqrt(((grid - old) ** 2).sum()))
        sweep += 1
    return grid, error


def result(np, params, grid, error):
    n = params["n"]
    return [error, float((grid * grid).sum()), float(grid[1, n // 2]), float(grid[n - 2, n // 3])]


def compute_numexpr(evaluate, params, grid):
    cells = grid[1:-1, 1:-1]
    around = {"up": grid[:-2, 1:-1], "down": grid[2:, 1:-1], "left": grid[1:-1, :-2], "right": grid[1:-1, 2:]}
    error, sweep = 1.0, 0
    while error > 1e-16 and sweep < params["sweeps"]:
        work = evaluate("(up + down + left + right) / 4", around)
        error = float(evaluate("sum((work - cells)**2)", {"work": work, "cells": cells})) ** 0.5
        cells[:] = work
        sweep += 1
    return grid, error


def compute_dask(da, params, grid):
    import dask

    error, sweep = 1.0, 0
    while error > 1e-16 and sweep < params["sweeps"]:
        new = da.map_overlap(_step, grid, depth=1, boundary="none", dtype=grid.dtype)
        grid, error = dask.persist(new, da.sqrt(((new - grid) ** 2).sum()))
        error = float(error)
        sweep += 1
    return grid, error


def _step(block):
    new = block.copy()
    new[1:-1, 1:-1] = (block[:-2, 1:-1] + block[2:, 1:-1] + block[1:-1, :-2] + block[1:-1, 2:]) / 4
    return new
