# SPDX-License-Identifier: BSD-3-Clause
"""Lattice Boltzmann D2Q9, BGK with relaxation omega = 1.2 on a periodic n x n box. f[i, 1 + y, 1 + x] is padded by one ghost
layer; a step fills the ghosts, pulls f_i from the cell at -c_i (a shifted view, no copy) and writes the relaxed populations to
a second array. rho = sum f_i; m = sum c_i f_i; u = m / rho;
f_i <- (1 - omega) f_i + omega w_i rho (1 + 3 cu + 4.5 cu^2 - 1.5 u^2)."""

import numpy

from inputs import u

FULL = {"n": 1024, "steps": 5}
SMOKE = {"n": 64, "steps": 3}
EXPECTED = [4300.608385782778, 1128.869830541393, 0.11664151085340078, 0.029463213729656296]
TARGETS = {"reference": 3.0, "numpy": 8.0}
MUTATES = (0, 1)
OMEGA = 1.2
C = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]  # (x, y)
W = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4


def inputs(params):
    n = params["n"]
    f = numpy.zeros((9, n + 2, n + 2))
    f[:, 1:-1, 1:-1] = numpy.array(W).reshape(9, 1, 1) * (1.0 + 0.1 * u(0, 9 * n * n).reshape(9, n, n))
    return f, numpy.zeros((9, n + 2, n + 2))


def relaxed(pulled):
    """The populations after the collision, one by one; they are read until the last is written."""
    rho = pulled[0]
    for p in pulled[1:]:
        rho = rho + p
    ux = (pulled[1] + pulled[5] + pulled[8] - pulled[3] - pulled[6] - pulled[7]) / rho
    uy = (pulled[2] + pulled[5] + pulled[6] - pulled[4] - pulled[7] - pulled[8]) / rho
    rest = 1.0 - 1.5 * (ux * ux + uy * uy)
    for i, (cx, cy) in enumerate(C):
        cu = 3.0 * (cx * ux + cy * uy)
        yield (1.0 - OMEGA) * pulled[i] + (OMEGA * W[i]) * rho * (rest + cu + 0.5 * cu * cu)


def compute(np, params, f, out):
    n = params["n"]
    for _ in range(params["steps"]):
        f[:, 0, :], f[:, -1, :] = f[:, -2, :], f[:, 1, :]
        f[:, :, 0], f[:, :, -1] = f[:, :, -2], f[:, :, 1]
        pulled = [f[i, 1 - cy : n + 1 - cy, 1 - cx : n + 1 - cx] for i, (cx, cy) in enumerate(C)]
        for i, population in enumerate(relaxed(pulled)):
            out[i, 1:-1, 1:-1] = population
        f, out = out, f
    return (f,)


def result(np, params, f):
    n = params["n"]
    inner = f[:, 1:-1, 1:-1]
    return [float(inner.sum()), float((inner * inner).sum()), float(f[1, 1, 1]), float(f[8, n, n // 2 + 1])]


def compute_dask(da, params, f, out):
    # Chunks of rows; the overlap is what the ghosts are elsewhere.
    f = f[:, 1:-1, 1:-1].rechunk((9, -(-params["n"] // 8), -1))
    for _ in range(params["steps"]):
        f = da.map_overlap(_step, f, depth={0: 0, 1: 1, 2: 1}, boundary={0: "none", 1: "periodic", 2: "periodic"}, trim=False,
                           dtype=f.dtype, chunks=f.chunks)  # fmt: skip
    return (da.pad(f, ((0, 0), (1, 1), (1, 1))),)


def _step(f):
    rows, columns = (extent - 2 for extent in f.shape[1:])
    pulled = [f[i, 1 - cy : rows + 1 - cy, 1 - cx : columns + 1 - cx] for i, (cx, cy) in enumerate(C)]
    return numpy.stack(list(relaxed(pulled)))
