# SPDX-License-Identifier: BSD-3-Clause
"""Subscripts where one of array, key and value lives here and another on the engines, and what they cost."""

import itertools

import numpy
import pytest

import gamelan
from gamelan import _core
from oracle import check_all


def test_mixed(mixed):
    """Arrays of ten elements or more are distributed: every mixture of a small and a large array, key and value."""
    keys = {
        "mask": lambda np, n: np.arange(n) % 3 == 1, "small mask": lambda np, n: numpy.arange(n) % 3 == 1, "index": lambda np, n: np.arange(2 * n)[::-1] % n,
        "few": lambda np, n: np.arange(3), "list": lambda np, n: [0, 2, 1], "both": lambda np, n: (np.arange(2 * n) % n, [0]), "pair": lambda np, n: (numpy.array([0, 1]), np.arange(2)),
    }  # fmt: skip

    def program(np, n, columns, key, value):
        a = np.arange(float(n * columns)).reshape(n, columns)
        key = keys[key](np, n)
        taken = a[key]
        a[key] = value(np, taken)
        return taken, a

    values = [
        lambda np, taken: 5,
        lambda np, taken: taken * 2,
        lambda np, taken: numpy.asarray(taken) + 1,
        lambda np, taken: np.arange(20)[3],
    ]

    def programs():
        for n, columns, key, value in itertools.product((4, 30), (2, 5), keys, values):
            yield f"{n} {columns} {key}", lambda np: program(np, n, columns, key, value)
        yield "functions", lambda np: (
            np.take_along_axis(np.arange(5), np.argsort(np.arange(5)[::-1]), 0), np.compress(np.arange(30) > 20, np.arange(30)),
            np.compress([0, 1, 1], np.arange(30)), np.extract(np.arange(4) > 1, np.arange(4)), np.select([np.arange(30) > 3], [1], np.arange(30)),
            np.choose(np.arange(30) % 2, [0, np.arange(30)]), np.nonzero(np.arange(4)), np.tril(np.ones((2, 2))), np.tri(2), np.tri(9),
            np.unravel_index(np.arange(12), (3, 4)), np.ravel_multi_index((np.arange(12) % 3, 1), (3, 4)), np.ix_(np.arange(12) > 5, [0, 1]),
        )  # fmt: skip

    check_all(programs())


def test_small_stays_small(mixed):
    assert type(gamelan.count_nonzero(gamelan.arange(5))) is type(numpy.count_nonzero(numpy.arange(5)))
    assert not gamelan.tri(2).is_distributed and gamelan.tri(20).is_distributed
    assert type(gamelan.arange(5).flat) is numpy.flatiter


def test_a_mask_that_gets_one_value_asks_nothing(engine, ranks):
    if not ranks:
        pytest.skip("the model sends no batches")
    a, b = gamelan.arange(100.0), gamelan.zeros((10, 10))
    before = _core.stats()["sent_batches"]
    a[a > 50] = 0
    b[:, a[:10] > 4] = a[0]
    b[b > 0] = gamelan.arange(3)[1]
    assert _core.stats()["sent_batches"] == before


def test_reading_through_a_mask_asks_once(engine, ranks):
    if not ranks:
        pytest.skip("the model sends no batches")
    a = gamelan.arange(100.0)
    mask = a > 50
    before = _core.stats()["sent_batches"]
    taken = a[mask]
    assert _core.stats()["sent_batches"] == before + 1
    again = a[mask] + taken
    assert again.size == 49 and _core.stats()["sent_batches"] == before + 1, "how many are true is remembered"
    mask[0] = True
    assert a[mask].shape == (50,)


def test_nothing_is_gathered(engine):
    with gamelan.options(gather_limit=10):
        a = gamelan.arange(400.0).reshape(20, 20)
        i = gamelan.arange(40) % 20
        a[a > 7] += a[a > 7]
        a[i, i[::-1]] = 3
        results = [a[i], a[i, i], a[i[:, None], i], *gamelan.nonzero(a), gamelan.argwhere(a), gamelan.take_along_axis(a, gamelan.argsort(a, 0), 0),
                   gamelan.extract(a > 7, a), gamelan.tril(a), gamelan.triu_indices(20)[0], gamelan.unravel_index(i, (5, 8))[0],
                   gamelan.choose(i > 3, [i, -i]), gamelan.select([i > 3], [i]), a.flat[i], a.T.flat[5:50]]  # fmt: skip
        gamelan.put_along_axis(a, i[:20, None], 5, 1)
        gamelan.place(a, a > 5, gamelan.arange(30.0))
        gamelan.putmask(a, a > 5, gamelan.arange(30.0))
        gamelan.fill_diagonal(a, 1)
        a.T.flat[3:90:2] = i
        for result in results:
            assert result.is_distributed
        gamelan.sync()
