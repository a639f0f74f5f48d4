# SPDX-License-Identifier: BSD-3-Clause
"""The programs of programs.py: what people write in a day, each a function of arrays as text over `np`.

A text, because every rival compiles it with its own `np`. Names of parameters say which input they get (`inputs`). Programs
that write into arrays are not for JAX.
"""

import math

import numpy

PROGRAMS = """
def axpy(v, w): return 2.5 * v + w
def one_operation_and_a_look(v, w): return (v + w)[17]
def polynomial(v): return ((1.1 * v + 2.2) * v - 3.3) * v + 4.4
def angle(v, w): return np.hypot(v, w) + np.arctan2(v, w)
def sigmoid(v): return 1 / (1 + np.exp(-v))
def normalized_rows(a): return (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)
def softmax(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
def column_statistics(a, b): return a.mean(axis=0) + b.var(axis=0)
def standard_deviation(v, w): return np.std(v) + np.mean(w)
def median(v): return np.median(v)
def distance(v, w): return np.linalg.norm(v - w) + v @ w
def masked_sums(v, w): return np.where(v > 0.5, v, 0.0).sum() + (w > 1).sum()
def clipped(v, w): return np.where(v > 0.5, np.clip(w, 0.6, 1.2), -v)
def picked(v, i): return v[i]
def running_totals(v, w): return np.cumsum(v) - np.cumsum(w)
def sorting(v): return np.sort(v)
def percentiles(v): return np.percentile(v, np.array([5.0, 50.0, 95.0]))
def counted(k): return np.bincount(k, minlength=1000)
def histogram(v): return np.histogram(v, bins=200)[0]
def looked_up(v): return np.searchsorted(np.linspace(0, 1, 1001), v)
def differences(v): return np.abs(np.diff(v)).max()
def moving_average(v):
    c = np.cumsum(v)
    return (c[50:] - c[:-50]) / 50
def spectrum(v): return np.abs(np.fft.rfft(v)) ** 2
def filtered_image(a, b): return np.fft.ifft2(np.fft.fft2(a) * np.fft.fft2(b)).real
def symmetric(a, b): return a + b.T
def block_sums(a):
    n = a.shape[0] // 2
    return a[: 2 * n, : 2 * n].reshape(n, 2, n, 2).sum(axis=3).sum(axis=1)
def matrix_product(s, t): return s @ t
def solution(s): return np.linalg.solve(s + 10 * np.eye(s.shape[0]), s[0])
def outer_distances(v): return (v[:1000, None] - v[None, :1000]) ** 2
def nearest(a): return ((a[:, None, :3] - a[None, :, :3]) ** 2).sum(axis=2).argmin(axis=1)
def covariance(a): return np.cov(a[:, :100].T)
def gradient_of_image(a):
    gx, gy = a[2:, 1:-1] - a[:-2, 1:-1], a[1:-1, 2:] - a[1:-1, :-2]
    return np.sqrt(gx**2 + gy**2)
def wave_by_rolls(a):
    u, v = a, a
    for _ in range(10):
        u, v = 2 * u - v + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u), u
    return u
def logistic_regression(a, b):
    x, y, w = a[:, :64], 1.0 * (b[:, 0] > 1), np.zeros(64)
    for _ in range(20):
        w = w - 0.1 * x.T @ (1 / (1 + np.exp(-(x @ w))) - y) / len(y)
    return w
def page_rank(s):
    m, x = s / s.sum(axis=0), np.full(s.shape[0], 1 / s.shape[0])
    for _ in range(30):
        x = 0.85 * (m @ x) + 0.15 / s.shape[0]
    return x
def paths(a): return np.maximum(np.cumprod(1 + 0.001 * (a - 0.5), axis=1)[:, -1] - 1, 0).mean()
def k_means(a):
    x = a[:, :16]
    c = x[:8].copy()
    for _ in range(5):
        k = ((x[:, None, :] - c[None]) ** 2).sum(axis=-1).argmin(axis=1)
        c = np.array([x[k == j].mean(axis=0) for j in range(8)])
    return c
def masked_writes(v, w):
    x = v.copy()
    x[x < 0.3] = 0
    x[w > 1.2] += 1
    return x
def scattered(v, w, i):
    x = np.zeros_like(v)
    x[i] = w
    return x.sum()
def heat(c):
    u = c.copy()
    for _ in range(10):
        v = u.copy()
        v[1:-1, 1:-1, 1:-1] = u[1:-1, 1:-1, 1:-1] + 0.1 * (
            u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6 * u[1:-1, 1:-1, 1:-1]
        )
        u = v
    return u
def life(a):
    z = (a > 0.6).astype(np.int8)
    for _ in range(10):
        t = (z[:-2, :-2] + z[:-2, 1:-1] + z[:-2, 2:] + z[1:-1, :-2] + z[1:-1, 2:] + z[2:, :-2] + z[2:, 1:-1] + z[2:, 2:])
        q = np.zeros_like(z)
        q[1:-1, 1:-1] = (t == 3) | ((t == 2) & (z[1:-1, 1:-1] == 1))
        z = q
    return z.sum()
def until_it_rests(a):
    u, error, turns = a.copy(), 1.0, 0
    while error > 1e-9 and turns < 20:
        t = u.copy()
        u[1:-1, 1:-1] = 0.25 * (t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2])
        error, turns = float(np.abs(u - t).max()), turns + 1
    return u
"""
WRITING = "k_means masked_writes scattered heat life until_it_rests".split()  # into arrays, or asking for values in between
# Few JAX functions of that name, or none that jit takes.
NOT_JIT = ("histogram",)


def sources():
    """The text of each program, by name."""
    texts = ["def " + text for text in PROGRAMS.strip().removeprefix("def ").split("\ndef ")]
    return {text.split("(")[0].removeprefix("def "): text for text in texts}


def parameters(source):
    return [name.strip() for name in source.split("(", 1)[1].split(")")[0].split(",")]


def inputs(elements):
    """NumPy's arrays by the name of a parameter; vectors and matrices of about so many elements."""
    random = numpy.random.default_rng(5)
    side, small = math.isqrt(elements), max(math.isqrt(elements // 8), 8)
    edge = max(round((elements * 0.86) ** (1 / 3)), 8)
    return {
        "v": random.random(elements),
        "w": random.random(elements) + 0.5,
        "i": random.integers(0, elements, elements),
        "k": random.integers(0, 1000, elements),
        "a": random.random((side, side)),
        "b": random.random((side, side)) + 0.5,
        "c": random.random((edge, edge, edge)),
        "s": random.random((small, small)),
        "t": random.random((small, small)),
    }
