# SPDX-License-Identifier: BSD-3-Clause
"""Lattice Boltzmann D3Q19, BGK with relaxation omega = 1.2 on a periodic n^3 box: as lbm2d, f[i, 1 + z, 1 + y, 1 + x]."""

import numpy

from inputs import u

FULL = {"n": 100, "steps": 3}
SMOKE = {"n": 16, "steps": 2}
EXPECTED = [4300.3650556678995, 627.0859822640743, 0.05815853472359721, 0.028977830289111106]
TARGETS = {"reference": 3.0, "numpy": 8.0}
MUTATES = (0, 1)
OMEGA = 1.2
C = [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1),
     (1, 1, 0), (-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 0, 1), (-1, 0, -1), (1, 0, -1), (-1, 0, 1),
     (0, 1, 1), (0, -1, -1), (0, 1, -1), (0, -1, 1)]  # (x, y, z)  # fmt: skip
DEPTH = {0: 0, 1: 1, 2: 1, 3: 1}
PERIODIC = {0: "none", 1: "periodic", 2: "periodic", 3: "periodic"}  # as Dask says it
W = [1 / 3] + [1 / 18] * 6 + [1 / 36] * 12


def inputs(params):
    n = params["n"]
    f = numpy.zeros((19, n + 2, n + 2, n + 2))
    f[:, 1:-1, 1:-1, 1:-1] = numpy.array(W).reshape(19, 1, 1, 1) * (1.0 + 0.1 * u(0, 19 * n**3).reshape(19, n, n, n))
    return f, numpy.zeros((19, n + 2, n + 2, n + 2))


def relaxed(pulled):
    """The populations after the collision, one by one; they are read until the last is written."""
    rho = pulled[0]
    for p in pulled[1:]:
        rho = rho + p
    velocity = []
    for axis in range(3):
        momentum = 0.0
        for p, c in zip(pulled, C):
            if c[axis]:
                momentum = momentum + p if c[axis] > 0 else momentum - p
        velocity.append(momentum / rho)
    ux, uy, uz = velocity
    rest = 1.0 - 1.5 * (ux * ux + uy * uy + uz * uz)
    for i, (cx, cy, cz) in enumerate(C):
        cu = 3.0 * (cx * ux + cy * uy + cz * uz)
        yield (1.0 - OMEGA) * pulled[i] + (OMEGA * W[i]) * rho * (rest + cu + 0.5 * cu * cu)


def compute(np, params, f, out):
    n = params["n"]
    for _ in range(params["steps"]):
        f[:, 0], f[:, -1] = f[:, -2], f[:, 1]
        f[:, :, 0], f[:, :, -1] = f[:, :, -2], f[:, :, 1]
        f[:, :, :, 0], f[:, :, :, -1] = f[:, :, :, -2], f[:, :, :, 1]
        pulled = [f[i, 1 - cz : n + 1 - cz, 1 - cy : n + 1 - cy, 1 - cx : n + 1 - cx] for i, (cx, cy, cz) in enumerate(C)]
        for i, population in enumerate(relaxed(pulled)):
            out[i, 1:-1, 1:-1, 1:-1] = population
        f, out = out, f
    return (f,)


def result(np, params, f):
    n = params["n"]
    inner = f[:, 1:-1, 1:-1, 1:-1]
    return [float(inner.sum()), float((inner * inner).sum()), float(f[1, 1, 1, 1]), float(f[18, n, n // 2 + 1, n])]


def compute_dask(da, params, f, out):
    # Chunks of layers; the overlap is what the ghosts are elsewhere.
    f = f[:, 1:-1, 1:-1, 1:-1].rechunk((19, -(-params["n"] // 8), -1, -1))
    for _ in range(params["steps"]):
        f = da.map_overlap(_step, f, depth=DEPTH, boundary=PERIODIC, trim=False, dtype=f.dtype, chunks=f.chunks)
    return (da.pad(f, ((0, 0), (1, 1), (1, 1), (1, 1))),)


def _step(f):
    layers, rows, columns = (extent - 2 for extent in f.shape[1:])
    pulled = [f[i, 1 - z : layers + 1 - z, 1 - y : rows + 1 - y, 1 - x : columns + 1 - x] for i, (x, y, z) in enumerate(C)]
    return numpy.stack(list(relaxed(pulled)))
