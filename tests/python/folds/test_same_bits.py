# SPDX-License-Identifier: BSD-3-Clause
"""The number of engines is not in the result: the same bits on 1, 2, 3 and 4 ranks, also where the order of additions shows."""

import numpy
import pytest

import engines
import gamelan as np
from gamelan import _session

pytestmark = pytest.mark.only_on(4)  # it starts engines on 1, 2 and 3, too


def _random(*shape, dtype="f8"):
    return np.array(numpy.random.default_rng(len(shape)).standard_normal(shape).astype(dtype))


def _product(m, k, n, dtype="f8"):
    return lambda: _random(m, k, dtype=dtype) @ _random(k, n, dtype=dtype)


def _stencil():
    u, sums = _random(97, 131), []
    for _ in range(5):
        work = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        sums.append(np.abs(work - u[1:-1, 1:-1]).sum())
        u[1:-1, 1:-1] = work
    return np.stack(sums)


def _three_at_once():
    a = _random(100_003)
    b = a * a
    return np.stack([b.sum(), (b - a).sum(), a.mean(), (b * 2).max()])


PROGRAMS = {
    "product": _product(200, 200, 200),
    "product, odd sides": _product(517, 301, 129),
    "product in f4": _product(200, 300, 100, "f4"),
    "product, complex": _product(90, 100, 110, "c16"),
    "product of many tiles": _product(1100, 300, 1301),
    "product of many tiles in c8": _product(700, 290, 600, "c8"),
    "product of a transpose, one column left over": lambda: _random(300, 130).T @ _random(300, 513),
    "one matrix by LAPACK": lambda: np.concatenate(
        [np.linalg.solve(a := _random(300, 300), a[:, 5]), np.linalg.eigvalsh(a + a.T), np.linalg.svd(a)[1]]
    ),
    "few rows": _product(3, 700, 1000),
    "a column": _product(1000, 500, 1),
    "a row": _product(1, 500, 300),
    "matrices times vectors": lambda: np.concatenate(
        [(a := _random(707, 1001)) @ a[3], a.T @ a[:, 5], a[:, 7] @ a, a[2, ::-1] @ a.T, a[5:, 1:] @ a[1, 1:]]
        + [(b := _random(20_003, 57)) @ b[3], b.T @ b[:, 5], b[:, 7] @ b, b[3] @ b.T]
    ),
    "times its own transpose": lambda: np.concatenate([(x := _random(2003, 61)).T @ x, (y := _random(61, 2003)) @ y.T]),
    "covariances": lambda: np.concatenate([np.cov(_random(1401, 100), rowvar=False), np.cov(_random(1401, 300).T[:100])]),
    "of transposes": lambda: np.concatenate(
        [_random(331, 517).T.sum(1), (_random(331, 517) * 3).T.sum(0), _random(331, 517)[:, ::2].T.mean(1)]
    ),
    "softmax": lambda: (e := np.exp((x := _random(1013, 457)) - x.max(axis=1, keepdims=True))) / e.sum(axis=1, keepdims=True),
    "normalised": lambda: ((x := _random(1013, 457)) - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True),
    "rolled": lambda: np.roll(_random(311, 401), 1, 0).sum(1) + (np.roll(_random(311, 401), 2, 1) * _random(311, 401)).sum(1),
    "plus a transpose": lambda: _random(401, 401) + _random(401, 401).T * 3,
    "weights of many bins": lambda: np.bincount(np.arange(300_007) * 7919 % 20_011, weights=_random(300_007)),
    "stack of products": lambda: np.matmul(_random(5, 60, 70), _random(5, 70, 50)),
    "sum": lambda: np.stack([_random(99_999).sum(), _random(300, 301).sum(), _random(300, 301)[3:-5, ::2].sum()]),
    "sums along axes": lambda: np.concatenate([_random(211, 307).sum(axis=0), _random(211, 307).sum(axis=1)]),
    "sums of short lines": lambda: np.concatenate(
        [
            _random(5003, 8).sum(axis=1),
            _random(601, 7, 33).sum(axis=1).ravel(),
            _random(301, 9, 4).sum(axis=(0, 2)),
            _random(3001, 8, 4).sum(axis=0).ravel(),
        ]
    ),
    "sums between axes of one element": lambda: np.concatenate(
        [
            (x := _random(30_011, 4)).reshape(-1, 2, 1, 2).sum((0, 2)).ravel(),
            x[:, None].sum(1).sum(0),
            x.reshape(-1, 4, 1).sum(1).ravel(),
            x.T[:, None].mean((1, 2)),
        ]
    ),
    "sums of blocks": lambda: np.concatenate(
        [
            _random(700, 402).reshape(350, 2, 201, 2).sum(axis=(1, 3)).ravel(),
            _random(60, 66, 45).reshape(20, 3, 33, 2, 9, 5).mean(axis=(1, 3, 5)).ravel(),
        ]
    ),
    "sums of few long rows": lambda: np.concatenate(
        [
            (x := _random(400_040)).reshape(10, -1).sum(0),
            (x * 3).reshape(4, -1).mean(0)[:50_000],
            x.reshape(5, 8, -1)[:, :, 3:-7].sum((0, 1)),
            _random(90, 4003)[::2, 11:].std(0),
        ]
    ),
    "sums that share a pass": _three_at_once,
    "stencil and its change": _stencil,
    "dot": lambda: _random(54_321).dot(_random(54_321)),
    "random": lambda: np.random.default_rng(7).standard_normal(10_001) + np.random.default_rng(8).random(10_001),
    "exponentials": lambda: np.exp(_random(10_001)) * np.sin(_random(10_001)),
}


@pytest.fixture(scope="module")
def results(_connected):
    found = {}
    for count in (1, 2, 3, 4):
        running = engines.Engines(count)
        try:
            _session.use(running)
            with np.options(distribute_from=0):
                for name, program in PROGRAMS.items():
                    found[name, count] = numpy.array(program())
        finally:
            _session.release()
            running.stop()
    _session.use(_connected)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bits(results, name):
    one = results[name, 1]
    for count in (2, 3, 4):
        other = results[name, count]
        assert other.dtype == one.dtype and other.shape == one.shape
        assert other.tobytes() == one.tobytes(), f"{count} ranks: {int((other != one).sum())} of {one.size} elements differ"
