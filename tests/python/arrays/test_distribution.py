# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that lie as chosen: values as ever, blocks where they were asked for, and what is computed from them."""

import itertools

import gamelan as np
import numpy
import pytest
from gamelan import _core
from gamelan._imported_numpy import AxisError

import oracle

D = np.distribution


@pytest.fixture
def real(engine, ranks):
    if ranks == 0:
        pytest.skip("the model has no layouts")
    return ranks


def choices(ranks, shape):
    """Every kind of choice that fits the shape on so many ranks."""
    rows = shape[0]
    yield D.replicated()
    yield D.block(1)
    yield D.block(ranks)
    if len(shape) > 1:
        yield D.block((1, ranks))
        yield D.block((1, -1))
    yield D.irregular(sorted([rows // 3] * (ranks - 1)))  # equal cuts: empty blocks
    yield D.irregular([min(1 + k, rows) for k in range(ranks - 1)])
    yield D.block(1, ranks=(ranks - 1, 1))
    if ranks > 2:
        yield D.block(2, ranks=(1, 2))
    for length in (1, 2):
        if rows % (length * ranks) == 0:
            yield D.cyclic(0, length)


SHAPES = [(24, 7), (25,), (12, 5, 4)]


def cases(ranks):
    return [(shape, choice) for shape in SHAPES for choice in choices(ranks, shape)]


def pair(shape, choice):
    data = numpy.random.default_rng(3).standard_normal(shape)
    return data, np.redistribute(np.array(data), choice)


def test_a_choice_is_what_the_array_says(real):
    for shape, choice in cases(real):
        _, x = pair(shape, choice)
        told = x.distribution
        assert (
            told.integers(shape, real) == choice.integers(shape, real) or choice.ranks is None and choice.kind != "replicated"
        ), (choice, told)
        same = np.redistribute(x, told)
        assert same.distribution == told, (choice, told)


def test_values_stay_and_operations_agree_with_numpy(real):
    for shape, choice in cases(real):
        data, x = pair(shape, choice)
        other = np.array(data[::-1].copy())
        for what, program in {
            "itself": lambda a, b: a, "element-wise": lambda a, b: a * 2 + b, "view": lambda a, b: a[1:-1] - b[2:],
            "backwards": lambda a, b: a[::-1] + 1, "transposed": lambda a, b: a.T.copy(), "sum": lambda a, b: a.sum(),
            "sums": lambda a, b: a.sum(axis=0), "rows": lambda a, b: a.sum(axis=-1), "largest": lambda a, b: a.max(axis=0),
            "flat": lambda a, b: a.reshape(-1)[3:-2] * 2, "sorted": lambda a, b: np.sort(a, axis=0) if isinstance(a, np.ndarray) else numpy.sort(a, axis=0),
            "cumulated": lambda a, b: a.cumsum(), "taken": lambda a, b: a.take([3, 1, 1, 0], axis=0), "found": lambda a, b: (a > 0).nonzero()[0],
        }.items():  # fmt: skip
            actual = numpy.asarray(program(x, other))
            oracle.assert_same(actual, numpy.asarray(program(data, data[::-1])), f"{what} of {shape} in {choice}")


def test_writes_go_where_the_array_lies(real):
    for shape, choice in cases(real):
        data, x = pair(shape, choice)
        before = x.distribution
        for a in (data, x):
            a += 1
            a[2:5] = a[1:4] * 3
            a[0] = 7
            a[a < 0] = 0
            a[a > 1] = a[a > 1][::-1]
            a.put([1, 20, 5], [3, 4, 5])
        index = numpy.array([1, 5, 1])
        data[index] = data[:3].copy()
        x[index] = x[:3]
        oracle.assert_same(numpy.asarray(x), data, f"writes to {shape} in {choice}")
        assert x.distribution == before


def test_results_lie_with_their_operands(real):
    for choice in (D.block(1, ranks=(real - 1, 1)), D.irregular(list(range(1, real))), D.block((1, real))):
        x = np.redistribute(np.ones((8, 6)), choice)
        y = x * 2 + 1
        assert y.distribution == x.distribution, choice


def test_blocks_are_where_they_were_asked_for(real):
    cuts = list(range(1, real))
    x = np.arange(40.0, distribution=D.irregular(cuts))
    edges = [0, *cuts, 40]
    for rank in range(real):
        low, high = edges[rank], edges[rank + 1] if rank + 1 < len(edges) else 40
        assert x.local_box(rank) == (slice(low, high),)
        assert x.local_part(rank).tolist() == list(range(low, high)) and isinstance(x.local_part(rank), numpy.ndarray)
    x[x.local_box(0)] = -1
    assert float(x[0]) == -1 and float(x[edges[1]]) == edges[1] if real > 1 else True
    alone = np.zeros((6, 4), distribution=D.block(1, ranks=(real - 1, 1)))
    assert alone.local_part(real - 1).shape == (6, 4)
    if real > 1:
        assert alone.local_part(0).shape == (0, 0) or alone.local_part(0).size == 0


def test_the_keyword_of_what_makes_arrays(real):
    choice = D.block((1, -1))
    for made, expected in [(np.zeros((4, 6), distribution=choice), numpy.zeros((4, 6))), (np.full((4, 6), 3, distribution=choice), numpy.full((4, 6), 3)),
                           (np.eye(6, distribution=choice), numpy.eye(6)), (np.array([[1, 2, 3], [4, 5, 6]], distribution=choice), numpy.array([[1, 2, 3], [4, 5, 6]])),
                           (np.zeros_like(np.ones((4, 6)), distribution=choice), numpy.zeros((4, 6)))]:  # fmt: skip
        oracle.assert_same(numpy.asarray(made), expected)
        assert made.distribution == D.block((1, real))


def test_small_and_empty_arrays_and_what_is_here(real):
    oracle.assert_same(numpy.asarray(np.redistribute(np.zeros((0, 3)), D.block(1))), numpy.zeros((0, 3)))
    with np.options(distribute_from=1000):
        here = np.ones(10)
        assert here.distribution is None
        with pytest.raises(ValueError, match="is here"):
            here.local_part(0)
        there = np.redistribute(here, D.block(1))
        assert _core.ranks() == real and there.distribution == D.block((1,), ranks=None if real == 1 else (0, 1))


WRONG = [
    (lambda n: D.block(n + 1), ValueError), (lambda n: D.block((1, 1, 1)), ValueError), (lambda n: D.block(0), ValueError),
    (lambda n: D.block((-1, -1)), ValueError), (lambda n: D.block(1.5), TypeError), (lambda n: D.block(1, ranks=(n, 1)), ValueError),
    (lambda n: D.block(1, ranks=(0, 0)), ValueError), (lambda n: D.irregular([5, 3]), ValueError), (lambda n: D.irregular([99] * (n - 1) or [99]), ValueError),
    (lambda n: D.cyclic(0, 7), ValueError), (lambda n: D.cyclic(2), AxisError), (lambda n: D.cyclic(0, 0), ValueError),
    (lambda n: "block", TypeError),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_does_not_fit_is_refused_at_its_line(real, number):
    make, error = WRONG[number]
    x = np.ones((10, 4))
    before = np.stats()["commands"]
    with pytest.raises(error):
        np.redistribute(x, make(real))
    assert np.stats()["commands"] == before, "nothing was recorded"


def test_two_choices_meet(real):
    options = list(choices(real, (24, 7)))
    data = numpy.arange(168.0).reshape(24, 7)
    for first, second in itertools.product(options, options):
        x, y = np.redistribute(np.array(data), first), np.redistribute(np.array(data) + 1, second)
        oracle.assert_same(numpy.asarray(x * y), data * (data + 1), f"{first} and {second}")
        x[1:] = y[:-1]
        oracle.assert_same(numpy.asarray(x[1:]), data[:-1] + 1, f"{second} into {first}")


def test_bits_do_not_depend_on_where_an_array_lies(real):
    data = numpy.random.default_rng(0).standard_normal((64, 33)) * 10.0 ** numpy.arange(33)
    expected = float(np.array(data).sum()), numpy.asarray(np.array(data).sum(axis=0))
    for choice in choices(real, data.shape):
        if choice.kind == "cyclic":
            continue  # another shape of the fold
        x = np.redistribute(np.array(data), choice)
        assert float(x.sum()) == expected[0] and (numpy.asarray(x.sum(axis=0)) == expected[1]).all(), choice
