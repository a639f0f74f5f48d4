# SPDX-License-Identifier: BSD-3-Clause
"""DistNumPy's fractal: the Mandelbrot set on n x n points of [-2, 0.8] x [-1.4, 1.4]; the result counts the turns in which a
point is still inside. Split re/im, so that no machine's complex multiply changes a count."""

import numpy

FULL = {"n": 1600, "iterations": 50}
SMOKE = {"n": 200, "iterations": 20}
EXPECTED = [270699, 30902857, 20, 0]
TARGETS = {"reference": 1.8, "numpy": 2.0}


def inputs(params):
    n = params["n"]
    return -2.0 + numpy.arange(n) * (2.8 / n), (-1.4 + numpy.arange(n) * (2.8 / n)).reshape(n, 1)


def compute(np, params, x, y):
    re, im = x + 0.0 * y, 0.0 * x + y
    count = np.zeros(re.shape, dtype="int64")
    for _ in range(params["iterations"]):
        inside = re * re + im * im <= 4.0
        count = count + inside
        re, im = np.where(inside, re * re - im * im + x, re), np.where(inside, 2.0 * (re * im) + y, im)
    return (count,)


def result(np, params, count):
    n = params["n"]
    weights = np.arange(n) % 1024
    return [int(count.sum()), int((count * weights).sum()), int(count[n // 2, n // 3]), int(count[0, 0])]


def compute_numexpr(evaluate, params, x, y):
    re, im = x + 0.0 * y, 0.0 * x + y
    count = numpy.zeros(re.shape, dtype=numpy.int64)
    for _ in range(params["iterations"]):
        point = {"re": re, "im": im, "x": x, "y": y, "count": count}
        count = evaluate("count + where(re * re + im * im <= 4.0, 1, 0)", point)
        re, im = (
            evaluate("where(re * re + im * im <= 4.0, re * re - im * im + x, re)", point),
            evaluate("where(re * re + im * im <= 4.0, 2.0 * (re * im) + y, im)", point),
        )
    return (count,)


def compute_dask(da, params, x, y):
    return compute(da, params, x, y.rechunk((-(-params["n"] // 8), 1)))
