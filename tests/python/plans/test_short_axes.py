# SPDX-License-Identifier: BSD-3-Clause
"""Reductions over a few elements are written out in the pass that computes these: NumPy's results, and the bits without it."""

import numpy
import pytest

from gamelan import _core

KINDS = ["f8", "f4", "i8", "u1", "f2", "?", "c16"]


def data(rng, shape, kind):
    if kind == "?":
        return rng.random(shape) < 0.5
    values = rng.integers(0, 20, shape) if kind[0] in "iu" else numpy.round(rng.standard_normal(shape), 1)
    values = values.astype(kind)
    if kind[0] == "f":
        chance = rng.random(shape)
        values[chance < 0.03] = numpy.nan
        values[(chance > 0.03) & (chance < 0.06)] = -0.0
        values[(chance > 0.06) & (chance < 0.08)] = numpy.inf
    return values


def nearest(np, points, centres):
    return [((points[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)]


def nearest_and_how_far(np, points, centres):
    """The distances have a name: they are stored on the way."""
    distance = ((points[:, None, :] - centres) * (points[:, None, :] + centres)).max(axis=2)
    label = distance.argmax(axis=1)
    return [label, distance, distance.min(axis=1), label == 0]


def written_between(np, points, centres):
    """What the sums read is changed before the search."""
    squares = (points * points).sum(axis=1)
    distance = (points[:, None, :] * centres).sum(axis=2)
    points[:, 0] = 1
    return [distance.argmin(axis=1), squares, points]


def written_after(np, points, centres):
    distance = (points[:, None, :] + centres).sum(axis=2)
    label = distance.argmin(axis=1)
    distance[5] = 0
    return [label, distance, (distance + 1).argmax(axis=1)]


def several(np, points, centres):
    """One product has many readers."""
    product = points * centres[0]
    return [product.sum(axis=1), product.prod(axis=1), product.min(axis=1), product.argmin(axis=1)]


def along_others(np, points, centres):
    """Reversed, transposed, shifted; the search along the first axis is none of these."""
    back = points[::-1, ::-1]
    return [(back + 1).sum(axis=1), (points.T * 2).max(axis=0), (points[1:] + points[:-1]).argmax(axis=1), back.argmin(axis=0)]


def normalised(np, points, centres):
    """A row, its largest element and what is left."""
    rest = points - points.max(axis=1, keepdims=True)
    return [(rest + 1).sum(axis=1, keepdims=True), rest.argmin(axis=1)]


def counted(np, points, centres):
    """What a search finds is compared, weighted, and taken with the operand and without its axis."""
    label = points.argmax(axis=1)
    members = [label == j for j in range(3)]
    weighted = label * points[:, 0]
    return [member.sum() for member in members] + [members[1], weighted, (label[:, None] + points)[1:, 1]]


PROGRAMS = [counted, nearest, nearest_and_how_far, written_between, written_after, several, along_others, normalised]


def run(np, program, points, centres):
    with numpy.errstate(all="ignore"):
        return [numpy.asarray(each) for each in program(np, np.asarray(points.copy()), np.asarray(centres))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_short_axes(program, kind, engine, ranks):
    import gamelan

    if kind == "?" and program is not several:
        pytest.skip("no differences of truth values")
    rng = numpy.random.default_rng(7)
    for rows, columns, others in [(4096, 2, 3), (5001, 4, 8), (70000, 16, 2), (4100, 5, 17)]:
        points, centres = data(rng, (rows, columns), kind), data(rng, (others, columns), kind)
        expected = run(numpy, program, points, centres)
        results = run(gamelan, program, points, centres)
        for mine, theirs in zip(results, expected):
            assert mine.dtype == theirs.dtype
            if mine.dtype.kind in "fc":
                numpy.testing.assert_allclose(mine, theirs, rtol=2e-2 if kind == "f2" else 1e-5, atol=1e-5)
            elif kind[0] in "iu?":
                numpy.testing.assert_array_equal(mine, theirs)
        if not ranks:
            continue
        _core.flush(True)
        _core.configure([("disable_passes", "unroll_short_axes")])
        try:
            plain = run(gamelan, program, points, centres)
        finally:
            _core.flush(True)
            _core.configure([("disable_passes", "")])
        for mine, theirs in zip(results, plain):
            numpy.testing.assert_array_equal(mine, theirs)


def test_which_nan_is_the_first(engine):
    import gamelan

    a = numpy.zeros((5000, 4))
    a[::2, 2:] = numpy.nan
    a[::3, 0] = numpy.nan
    a[1::4] = -0.0
    for name in ("argmin", "argmax"):
        expected = getattr(numpy, name)(a + 1, axis=1)
        numpy.testing.assert_array_equal(numpy.asarray(getattr(gamelan, name)(gamelan.asarray(a) + 1, axis=1)), expected)


def test_a_batch_of_many_is_written_out_in_part(engine, ranks):
    """Planning takes time for each command. What is not written out has the same values."""
    import gamelan

    rng = numpy.random.default_rng(3)
    points, centres = data(rng, (5000, 4), "i8"), data(rng, (8, 4), "i8")
    mine, theirs = gamelan.asarray(points), gamelan.asarray(centres)
    _core.flush(True)
    labels = [nearest(gamelan, mine, theirs * k)[0] for k in range(30)]
    selections = str(gamelan.explain(labels[-1])).count("where")
    for k, label in enumerate(labels):
        numpy.testing.assert_array_equal(numpy.asarray(label), nearest(numpy, points, centres * k)[0], strict=True)
    assert not ranks or 0 < selections < 30 * 7, "seven for each, if all were"


def test_a_search_and_what_uses_it_share_a_pass(engine, ranks):
    import gamelan

    if not ranks:
        pytest.skip("the model has no plans")
    rng = numpy.random.default_rng(4)
    points = gamelan.asarray(data(rng, (50_000, 4), "i8"))
    _core.flush(True)
    for use in (lambda label: (label == 1).sum(), lambda label: label * points[:, 1], lambda label: (2 * label + 1)[3:]):
        plan = str(gamelan.explain(use(points.argmax(axis=1))))
        assert plan.count("fused loop over 50000") + plan.count("fold blocks") == 1, plan
