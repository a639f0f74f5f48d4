# SPDX-License-Identifier: BSD-3-Clause
"""Large arrays cross in pieces, to the engines and back: the same elements, no message that a lane cannot hold, and no half of an
array."""

import signal

import numpy
import pytest

import gamelan as np

MANY = 20_000_000  # bytes: more than cross as one
SHAPES = [(MANY // 8 + 11,), (3, MANY // 16 + 1), (2, 3, MANY // 32 + 5), (MANY // 400, 61), (MANY // 32, 2, 1, 3)]


@pytest.fixture
def batches(engine, ranks):
    if not ranks:
        pytest.skip("the model has no messages")

    def count():
        np.sync()
        return np.stats()["sent_batches"]

    return count


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_elements(engine, shape):
    local = numpy.arange(numpy.prod(shape), dtype=float).reshape(shape)
    there = np.ones(100_000) + 1
    brought = np.asarray(local)
    assert numpy.array_equal(brought, local)
    assert brought.dtype == local.dtype and float((there * 2).sum()) == 400_000


def test_orders_and_dtypes(engine):
    rows = numpy.arange(MANY // 4, dtype="i4").reshape(-1, 1000)
    for local in (rows.T, rows[::-1], rows[:, ::-1].astype(">i4"), rows.astype("c16")[:2000], (rows % 3 == 0), rows.astype("u1")):
        assert numpy.array_equal(np.asarray(local), local)
    odd = numpy.arange(MANY, dtype="u1").view(bool)  # bytes that are neither 0 nor 1
    assert numpy.array_equal(np.asarray(odd).view("u1"), odd.view("u1"))
    assert int(np.asarray(odd).sum()) == int((odd.view("u1") != 0).sum())


@pytest.mark.parametrize("count", (8_191, 8_192, 65_537, 600_011))
def test_ordinary_sizes(engine, count):
    """Around the size from which elements stay in memory that all engines read."""
    values = numpy.random.default_rng(3).integers(0, 200, 2 * count)
    for dtype in ("?", "u1", "i2", "f4", "f8", "c8", "c16"):
        local = (values % 2 == 0) if dtype == "?" else values.astype(dtype)
        rows = local[: 2 * count // 6 * 6].reshape(-1, 6)
        for given in (local[:count], local[::2], local[::-2], rows.T, rows[::-1, 1:5], numpy.asfortranarray(rows)):
            there = np.asarray(given)
            check_same(numpy.asarray(there), given)
            check_same(
                numpy.asarray(there[1:] if there.ndim == 1 else there[:, 1:]), given[1:] if given.ndim == 1 else given[:, 1:]
            )


def check_same(got, wanted):
    assert got.dtype == wanted.dtype and numpy.array_equal(got, wanted)


def test_elements_are_those_of_the_moment(engine):
    """The memory in which they cross is used again while the engines still have work with what it held."""
    local, work = numpy.zeros(400_000), np.arange(400_000.0)
    sums, kept = [], []
    for turn in range(60):
        local[...] = turn
        work = np.sqrt(work * work + 1)
        sums.append((np.asarray(local) + work * 0).sum())
        kept.append(np.asarray(local[::-1]))
    assert [float(total) for total in sums] == [400_000.0 * turn for turn in range(60)]
    assert all((numpy.asarray(each) == turn).all() for turn, each in enumerate(kept))


def test_messages_fit_a_lane(batches):
    before = batches()
    brought = np.asarray(numpy.ones(12_500_000))
    assert batches() - before >= 100_000_000 >> 25
    before, several = batches(), [np.asarray(numpy.ones(1_500_000) * k) for k in range(8)]
    assert batches() - before >= 96_000_000 >> 25
    assert float(brought.sum()) == 12_500_000 and [float(x[7]) for x in several] == list(range(8))


def test_an_interrupt_leaves_no_half(batches):
    def interrupt(*_):
        raise KeyboardInterrupt

    local, there = numpy.arange(8_000_000.0), np.arange(200_000.0)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for turn in range(22):
            brought = None
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002 * (turn + 1))
                brought = np.asarray(local)
                np.sync()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                pass
            assert brought is None or numpy.array_equal(brought, local)
            assert float(there.sum()) == 19999900000.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


VIEWS = {
    "whole": lambda x: x,
    "strided": lambda x: x[:, 1::3],
    "reversed": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "shifted": lambda x: x[5:, 7:-1],
    "reshaped": lambda x: x.reshape(-1)[3:],
    "broadcast": lambda x: (np if isinstance(x, np.ndarray) else numpy).broadcast_to(x[:1], (1500, 3000)),
    "an expression": lambda x: (x * 2)[1:] - 1,
    "not a box": lambda x: x.T.reshape(-1),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_elements_that_come_back(engine, view):
    local = numpy.arange(3 * MANY / 8).reshape(-1, 3000)
    assert numpy.array_equal(numpy.asarray(view(np.asarray(local))), view(local))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_that_come_back(engine, shape):
    local = numpy.arange(numpy.prod(shape), dtype=float).reshape(shape)
    back = numpy.asarray(np.asarray(local) + 1)
    assert numpy.array_equal(back, local + 1) and back.dtype == local.dtype


def test_several_come_back(engine):
    local = numpy.arange(MANY / 8)
    there = [np.asarray(local), np.arange(200_000) * 2, np.asarray(local) * 3]
    big, small, other = (numpy.asarray(x) for x in there)
    assert numpy.array_equal(big, local) and numpy.array_equal(small, numpy.arange(200_000) * 2)
    assert numpy.array_equal(other, local * 3)


def test_replies_fit_a_lane(batches):
    x = np.ones(8_000_000) + 1
    before = batches()
    numpy.asarray(x)
    assert batches() - before >= 64_000_000 >> 25


def test_what_others_may_write_comes_in_one_reply(batches):
    x = np.ones(4_000_000) + 1
    np.publish("test_large_crossings", x)
    try:
        before = batches()
        numpy.asarray(x)
        assert batches() - before <= 1
    finally:
        np.unpublish("test_large_crossings")
