# SPDX-License-Identifier: BSD-3-Clause
"""Choices, permutations and what is drawn several at a time: the same here and on engines, and distributed as they say."""

import math

import numpy
import pytest

import gamelan

P = [0.1, 0.0, 0.25, 0.65]

DRAWS = {
    "permutation": lambda rng: rng.permutation(50),
    "permutation of many": lambda rng: rng.permutation(5003),
    "permutation of rows": lambda rng: rng.permutation(gamelan.arange(60).reshape(20, 3)),
    "permutation of columns": lambda rng: rng.permutation(gamelan.arange(60).reshape(20, 3), axis=1),
    "permuted": lambda rng: rng.permuted(gamelan.arange(60).reshape(4, 15)),
    "permuted lines": lambda rng: rng.permuted(gamelan.arange(60).reshape(4, 15), axis=1),
    "permuted columns": lambda rng: rng.permuted(gamelan.arange(60).reshape(3, 4, 5), axis=1),
    "choice": lambda rng: rng.choice(9, (5, 6)),
    "choice of rows": lambda rng: rng.choice(gamelan.arange(60).reshape(20, 3), 7),
    "choice of columns": lambda rng: rng.choice(gamelan.arange(60).reshape(20, 3), 7, axis=1),
    "choice by p": lambda rng: rng.choice(4, (30, 3), p=P),
    "choice by distributed p": lambda rng: rng.choice(4, (30, 3), p=gamelan.asarray(P)),
    "choice without": lambda rng: rng.choice(40, 25, replace=False),
    "choice without by p": lambda rng: rng.choice(4, 3, replace=False, p=P),
    "integers between arrays": lambda rng: rng.integers(gamelan.arange(5), gamelan.arange(5) * 1000 + 1, (4, 5)),
    "integers of int16": lambda rng: rng.integers([-3, 5], [4, 6], (7, 2), dtype="i2", endpoint=True),
    "bools": lambda rng: rng.integers(0, 2, 40, dtype=bool),
    "multinomial": lambda rng: rng.multinomial(20, [0.2, 0.3, 0.5], 12),
    "multinomial of arrays": lambda rng: rng.multinomial(gamelan.arange(6), [0.2, 0.3, 0.5]),
    "multivariate_hypergeometric": lambda rng: rng.multivariate_hypergeometric([5, 20, 15], 12, (6, 4)),
    "standard_exponential": lambda rng: rng.standard_exponential(30, dtype="f4"),
    "standard_gamma": lambda rng: rng.standard_gamma(gamelan.arange(1.0, 5.0), dtype="f4"),
}


def values(name, seed=11):
    result = DRAWS[name](gamelan.random.default_rng(seed))
    return numpy.asarray(result)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_here_and_there(engine, name):
    there = values(name)
    with gamelan.options(distribute_from=2**62):
        here = values(name)
    assert there.dtype == here.dtype and there.shape == here.shape and (there == here).all()
    assert (values(name, 12) != there).any(), "the seed matters"


def test_permutations_keep_what_they_permute(engine):
    for name in ("permutation", "permutation of rows", "permuted", "permuted lines", "permuted columns"):
        assert (numpy.sort(values(name), axis=None) == numpy.arange(values(name).size)).all()
    rows = values("permutation of rows")
    assert (rows[:, 0] % 3 == 0).all() and (numpy.diff(rows, axis=1) == 1).all()
    lines = values("permuted lines")
    assert (numpy.sort(lines, axis=1) == numpy.arange(60).reshape(4, 15)).all()


def test_every_permutation_is_as_likely(engine):
    orders = numpy.asarray(gamelan.random.default_rng(4).permuted(gamelan.broadcast_to(gamelan.arange(4), (6000, 4)), axis=1))
    counts = numpy.unique(orders @ [64, 16, 4, 1], return_counts=True)[1]
    assert len(counts) == 24 and ((counts - 250) ** 2 / 250).sum() < 50  # 23 degrees of freedom: one in a thousand


def test_shuffle_works_in_place(engine):
    array = gamelan.arange(24).reshape(8, 3)
    view = array[::2]
    gamelan.random.default_rng(1).shuffle(view)
    changed = numpy.asarray(array)
    assert (changed[1::2] == numpy.arange(24).reshape(8, 3)[1::2]).all()
    assert (numpy.sort(changed[::2, 0]) == [0, 6, 12, 18]).all()
    names, numbers = list("abcdefgh"), numpy.arange(8)
    gamelan.random.default_rng(1).shuffle(names)
    gamelan.random.default_rng(1).shuffle(numbers)
    assert sorted(names) == list("abcdefgh") and names == [list("abcdefgh")[place] for place in numbers]


def test_choices_have_their_probabilities(engine):
    count = 20_000
    for p in (P, gamelan.asarray(P)):
        found = numpy.bincount(numpy.asarray(gamelan.random.default_rng(2).choice(4, count, p=p)), minlength=4)
        assert found[1] == 0 and sum((f - count * q) ** 2 / (count * q) for f, q in zip(found, P) if q) < 14
    # Without replacement: the second after the first with what is left of p.
    with gamelan.options(distribute_from=2**62):  # the same numbers, sooner
        generators = map(gamelan.random.default_rng, range(400))
        pairs = [tuple(numpy.asarray(rng.choice(3, 2, replace=False, p=[0.2, 0.3, 0.5]))) for rng in generators]
    share = pairs.count((2, 1)) / 400
    assert abs(share - 0.5 * 0.3 / 0.5) < 4 * math.sqrt(0.3 * 0.7 / 400)


def test_several_at_a_time(engine):
    rng = gamelan.random.default_rng(8)
    counts = numpy.asarray(rng.multinomial(30, [0.2, 0.3, 0.5], 4000))
    assert (counts.sum(1) == 30).all() and numpy.allclose(counts.mean(0), [6, 9, 15], atol=0.2)
    covariance = numpy.cov(counts.T)
    assert abs(covariance[0, 1] + 30 * 0.2 * 0.3) < 0.3
    sample = numpy.asarray(rng.multivariate_hypergeometric([5, 20, 15], 12, 4000))
    assert (
        (sample.sum(1) == 12).all() and (sample <= [5, 20, 15]).all() and numpy.allclose(sample.mean(0), [1.5, 6, 4.5], atol=0.1)
    )
    for alpha in ([1.0, 2.0, 5.0], [0.05, 0.02, 0.03]):
        shares = numpy.asarray(rng.dirichlet(alpha, 4000))
        assert numpy.allclose(shares.sum(1), 1) and numpy.allclose(shares.mean(0), numpy.array(alpha) / sum(alpha), atol=0.03)
    wanted = numpy.array([[2.0, 0.6], [0.6, 1.0]])
    for method in ("svd", "eigh", "cholesky"):
        normal = numpy.asarray(rng.multivariate_normal([1, -2], wanted, 8000, method=method))
        assert numpy.allclose(normal.mean(0), [1, -2], atol=0.06) and numpy.allclose(numpy.cov(normal.T), wanted, atol=0.12)
    assert rng.multivariate_normal([0, 0], wanted).shape == (2,) and rng.dirichlet([1, 1], (2, 3)).shape == (2, 3, 2)
