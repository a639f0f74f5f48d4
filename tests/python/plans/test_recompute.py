# SPDX-License-Identifier: BSD-3-Clause
"""Cheap temporaries that two passes need are computed in both, and stored nowhere; the values are NumPy's."""

import re

import gamelan
import numpy
import pytest

import oracle

LARGE = (2050, 2050)  # a rank's part is larger than what stays in a cache


def grid(np, shape=LARGE):
    """In memory already: what is made of an operand that dies with its batch is not computed twice."""
    made = np.asarray(numpy.random.default_rng(3).random(shape))
    if np is gamelan:
        np.sync()
    return made


def turn(np, p, x, r, rr):
    """A turn of conjugate gradients."""
    inner = p[1:-1, 1:-1]
    ap = 4.0 * inner - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
    alpha = rr / (inner * ap).sum()
    x = x + alpha * inner
    r = r - alpha * ap
    following = (r * r).sum()
    p[1:-1, 1:-1] = r + (following / rr) * inner
    return x, r, following


def cg(np, turns=2):
    p = grid(np)
    p[0] = p[-1] = 0
    p[:, 0] = p[:, -1] = 0
    x, r = np.zeros_like(p[1:-1, 1:-1]), p[1:-1, 1:-1].copy()
    rr = (r * r).sum()
    for _ in range(turns):
        x, r, rr = turn(np, p, x, r, rr)
    return [x, r, p, rr]


def cg_of_an_array_that_ends(np, turns=3):
    """As in a function that makes its direction and returns the result only."""
    b = grid(np, (2048, 2048))
    x, r, p = np.zeros_like(b), b, np.zeros(LARGE)
    p[1:-1, 1:-1] = r
    rr = (r * r).sum()
    for _ in range(turns):
        x, r, rr = turn(np, p, x, r, rr)
    return x


def standardised(np, a=None):
    a = grid(np) if a is None else a
    centred = a - 0.5
    return centred / np.sqrt((centred * centred).mean(axis=0))


def read_in_part(np):
    a = grid(np)
    b = a * 3.0
    return [b[1:] * b.sum(), b[:, ::-1] - b.max()]


def written_between(np):
    a = grid(np)
    b = a * 3.0 + 1.0
    total = b.sum(axis=0)
    a[3:-3] = 0.0
    return [b / total, a]


def named(np):
    a = grid(np)
    b = a * 2.0 - 1.0
    return [b * b.sum(), b]


def written_itself(np):
    p = grid(np)
    a, b = 2.0 * p, 2.0 * p
    of_a, of_b = a.sum(axis=0), b.max()
    a[3:-3] = 1.0
    b += 1.0
    return [a * of_a, b * of_b]


def scaled_by_what_is_written(np):
    a = grid(np) * 3.0
    scale = np.ones(a.shape[1])
    scale[...] = 1.0 / a.sum(axis=0)
    return a * scale


def of_other_views(np):
    p = grid(np)
    results = []
    for view in (p[::-1], p.T, p[:, ::2], p[5:, 3:]):
        b = view * 2.0
        results.append(b - b.mean())
    return results


def of_another_dtype(np):
    a = np.exp(grid(np)).astype("f4")
    return [a * a.sum(), a.astype("f8") - a.max()]


def for_a_product(np):
    a = grid(np) * 2.0
    return [(a @ a[:, :3]), a / a.sum()]


PROGRAMS = [
    cg,
    cg_of_an_array_that_ends,
    standardised,
    read_in_part,
    written_between,
    named,
    written_itself,
    scaled_by_what_is_written,
]
PROGRAMS += [of_other_views, of_another_dtype, for_a_product]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_values(engine, program):
    oracle.check(program)


def test_errors_are_those_of_the_first_time(engine):
    def program(np):
        kinds = []
        a, z = grid(np), grid(np)
        with numpy.errstate(over="ignore"):
            b = a * 1e200 * 1e200
        with numpy.errstate(all="call", call=lambda kind, flag: kinds.append(kind)):
            z -= b * (1.0 / (b > 0).sum())
            numpy.asarray(z)
        return [z, numpy.array(sorted(kinds))]

    oracle.check(program)


def stored(plan, extents):
    """How many arrays of that shape the steps make."""
    return len([line for line in re.findall(rf"^s\d+: \w+ {extents} on .*", plan, re.M) if ", input" not in line])


def test_nothing_is_stored_between_the_passes(engine, ranks):
    if not ranks:
        pytest.skip("the model has no plans")
    p = grid(gamelan)
    x, r = gamelan.zeros((2048, 2048)), gamelan.ones((2048, 2048))
    rr = (r * r).sum()
    gamelan.sync()
    x, r, rr = turn(gamelan, p, x, r, rr)
    plan = gamelan.explain()
    assert stored(plan, "2048x2048") == 2, plan  # x and r, and not ap
    gamelan.sync()
    plan = gamelan.explain(standardised(gamelan, p))
    assert stored(plan, "2050x2050") == 1, plan
    gamelan.sync()
    plan = gamelan.explain(cg_of_an_array_that_ends(gamelan))
    assert stored(plan, "2050x2050") == 1, plan  # p
    assert stored(plan, "2048x2048") == 4 + 2, plan  # x, and r but for the last, which is nobody's
