# SPDX-License-Identifier: BSD-3-Clause
"""A temporary waits for the reductions before its first reader, and is never in memory; not when what it reads is written."""

import gamelan
import numpy
import oracle
import pytest


def vectors(np):
    random = numpy.random.default_rng(8)
    return np.asarray(random.random(300_007)), np.asarray(random.random(300_007) + 0.5)


def quotient(np, v, w):
    return np.diff(v) / np.diff(w).max()


PROGRAMS = {
    "quotient": quotient,
    "of sums": lambda np, v, w: (v * 3 + w) * (v.sum() - w.min()),
    "chain": lambda np, v, w: np.sqrt(v) * 2 / (w * w).sum() + v.max(),
    "two readers": lambda np, v, w: [(t := v - w), t / np.abs(w).max() + t],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(engine, name):
    oracle.check(lambda np: PROGRAMS[name](np, *vectors(np)))


def test_what_it_reads_is_written_meanwhile(engine):
    def program(np):
        v, w = vectors(np)
        t = v[1:] * 2
        m = w.max()
        v[5:90_000] = -1.0
        q = t / m
        w += w.sum()
        return [q, v, w / (v * w).sum()]

    oracle.check(program)


def test_two_passes(engine, ranks):
    if not ranks:
        pytest.skip("the model has no plans")
    v, w = vectors(gamelan)
    gamelan.sync()
    plan = gamelan.explain(quotient(gamelan, v, w))
    assert plan.count("\nstep ") == 3 and plan.count("subtract") == 2, plan
