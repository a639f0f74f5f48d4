# SPDX-License-Identifier: BSD-3-Clause
"""Sums of the rows of several groups: masks that name no row twice are added in one reading, with the bits of one sum after the
other; masks that do are not."""

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core

RANDOM = numpy.random.default_rng(29)
ROWS = 70_003  # several regions a rank; the last reduction block is a piece


def one_by_one(np, x, labels, groups):
    """Each sum in a batch of its own: no pass holds two."""
    found = []
    for k in groups:
        found.append(numpy.asarray(np.where((labels == k)[:, None], x, x.dtype.type(0)).sum(axis=0)))
    return found


def together(np, x, labels, groups):
    return [np.where((labels == k)[:, None], x, x.dtype.type(0)).sum(axis=0) for k in groups]


def values(columns, dtype, special):
    found = RANDOM.random((ROWS, columns)).astype(dtype)
    if special:
        found[RANDOM.random((ROWS, columns)) < 0.5] = -0.0
    return found


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 8, 5, 16, 17])
@pytest.mark.parametrize("groups", [3, 7, 16, 17])
@pytest.mark.parametrize("special", [False, True], ids=["", "zeros"])
def test_bits(engine, ranks, dtype, columns, groups, special):
    table = values(columns, dtype, special)
    labels = RANDOM.integers(-1, groups + 2, ROWS)  # some of no group
    labels[20_000:30_000] = 1  # whole reduction blocks of one group
    labels[labels == groups - 1] = -5  # and a group of no rows

    def program(np):
        return together(np, np.asarray(table), np.asarray(labels), range(groups))

    oracle.check(program)
    if ranks:
        x, which = gamelan.asarray(table), gamelan.asarray(labels)
        found = [numpy.asarray(each) for each in program(gamelan)]
        expected = one_by_one(gamelan, x, which, range(groups))
        assert all(one.tobytes() == other.tobytes() for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("where", [0, ROWS // 2, ROWS - 1])
def test_one_row_in_two_groups(engine, where):
    table, labels = values(4, "f8", False), RANDOM.integers(0, 4, ROWS)
    masks = labels == numpy.arange(4)[:, None]
    masks[:2, where] = True

    def program(np):
        x, which = np.asarray(table), np.asarray(masks)
        return [np.where(mask[:, None], x, 0.0).sum(axis=0) for mask in which]

    oracle.check(program)


def test_infinities_of_no_group(engine):
    table, labels = values(4, "f8", False), RANDOM.integers(0, 5, ROWS)
    table[labels == 4] = numpy.inf
    table[numpy.flatnonzero(labels == 4)[::2]] = -numpy.inf
    oracle.check(lambda np: together(np, np.asarray(table), np.asarray(labels), range(4)))


def test_a_loop_that_looks_at_every_group(engines_only):
    table, labels = values(4, "f8", False), RANDOM.integers(0, 7, ROWS)

    def program(np):
        x, which, found = np.asarray(table), np.asarray(labels), []
        for turn in range(3):
            now = (which + turn) % 7
            for k in range(7):
                member = now == k
                found.append(numpy.asarray(np.where(member[:, None], x, 0.0).sum(axis=0) / member.sum()))
        return found

    oracle.check(program)
    found = program(gamelan)
    _core.configure([("disable_passes", "fuse")])
    try:
        assert all(one.tobytes() == other.tobytes() for one, other in zip(found, program(gamelan), strict=True))
    finally:
        _core.configure([("disable_passes", "")])
