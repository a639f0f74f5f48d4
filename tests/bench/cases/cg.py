# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients for the five-point Laplacian on n x n inner points, zero around. The scalars stay 0-d results: nothing
looks at them."""

import numpy

from inputs import u

FULL = {"n": 2048, "iterations": 20}
SMOKE = {"n": 200, "iterations": 5}
EXPECTED = [693963.4916464132, 1768501.352385507, 79615149.78543364, 43.068346298374216]


def inputs(params):
    n = params["n"]
    return (u(0, n * n).reshape(n, n),)


def compute(np, params, b):
    n = params["n"]
    x, r, p = np.zeros((n, n)), b, np.zeros((n + 2, n + 2))
    p[1:-1, 1:-1] = r
    rr = (r * r).sum()
    for _ in range(params["iterations"]):
        inner = p[1:-1, 1:-1]
        ap = 4.0 * inner - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
        alpha = rr / (inner * ap).sum()
        x = x + alpha * inner
        r = r - alpha * ap
        following = (r * r).sum()
        p[1:-1, 1:-1] = r + (following / rr) * inner
        rr = following
    return x, rr


def result(np, params, x, rr):
    n = params["n"]
    return [float(rr), float(x.sum()), float((x * x).sum()), float(x[n // 2, n // 3])]


def compute_numexpr(evaluate, params, b):
    n = params["n"]
    x, r, p = numpy.zeros((n, n)), b, numpy.zeros((n + 2, n + 2))
    p[1:-1, 1:-1] = r
    inner = p[1:-1, 1:-1]
    around = {"inner": inner, "up": p[:-2, 1:-1], "down": p[2:, 1:-1], "left": p[1:-1, :-2], "right": p[1:-1, 2:]}
    rr = (r * r).sum()
    for _ in range(params["iterations"]):
        ap = evaluate("4.0 * inner - up - down - left - right", around)
        alpha = rr / evaluate("sum(inner * ap)", {"inner": inner, "ap": ap})
        x = evaluate("x + alpha * inner", {"x": x, "alpha": alpha, "inner": inner})
        r = evaluate("r - alpha * ap", {"r": r, "alpha": alpha, "ap": ap})
        following = evaluate("sum(r * r)", {"r": r})
        inner[:] = evaluate("r + beta * inner", {"r": r, "beta": following / rr, "inner": inner})
        rr = following
    return x, rr


def compute_dask(da, params, b):
    import dask

    x, r, p = da.zeros_like(b), b, b
    rr = (r * r).sum()
    for _ in range(params["iterations"]):
        ap = da.map_overlap(_laplacian, p, depth=1, boundary=0.0, trim=False, dtype=p.dtype, chunks=p.chunks)
        alpha = rr / (p * ap).sum()
        x, r = x + alpha * p, r - alpha * ap
        following = (r * r).sum()
        p = r + (following / rr) * p
        x, r, p, rr = dask.persist(x, r, p, following)
    return x, rr


def _laplacian(p):
    return 4.0 * p[1:-1, 1:-1] - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
