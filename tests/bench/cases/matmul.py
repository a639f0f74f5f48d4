# SPDX-License-Identifier: BSD-3-Clause
"""c = a @ b, n x n."""

from inputs import u

FULL = {"n": 2048}
SMOKE = {"n": 200}
EXPECTED = [1992675.8180287331, 99662269.23059106, 50.89355004607263, 44.925159519667965]
TARGETS = {"reference": 1.1}


def inputs(params):
    n = params["n"]
    return u(0, n * n).reshape(n, n), u(1, n * n).reshape(n, n)


def compute(np, params, a, b):
    return (np.matmul(a, b),)


def result(np, params, c):
    n = params["n"]
    return [float(c.sum()), float((c * c).sum()), float(c[0, 0]), float(c[n - 1, n // 3])]


def compute_dask(da, params, a, b):
    block = -(-params["n"] // 2)
    return (da.matmul(a.rechunk((block, block)), b.rechunk((block, block))),)
