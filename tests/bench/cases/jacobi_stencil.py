# SPDX-License-Identifier: BSD-3-Clause
"""DistNumPy's Jacobi stencil (its figure 10): five points with the centre, delta = sum(abs(diff)) looked at in every turn.
The figure prints work = cells + 0.2 (...), which grows without end; the program itself weighs all five by 0.2.
Boundary of the program: north 40 (top row), other edges 0; the inside starts from random numbers."""

import numpy

from inputs import u

FULL = {"n": 4096, "sweeps": 10}
SMOKE = {"n": 251, "sweeps": 5}
EXPECTED = [1731.3300859122335, 47737.02405562937, 15.314159752638327, 0.29858651343365294]
TARGETS = {"reference": 1.3, "numpy": 2.0}
MUTATES = (0,)


def inputs(params):
    n = params["n"]
    full = numpy.zeros((n, n))
    full[1:-1, 1:-1] = u(0, n * n).reshape(n, n)[1:-1, 1:-1]
    full[0, :] = 40.0
    return (full,)


def compute(np, params, full):
    cells = full[1:-1, 1:-1]
    up, down, left, right = full[:-2, 1:-1], full[2:, 1:-1], full[1:-1, :-2], full[1:-1, 2:]
    delta, sweep = 1.0, 0
    while delta > 1e-16 and sweep < params["sweeps"]:
        work = 0.2 * (cells + up + down + left + right)
        delta = np.abs(work - cells).sum()
        cells[:] = work
        sweep += 1
    return full, float(delta)


def result(np, params, full, delta):
    n = params["n"]
    return [delta, float(full.sum()), float(full[1, 1]), float(full[n - 2, n // 3])]


def compute_numexpr(evaluate, params, full):
    cells = full[1:-1, 1:-1]
    around = {"up": full[:-2, 1:-1], "down": full[2:, 1:-1], "left": full[1:-1, :-2], "right": full[1:-1, 2:]}
    delta, sweep = 1.0, 0
    while delta > 1e-16 and sweep < params["sweeps"]:
        work = evaluate("0.2 * (cells + up + down + left + right)", {"cells": cells, **around})
        delta = float(evaluate("sum(abs(work - cells))", {"work": work, "cells": cells}))
        cells[:] = work
        sweep += 1
    return full, delta


def compute_dask(da, params, full):
    import dask

    delta, sweep = 1.0, 0
    while delta > 1e-16 and sweep < params["sweeps"]:
        new = da.map_overlap(_step, full, depth=1, boundary="none", dtype=full.dtype)
        full, delta = dask.persist(new, da.abs(new - full).sum())
        delta = float(delta)
        sweep += 1
    return full, delta


def _step(block):
    new = block.copy()
    new[1:-1, 1:-1] = 0.2 * (block[1:-1, 1:-1] + block[:-2, 1:-1] + block[2:, 1:-1] + block[1:-1, :-2] + block[1:-1, 2:])
    return new
