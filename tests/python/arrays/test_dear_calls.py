# SPDX-License-Identifier: BSD-3-Clause
"""Dear calls on arrays that are here: the engines' answer is NumPy's in value, dtype, shape, class and memory, and NumPy answers
where engines cannot, or should not."""

import numpy
import pytest

import gamelan
from gamelan import _core
from gamelan._small import _dear_calls

SIZES = (66_000, 100_003, 500_000)
DTYPES = ("f8", "f4", "i8", "i4", "i2", "u8", "u1", "?")


@pytest.fixture
def asked(ordinary):
    """Engines that every dear call asks; arrays of half a million elements are here."""
    gamelan.sync()
    with gamelan.options(distribute_from=1 << 20, dear_calls="always"):
        yield ordinary


def batches_of(call):
    """The result of a call, and how many batches were sent for it."""
    before = _core.stats()["sent_batches"]
    result = call()
    return result, _core.stats()["sent_batches"] - before


def assert_same(got, want, where):
    if isinstance(want, tuple):
        assert len(got) == len(want), where
        for one, other in zip(got, want):
            assert_same(one, other, where)
        return
    assert type(got) is gamelan.ndarray and isinstance(got, numpy.ndarray), where
    assert (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides), where
    assert got.flags.owndata or not want.flags.owndata, where
    assert got.flags.writeable, where
    assert numpy.asarray(got).tobytes() == want.tobytes(), where  # 0.0 is not -0.0


def data(dtype, size):
    random = numpy.random.default_rng(size)
    values = random.standard_normal(size) * 50
    return (abs(values) if dtype[0] in "u?" else values).astype(dtype)


def calls(a, b):
    """Name and arguments of each dear call on an array with one axis and some sorted elements."""
    yield from (("sort", (a,), {}), ("sort", (a,), {"kind": "stable"}), ("argsort", (a,), {"kind": "stable"}))
    yield "unique", (a,), {}
    yield from (("searchsorted", (b, a), {"side": side}) for side in ("left", "right"))
    yield from (("searchsorted", (b, a, "right"), {}), ("sort", (a, -1), {}))
    yield from (("isin", (a, b[::2]), {}), ("isin", (a, b[::2]), {"invert": True}))
    if a.dtype != bool:
        yield from (("digitize", (a, b), {}), ("digitize", (a, b[::-1]), {"right": True}))


def compare(a, b, asks=True):
    for name, arguments, keywords in calls(a, b):
        ours = tuple(gamelan.asarray(each) if isinstance(each, numpy.ndarray) else each for each in arguments)
        where = name, a.dtype, a.shape, a.strides, keywords
        got, batches = batches_of(lambda: getattr(gamelan, name)(*ours, **keywords))
        assert_same(got, getattr(numpy, name)(*arguments, **keywords), where)
        assert not asks or batches, where


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_engines_give_what_numpy_gives(asked, dtype, size):
    a = data(dtype, size)
    compare(a, numpy.unique(a)[::3])


@pytest.mark.parametrize("part", [slice(None, None, 2), slice(None, None, -1), slice(150_000, 20_000, -3)])
def test_parts_of_arrays(asked, part):
    a = data("f8", 200_000)
    compare(a[part], numpy.unique(a)[::100])


def test_nan_infinity_and_zeros(asked):
    a = data("f8", 80_000)
    a[::7], a[::11], a[::13], a[::17] = numpy.nan, numpy.inf, -numpy.inf, 0.0
    compare(a, numpy.unique(a)[::5])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("mixed", [0.0, numpy.nan])
def test_equals_that_differ_in_their_sign_are_ordered_by_numpy(asked, dtype, mixed):
    a = data(dtype, 80_000)
    a[::7], a[::11] = mixed, -mixed
    compare(a, numpy.unique(a)[::5], asks=False)


def test_ordered_and_equal_elements(asked):
    for a in (numpy.arange(70_000.0), numpy.arange(70_000)[::-1].copy(), numpy.full(70_000, 2.5)):
        compare(a, numpy.unique(a)[:50])


def test_several_axes(asked):
    a = data("f8", 90_000).reshape(300, 300)
    for keywords in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1}, {"axis": None}):
        for each in (a, a.T, a[::-1], a[:, ::-2], numpy.asfortranarray(a)):
            got = gamelan.sort(gamelan.asarray(each), **keywords)
            assert_same(got, numpy.sort(each, **keywords), (keywords, each.strides))
    for each in (a, a.T):
        edges = numpy.linspace(-60, 60, 300)
        got = gamelan.searchsorted(gamelan.asarray(edges), gamelan.asarray(each))
        assert_same(got, numpy.searchsorted(edges, each), each.strides)


def test_operands_without_elements_or_axes(asked):
    a, few = data("f8", 70_000), gamelan.zeros(0)
    ours = gamelan.asarray(a)
    assert_same(gamelan.searchsorted(few, ours), numpy.searchsorted(numpy.zeros(0), a), "no row")
    assert_same(gamelan.isin(ours, few), numpy.isin(a, []), "no elements")
    assert_same(gamelan.digitize(ours, few), numpy.digitize(a, []), "no bins")
    sorted_ours = gamelan.sort(ours)
    got = gamelan.searchsorted(sorted_ours, 0.5)
    assert got == numpy.searchsorted(numpy.sort(a), 0.5) and type(got) is numpy.intp
    assert gamelan.searchsorted(sorted_ours, gamelan.array(0.5)) == got


@pytest.mark.parametrize("call", [
    lambda np, a: np.sort(a, axis=3),
    lambda np, a: np.sort(a, kind="nonsense"),
    lambda np, a: np.sort(a, order="x"),
    lambda np, a: np.searchsorted(a, a, side="middle"),
    lambda np, a: np.searchsorted(a.reshape(2, -1), a),
    lambda np, a: np.digitize(a, np.asarray([1.0, 3.0, 2.0])),
    lambda np, a: np.digitize(a, a.reshape(2, -1)),
    lambda np, a: np.argsort(a, axis=2, kind="stable"),
])  # fmt: skip
def test_mistakes_are_numpys(asked, call):
    a = data("f8", 70_000)
    with pytest.raises(Exception) as want:
        call(numpy, a)
    with pytest.raises(type(want.value)) as got:
        call(gamelan, gamelan.asarray(a))
    assert type(got.value) is type(want.value)


def test_what_stays_numpys(asked):
    a = gamelan.asarray(data("f8", 70_000))
    for call in (
        lambda: gamelan.argsort(a),  # equal elements come in NumPy's order
        lambda: gamelan.sort(a.astype("f2")),
        lambda: gamelan.sort(a.astype(complex)),
        lambda: gamelan.sort(a.astype(">f8")),
        lambda: gamelan.sort(a[: _dear_calls.LEAST - 1]),
        lambda: gamelan.searchsorted(a, a, sorter=gamelan.argsort(a)),
        lambda: gamelan.unique(a.reshape(2, -1), axis=0),
        lambda: gamelan.unique(a, return_counts=True),
    ):
        assert batches_of(call)[1] == 0
    with gamelan.options(dear_calls="never"):
        assert batches_of(lambda: gamelan.sort(a))[1] == 0


def test_nobody_waits_for_engines_that_have_something_to_do(asked):
    a, large = gamelan.asarray(data("f8", 70_000)), gamelan.zeros(1 << 20)
    gamelan.sync()
    large += 1
    assert batches_of(lambda: gamelan.sort(a))[1] == 0
    gamelan.sync()
    assert batches_of(lambda: gamelan.sort(a))[1] == 1


def test_numpy_answers_where_engines_fail(asked, monkeypatch):
    a = gamelan.asarray(data("f8", 70_000))
    for error in (MemoryError("full"), gamelan.EngineLostError("gone"), ValueError("other")):

        def fail(array, error=error):
            raise error

        monkeypatch.setattr(_core, "upload", fail)
        assert_same(gamelan.sort(a), numpy.sort(numpy.asarray(a)), error)


def test_an_interrupt_reaches_the_program(asked, monkeypatch):
    a = gamelan.asarray(data("f8", 70_000))

    def interrupt(arrays):
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "fetch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        gamelan.sort(a)
    monkeypatch.undo()
    assert_same(gamelan.sort(a), numpy.sort(numpy.asarray(a)), "afterwards")


def test_who_is_faster_is_asked():
    times = _dear_calls._Times()
    assert not times.asks_engines()
    times.note(8e-3, False)
    asked = []
    for _ in range(1000):
        asked.append(times.asks_engines())
        times.note(2e-3 if asked[-1] else 8e-3, asked[-1])
    assert asked[0] and asked.count(False) in range(3, 12)  # who is slower is seldom tried
    for _ in range(3000):
        asked.append(times.asks_engines())
        times.note(9e-3 if asked[-1] else 8e-3, asked[-1])
    assert asked[-1000:].count(True) < 50
    cheap = _dear_calls._Times()
    for _ in range(10):
        assert not cheap.asks_engines()
        cheap.note(1e-5, False)
