# SPDX-License-Identifier: BSD-3-Clause
"""Sums of the rows that masks name read no other rows, several of them in one pass; with the bits of what is computed in steps."""

import re

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core

RANDOM = numpy.random.default_rng(17)
ROWS = 30_011  # seven reduction blocks and a piece; ends of ranks lie within them
LABELS = RANDOM.integers(0, 7, ROWS)
SPECIAL = numpy.array([-0.0, 0.0, 1e308, -1e308, 1e-310, 3.5, -2.25])


def table(columns, dtype="f8"):
    return RANDOM.standard_normal((ROWS, columns)).astype(dtype)


def sums(np, x, labels, groups=7):
    return [np.where((labels == k)[:, None], x, 0.0).sum(axis=0) for k in range(groups)]


def without_passes(program):
    """The same in steps: nothing is fused."""
    _core.configure([("disable_passes", "fuse")])
    try:
        return [numpy.asarray(each) for each in program()]
    finally:
        _core.configure([("disable_passes", "")])


def same_bits(left, right):
    return all(one.tobytes() == other.tobytes() and one.dtype == other.dtype for one, other in zip(left, right, strict=True))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 8, 33])
def test_values_and_bits(engine, ranks, columns, dtype):
    values = table(columns, dtype) if dtype != "i8" else RANDOM.integers(-9, 9, (ROWS, columns))

    def program(np):
        x, labels = np.asarray(values), np.asarray(LABELS)
        return [
            *sums(np, x, labels),
            np.where((labels > 9)[:, None], x, 0).sum(axis=0),
            np.where((labels < 9)[:, None], x, 0).sum(axis=0),
        ]

    oracle.check(program)
    if ranks:
        found = [numpy.asarray(each) for each in program(gamelan)]
        assert same_bits(found, without_passes(lambda: program(gamelan)))


@pytest.mark.parametrize("name, look", [
    ("backwards", lambda x: x[::-1]),
    ("columns backwards", lambda x: x[:, ::-1]),
    ("every third row", lambda x: x[::3]),
    ("some columns", lambda x: x[:, 1:3]),
    ("a transposed matrix", lambda x: x.reshape(4, ROWS).T),
    ("three axes", lambda x: x.reshape(ROWS, 2, 2)),
    ("shifted", lambda x: x[5:-3]),
])  # fmt: skip
def test_operands_that_lie_otherwise(engine, ranks, name, look):
    values = table(4)

    def program(np):
        x, labels = look(np.asarray(values)), np.asarray(LABELS)
        member = labels[: len(x)] == 3
        backwards = labels[::-1][: len(x)] == 2
        shape = (slice(None),) + (None,) * (x.ndim - 1)
        return [np.where(member[shape], x, 0.0).sum(axis=0), np.where(backwards[shape], x, 0.0).sum(axis=0)]

    oracle.check(program)
    if ranks:
        assert same_bits([numpy.asarray(each) for each in program(gamelan)], without_passes(lambda: program(gamelan)))


def test_special_numbers(engine, ranks):
    values = numpy.where(RANDOM.random((ROWS, 3)) < 0.5, -0.0, RANDOM.choice(SPECIAL, (ROWS, 3)) * 1e-3)
    masks = numpy.zeros((4, ROWS), bool)
    masks[0, ROWS // 2 :: 4000], masks[1, :], masks[2, 17] = True, True, True
    zeros = numpy.full((ROWS, 3), -0.0)

    def program(np):
        x, flat, which = np.asarray(values), np.asarray(zeros), np.asarray(masks)
        return [np.where(mask[:, None], each, 0.0).sum(axis=0) for mask in which for each in (x, flat)]

    oracle.check(program)
    if ranks:
        found = [numpy.asarray(each) for each in program(gamelan)]
        assert same_bits(found, without_passes(lambda: program(gamelan)))
        assert numpy.signbit(found[3]).all() and not numpy.signbit(found[1]).any()


def test_not_a_number_and_infinities(engine):
    values = RANDOM.standard_normal((ROWS, 3))
    values[::11, 0], values[5::13, 1], values[7::17, 2] = numpy.nan, numpy.inf, -numpy.inf
    clean = numpy.isfinite(values).all(axis=1)

    def program(np):
        x, mask = np.asarray(values), np.asarray(clean)
        with numpy.errstate(all="ignore"):
            return [np.where(each[:, None], x, 0.0).sum(axis=0) for each in (mask, ~mask)]

    oracle.check(program)


def test_a_mask_that_is_selected_by_another(engine):
    values, first, second = table(3), RANDOM.random(ROWS) < 0.4, RANDOM.random(ROWS) < 0.6

    def program(np):
        x, a, b = np.asarray(values), np.asarray(first), np.asarray(second)
        wide = [np.broadcast_to(each[:, None], x.shape) for each in (a, b)]
        inner = np.where(*wide, False)
        return [
            np.where(inner, x, 0.0).sum(axis=0),
            np.where(a[:, None], np.where(b[:, None], x, 0.0), 0.0).sum(axis=0),
            np.where(a[:, None], x, -0.0).sum(axis=0),
            np.where(a[:, None], 0.0, x).sum(axis=0),
            np.where(np.asarray(True), x, 0.0).sum(axis=0),
            np.where(~a[:, None], x, 0.0).max(axis=0),
        ]

    oracle.check(program)


def test_two_dtypes_in_one_pass(engine):
    """Elements of one lie as far apart as adjacent ones of the other."""
    wide, narrow = table(3), table(6, "f4")

    def program(np):
        x, y, mask = np.asarray(wide), np.asarray(narrow)[:, ::2], np.asarray(LABELS) == 3
        return [np.where(mask[:, None], each, each.dtype.type(0)).sum(axis=0) for each in (x, y)]

    oracle.check(program)


def test_what_changes_between_two_sums(engine):
    values = table(4)

    def program(np):
        x, labels = np.asarray(values.copy()), np.asarray(LABELS)
        before = np.where((labels == 1)[:, None], x, 0.0).sum(axis=0)
        x[::2] *= 3.0
        after = np.where((labels == 2)[:, None], x, 0.0).sum(axis=0)
        return [before, after, x.sum(axis=0)]

    oracle.check(program)


def test_an_overflow_is_told(engines_only):
    values = numpy.full((ROWS, 2), 1e305)
    x, labels = gamelan.asarray(values), gamelan.asarray(LABELS)
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        found = numpy.asarray(gamelan.where((labels == 1)[:, None], x, 0.0).sum(axis=0))
    assert numpy.isinf(found).all()


def folds_of(made):
    """How many reductions each pass over the table has."""
    text = gamelan.explain()
    assert made
    return [len(re.findall(" into s", line)) for line in text.splitlines() if re.search(r"fold blocks.*blocks \d+x\d+ ", line)]


@pytest.mark.parametrize("columns", [2, 4, 6])
def test_one_pass_for_all(engines_only, columns):
    x, labels = gamelan.asarray(table(columns)), gamelan.asarray(LABELS)
    masks = [labels == k for k in range(7)]
    gamelan.sync()
    made = [gamelan.where(mask[:, None], x, 0.0).sum(axis=0) for mask in masks]
    assert folds_of(made) == [7]


def test_reductions_of_one_array(engines_only, ranks):
    """Whatever is computed, if nothing of it is stored."""
    x = gamelan.asarray(table(4))
    gamelan.sync()
    made = [(x * 2.0 + 1.0).sum(axis=0), (abs(x) - 1.0).max(axis=0), gamelan.exp(x).min(axis=0)]
    assert folds_of(made) == [3]
    values = numpy.asarray(x)
    for found, expected in zip(made, [(values * 2 + 1).sum(0), (abs(values) - 1).max(0), numpy.exp(values).min(0)]):
        numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-12)
