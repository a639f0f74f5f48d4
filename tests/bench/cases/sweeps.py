# SPDX-License-Identifier: BSD-3-Clause
"""Jacobi sweeps for the Laplace equation between two arrays, and nobody looks in between. The boundary is that of laplace.
The C++ program makes one pass over memory for each sweep."""

from cases import laplace

FULL = {"n": 4096, "sweeps": 50}
SMOKE = {"n": 251, "sweeps": 7}
EXPECTED = [541.0100027432163, -0.15182050488281248, 0.5402956708984376]
TARGETS = {"reference": 0.65, "numpy": 20.0}
MUTATES = (0, 1)


def inputs(params):
    (grid,) = laplace.inputs(params)
    return grid, grid.copy()


def compute(np, params, u, v):
    for _ in range(params["sweeps"]):
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u, v = v, u
    return (u,)


def result(np, params, u):
    n = params["n"]
    return [float((u * u).sum()), float(u[1, n // 2]), float(u[n - 2, n // 3])]
