# SPDX-License-Identifier: BSD-3-Clause
"""A program that goes through everything engines do with memory of others: `programs.py` prints a fingerprint per result.

Run on the login host, against engines on one node and on several; the fingerprints must be the same, bit for bit. Sizes
are odd, so that blocks are uneven, and large enough that blocks of several ranks take part.
"""

import hashlib
import json
import sys

import numpy

import gamelan as np


def draw(seed, *shape, dtype="f8"):
    values = numpy.random.default_rng(seed).standard_normal(shape)
    return np.array((values * 1000 if dtype[0] in "iu" else values).astype(dtype))


def stencil():
    u, changes = draw(1, 403, 311), []
    for _ in range(20):
        work = (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * 0.2
        changes.append(np.abs(work - u[1:-1, 1:-1]).sum())
        u[1:-1, 1:-1] = work
    return u, np.stack(changes)


def shifts_along_a_line():
    u = draw(2, 100_003)
    for shift in (1, 7, 5000, 40_001):
        u[shift:] = u[:-shift] * 0.5 + u[shift:]
    return u


def views_of_views():
    a = draw(3, 301, 257)
    b = a[::-1, 3::2].T[5:-7:3]
    c = a.reshape(257, 301)[::2] + 1.0
    b[...] = b * 2 + b[::-1]
    return a, b, c, a[17], a[:, 41], a.ravel()[11:-13:17], np.concatenate([a[200:], a[:50]])


def axes():
    a = draw(4, 61, 53, 47)
    return a.transpose(2, 0, 1) + 1, a.swapaxes(0, 1)[::2].copy(), np.stack([a[1], a[60]]), a.sum(axis=(0, 2)), a.max(axis=1)


def reductions():
    a, b = draw(5, 211_003), draw(6, 307, 401)
    return (
        np.stack([a.sum(), a.mean(), a.min(), a.max(), (a * a).sum(), a.dot(a)]),
        b.sum(axis=0),
        b.mean(axis=1),
        b.prod(axis=1),
        b[3:-5, ::2].sum(axis=1),
        np.stack([a.argmax(), a.argmin()]),
        b.argmin(axis=0),
        (b > 0).any(axis=0),
        (b > -9).all(axis=1),
    )


def products():
    return (
        draw(7, 517, 301) @ draw(8, 301, 129),
        draw(9, 3, 700) @ draw(10, 700, 900),
        draw(11, 901, 500) @ draw(12, 500),
        np.matmul(draw(13, 5, 60, 70), draw(14, 5, 70, 50)),
        draw(15, 200, 300, dtype="f4") @ draw(16, 300, 99, dtype="f4"),
        np.outer(draw(17, 303), draw(18, 401)),
    )


def taken_and_put():
    a, where = draw(19, 150_001), numpy.random.default_rng(20).integers(0, 150_001, 70_003)
    at = np.array(where)
    b, c = a.copy(), draw(21, 151, 331)
    b[at] = a[at] * 2 + at
    np.put(b, at[:1001], 7.0)
    a[a > 2] = -1.0
    return a, a[at], np.take(a, at[::-1]), b, np.take(c, np.array(where[:9001] % 151), axis=0), np.where(a > 0, a, -a)


def sorted_and_scanned():
    a, whole = draw(22, 120_011), draw(23, 99_991, dtype="i8")
    b = draw(24, 83, 1201)
    return (
        np.sort(a),
        np.argsort(a),
        np.sort(whole),
        np.argsort(whole, kind="stable"),
        np.sort(b, axis=0),
        np.cumsum(a),
        np.cumsum(b, axis=0),
        np.cumsum(b, axis=1),
        np.cumprod(1 + a * 1e-6),
        np.cumsum(whole),
    )


def counted():
    a, whole = draw(25, 200_003), draw(26, 150_001, dtype="i8")
    return (
        *np.histogram(a, bins=97),
        np.histogram(a, bins=50, range=(-1.0, 1.0))[0],
        np.bincount(np.abs(whole) % 1009),
        np.bincount(np.abs(whole) % 31, minlength=50),
    )


def mixed_types():
    a, b = draw(27, 90_001, dtype="i4"), draw(28, 90_001, dtype="f4")
    return (
        a // 7 + b,
        (a % 13).astype("u1") + np.ones(90_001, dtype="i2"),
        np.exp(b) * np.sin(a),
        a[::-1] & 255,
        (b + 1j * a) ** 2,
    )


def random():
    source = np.random.default_rng(7)
    return source.standard_normal(100_001), source.random((301, 407)), source.integers(0, 1000, 50_003)


def a_long_loop():
    """Slots are recycled, plans are found again, and arrays die in between."""
    a = draw(29, 80_021)
    for turn in range(60):
        b = np.concatenate([a[-1:], a[:-1]]) if turn % 7 == 0 else np.flip(a)
        a = a * 0.75 + b * 0.25
        if turn % 20 == 0:
            a[::1000] = float(a.sum())
    return a


PROGRAMS = [
    stencil,
    shifts_along_a_line,
    views_of_views,
    axes,
    reductions,
    products,
    taken_and_put,
    sorted_and_scanned,
    counted,
    mixed_types,
    random,
    a_long_loop,
]


def fingerprint(array):
    values = numpy.ascontiguousarray(numpy.array(array))
    return f"{values.dtype.str} {values.shape} {hashlib.sha256(values.tobytes()).hexdigest()[:24]}"


def main():
    found = {}
    with np.options(distribute_from=0):
        for program in PROGRAMS:
            results = program()
            for place, result in enumerate(results if isinstance(results, tuple) else (results,)):
                found[f"{program.__name__}[{place}]"] = fingerprint(result)
    stats = np.stats()
    json.dump({"ranks": stats["ranks"], "results": found}, sys.stdout)


if __name__ == "__main__":
    main()
