# SPDX-License-Identifier: BSD-3-Clause
"""Loops that look at a value in every turn get those of the next turns along with it; what they see is what NumPy computes."""

import threading
import warnings

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core

SIZE = 300_001
RANDOM = numpy.random.default_rng(5)
LABELS, POINTS = RANDOM.integers(0, 9, SIZE), RANDOM.random((SIZE, 3))
BYTES = RANDOM.integers(0, 256, SIZE).astype("u1")


def inputs(np):
    arrays = [np.asarray(each.copy()) for each in (LABELS, POINTS, BYTES)]
    if np is gamelan:
        np.sync()
    return arrays


def groups(np, labels, points, few):
    found = numpy.zeros((9, 3))
    for k in range(9):
        member = labels == k
        found[k] = np.where(member[:, None], points, 0.0).sum(axis=0) / member.sum()
    return found


def iterations(np, labels, points, few):
    found = []
    for turn in range(4):
        now = (labels + turn) % 7
        found += [float((now == k).sum()) for k in range(7)]
    return found


def two_looks(np, labels, points, few):
    found = []
    for k in range(12):
        found.append(int((labels > k).sum()))
        found.append(float((points * k).max()))
    return found


def downwards(np, labels, points, few):
    return [int(np.minimum(labels, 40 - 7 * k).sum()) for k in range(12)]


def thresholds(np, labels, points, few):
    return [float(((points * 10) > k).mean()) for k in range(11)] + [float((points > k / 10).mean()) for k in range(11)]


def small_dtype(np, labels, points, few):
    return [int((few == 250 + k).sum()) if k < 6 else k for k in range(8)] + [
        int((few + numpy.uint8(255 - k)).sum()) for k in range(9)
    ]


def changed(np, labels, points, few):
    found = []
    for k in range(12):
        found.append(int((labels == k).sum()))
        if k % 5 == 4:
            labels[k::17] += 1
    return found


def changed_by_a_view(np, labels, points, few):
    found, part = [], points[:, 1]
    for k in range(12):
        found.append(float((points + k).sum()))
        if k == 8:
            part *= 3.0
    return found


def ends_early(np, labels, points, few):
    found = []
    for last in (9, 9, 5, 8, 11):
        for k in range(last):
            found.append(int((labels >= k).sum()))
    return found


def kept(np, labels, points, few):
    arrays, found = [], []
    for k in range(9):
        arrays.append((points * k).sum(axis=0))
        found.append(numpy.array(arrays[-1]))
    return [*found, *(numpy.array(each) for each in arrays)]


def read_later(np, labels, points, few):
    total, found = np.zeros(SIZE), []
    for k in range(9):
        member = labels == k
        found.append(int(member.sum()))
        total = total + member * float(k)
    return [*found, numpy.asarray(total)]


def nested(np, labels, points, few):
    return [int(((labels == k) & (few > j * 20)).sum()) for k in range(4) for j in range(10)]


def behind_others(np, labels, points, few):
    """The first turn is recorded together with what makes its operand."""
    found = []
    for turn in range(5):
        now = (labels * (turn + 1) + few) % 7
        total = (points * turn).sum(axis=0)
        found += [float((now == k).sum()) for k in range(7)]
        found += [total, int(now.max())]
    return found


def first_turn_reads_what_dies(np, labels, points, few):
    found = []
    for turn in range(5):
        shifted = points + turn
        temporary = (labels + turn) % 5
        view = temporary[::-1]
        del temporary
        for k in range(5):
            found.append(float((shifted[:, 0] * (view == k)).sum()))
            if k == 3 and turn == 3:
                shifted[7] = -5.0
    return found


def another_operand_in_the_first_turn(np, labels, points, few):
    found = []
    for turn in range(5):
        now = (labels + turn) % 5
        for k in range(5):
            source = few if k == 0 and turn % 2 else now
            found.append(int((source == k).sum()))
    return found


PROGRAMS = (
    groups,
    behind_others,
    first_turn_reads_what_dies,
    another_operand_in_the_first_turn,
    iterations,
    two_looks,
    downwards,
    thresholds,
    small_dtype,
    changed,
    changed_by_a_view,
    ends_early,
    kept,
    read_later,
    nested,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values(engine, program):
    oracle.check(lambda np: [numpy.array(each) for each in program(np, *inputs(np))])


def requests(program):
    gamelan.sync()
    before = gamelan.stats()["batches"]
    program()
    return gamelan.stats()["batches"] - before


def test_a_known_loop_waits_once(engines_only):
    labels, points, few = inputs(gamelan)
    for _ in range(2):  # the first turn of the first run has uploads before it
        groups(gamelan, labels, points, few)
    assert requests(lambda: groups(gamelan, labels, points, few)) < 4
    ahead = requests(lambda: [int((few > k).sum()) for k in range(60)])
    assert ahead < 12, "some more with every turn"


def test_the_first_turn_is_known_behind_other_commands(engines_only):
    labels, points, few = inputs(gamelan)

    def iteration(turn):
        now = (labels + turn) % 7
        return [int((now == k).sum()) for k in range(7)]

    for turn in range(3):
        iteration(turn)
    now = (labels + 9) % 7
    gamelan.sync()
    assert int((now == 0).sum()) == ((LABELS + 9) % 7 == 0).sum()
    now = (labels + 10) % 7
    assert int((now == 0).sum()) == ((LABELS + 10) % 7 == 0).sum()
    assert _core.stats()["pending_commands"] == 2, "the turn waits for nothing"
    assert requests(lambda: [int((now == k).sum()) for k in range(1, 7)]) <= 2


def test_turns_behind_the_first_find_its_operands_in_cache(engines_only):
    """Eight passes over 4 million numbers would be more than a request may be: k-means would wait for its last centre."""
    points = gamelan.asarray(numpy.random.default_rng(3).random((1_000_000, 4)))

    def iteration(turn):
        labels = gamelan.floor(8 * points[:, turn])
        means = numpy.empty((8, 4))
        for k in range(8):
            member = labels == k
            means[k] = gamelan.where(member[:, numpy.newaxis], points, 0.0).sum(axis=0) / member.sum()
        return means

    for turn in range(3):
        iteration(turn)
    assert requests(lambda: iteration(3)) <= 2, "the labels with all centres, and what asks for the number of requests"


@pytest.mark.parametrize("settings", ["warn", "ignore"])
def test_warnings_of_a_first_turn_behind_others(engines_only, settings):
    def program(np):
        labels, points, few = inputs(np)
        told = []
        for turn in range(4):
            with numpy.errstate(all=settings), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                now = (points[:, 0] + 1.0) / (points[:, 1] * (turn % 2))  # x / 0.0 in the first and the third
                for k in range(6):
                    with numpy.errstate(all="warn"):
                        value = float((now * float(k)).max())  # inf * 0.0 in the first turn
                    told.append(value)
            told.append(sorted(str(each.message) for each in caught))
        return told

    assert str(program(gamelan)) == str(program(numpy))


def test_warnings_behind_more_than_a_batch_tells(engines_only):
    """A reply tells of so many errors only; those of turns that ride along come last."""

    def program(np):
        labels, points, few = inputs(np)
        told = []
        with numpy.errstate(all="warn"):
            for turn in range(5):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    kept = [np.log(points[:5000, 0] - 1.0 - j) for j in range(70)]
                    now = points[:, 0] * 1.0 + (0 if turn == 3 else 20)
                    told += [float(np.sqrt(now - 0.5 * k).max()) for k in range(6)]
                told.append((len(kept), sum("sqrt" in str(each.message) for each in caught)))
        return told

    assert str(program(gamelan)) == str(program(numpy))


def test_what_a_program_keeps_is_computed_once(engines_only):
    labels, points, few = inputs(gamelan)

    def program():
        kept(gamelan, labels, points, few)

    program()
    assert requests(program) >= 9


def test_other_steps_are_looked_at_one_by_one(engines_only):
    labels, points, few = inputs(gamelan)
    powers = [int((few > 2**k).sum()) for k in range(8)]
    assert powers == [int((BYTES > 2**k).sum()) for k in range(8)]
    assert requests(lambda: [int((few > 2**k).sum()) for k in range(8)]) >= 5


def signs_of_zero(np, labels, points, few):
    found = [float(np.copysign(points, -1.0 * (3 - k)).sum()) for k in range(7)]
    for _ in range(3):
        found += [float(np.arctan2(0.0 * points, -float(k)).sum()) for k in range(5)]
    return found


def test_the_sign_of_zero(engine):
    oracle.check(lambda np: [numpy.array(each) for each in signs_of_zero(np, *inputs(np))])


def test_threads_with_loops_of_their_own(engines_only):
    labels, points, few = inputs(gamelan)
    expected = {
        "labels": [int((LABELS == k % 9).sum()) for k in range(40)],
        "few": [int((BYTES > k).sum()) for k in range(40)],
        "points": [float((POINTS > 0.01).sum()) + k for k in range(40)],
    }
    found, failures = {name: [] for name in expected}, []

    def run(name):
        looks = {
            "labels": lambda k: int((labels == k % 9).sum()),
            "few": lambda k: int((few > k).sum()),
            "points": lambda k: float((points > 0.01).sum() + k),
        }
        try:
            for k in range(40):
                found[name].append(looks[name](k))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and found == expected


def test_what_others_may_write_is_looked_at_each_time(engines_only):
    _, _, few = inputs(gamelan)
    gamelan.publish("watched", few)
    gamelan.unpublish("watched")
    assert requests(lambda: [int((few > k).sum()) for k in range(12)]) >= 12


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_warnings_come_in_their_turn(engines_only, runs):
    def program(np):
        labels, points, few = inputs(np)
        told = []
        with numpy.errstate(all="warn"):
            for _ in range(runs):
                for k in range(9):
                    with warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        member = labels == 2 * k  # from 10 on there are none
                        value = float(points[:, 0].sum() * (member.sum() * 1.0) / member.sum())
                        told.append((numpy.isnan(value), len(caught) > 0))
        return [numpy.array(told)]

    expected = program(numpy)[0]
    assert expected[:, 1].any() and not expected[:, 1].all()
    assert numpy.array_equal(program(gamelan)[0], expected)


def test_errors_that_are_to_be_raised(engines_only):
    def program(np):
        labels, points, few = inputs(np)
        found = []
        with numpy.errstate(all="ignore"):
            for k in range(9):
                if k == 7:
                    numpy.seterr(invalid="raise")
                try:
                    found.append(float((0.0 * points[:, 0] / (7 - k)).sum()))
                except FloatingPointError:
                    found.append(-1.0)
        return found

    expected = program(numpy)
    assert expected[7] == -1.0 and program(gamelan) == expected
