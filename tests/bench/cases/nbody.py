# SPDX-License-Identifier: BSD-3-Clause
"""DistNumPy's N-body: all pairs of n bodies in 3-D by n x n matrices, softened so that a body does not act on itself."""

import numpy

from inputs import u

FULL = {"n": 1500, "steps": 2}
SMOKE = {"n": 200, "steps": 2}
EXPECTED = [206.7148370080584, 0.07530524433486221, 0.8831630713783825, -0.009675750366267779]
TARGETS = {"numpy": 2.0}
DT, SOFTENING = 0.01, 0.01


def inputs(params):
    n = params["n"]
    return (u(0, n), u(1, n), u(2, n), u(3, n) / n)  # x, y, z, mass


def compute(np, params, x, y, z, mass):
    n = params["n"]
    vx, vy, vz = np.zeros(n), np.zeros(n), np.zeros(n)
    for _ in range(params["steps"]):
        dx = x - x.reshape(n, 1)
        dy = y - y.reshape(n, 1)
        dz = z - z.reshape(n, 1)
        r2 = dx * dx + dy * dy + dz * dz + SOFTENING
        pull = mass / (r2 * np.sqrt(r2))
        vx = vx + DT * (pull * dx).sum(axis=1)
        vy = vy + DT * (pull * dy).sum(axis=1)
        vz = vz + DT * (pull * dz).sum(axis=1)
        x, y, z = x + DT * vx, y + DT * vy, z + DT * vz
    return x, y, z, vx, vy, vz


def result(np, params, x, y, z, vx, vy, vz):
    return [float((x * x + y * y + z * z).sum()), float((vx * vx + vy * vy + vz * vz).sum()), float(x[0]), float(vz[-1])]


def compute_numexpr(evaluate, params, x, y, z, mass):
    n = params["n"]
    vx, vy, vz = numpy.zeros(n), numpy.zeros(n), numpy.zeros(n)
    for _ in range(params["steps"]):
        pair = {"x": x, "y": y, "z": z, "x1": x.reshape(n, 1), "y1": y.reshape(n, 1), "z1": z.reshape(n, 1), "mass": mass}
        pair["r2"] = evaluate(f"(x - x1) * (x - x1) + (y - y1) * (y - y1) + (z - z1) * (z - z1) + {SOFTENING}", pair)
        pair["pull"] = evaluate("mass / (r2 * sqrt(r2))", pair)
        vx = vx + DT * evaluate("sum(pull * (x - x1), axis=1)", pair)
        vy = vy + DT * evaluate("sum(pull * (y - y1), axis=1)", pair)
        vz = vz + DT * evaluate("sum(pull * (z - z1), axis=1)", pair)
        x, y, z = x + DT * vx, y + DT * vy, z + DT * vz
    return x, y, z, vx, vy, vz


def compute_dask(da, params, x, y, z, mass):
    import dask

    n = params["n"]
    rows = -(-n // 8)
    vx, vy, vz = da.zeros(n), da.zeros(n), da.zeros(n)
    for _ in range(params["steps"]):
        dx, dy, dz = (each - each.reshape(n, 1).rechunk((rows, 1)) for each in (x, y, z))
        r2 = dx * dx + dy * dy + dz * dz + SOFTENING
        pull = mass / (r2 * da.sqrt(r2))
        forces = ((pull * each).sum(axis=1).rechunk(-1) for each in (dx, dy, dz))
        vx, vy, vz = (v + DT * force for v, force in zip((vx, vy, vz), forces))
        x, y, z, vx, vy, vz = dask.persist(x + DT * vx, y + DT * vy, z + DT * vz, vx, vy, vz)
    return x, y, z, vx, vy, vz
