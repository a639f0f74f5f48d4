# SPDX-License-Identifier: BSD-3-Clause
"""Order by several keys and order in part: lexsort, partition, sort_complex, and arrays sorted in place."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, cube
from oracle import check, check_all

LAYOUTS = [lambda a: a, lambda a: a[::-1, ::2], lambda a: a.T, lambda a: a[:, 1], lambda a: a[:0]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_partition_puts_the_kth_in_its_place(engine, dtype):
    data = numpy.random.RandomState(1).randint(-50, 50, (5, 6, 7)).astype(dtype)
    for layout, axis, kth in itertools.product(LAYOUTS[:4], (0, -1, None), (0, -1, 2, (1, 3))):
        ours = layout(gamelan.array(data))
        parted, places = gamelan.partition(ours, kth, axis), gamelan.argpartition(ours, kth, axis)
        check(lambda np: np.take(np.sort(layout(np.array(data)), axis), kth, axis or 0), f"{dtype} {axis} {kth}")
        expected = numpy.take(numpy.sort(layout(data), axis), kth, axis or 0)
        for got in (
            parted,
            numpy.take_along_axis(layout(data).ravel() if axis is None else layout(data), numpy.asarray(places), axis or 0),
        ):
            assert numpy.array_equal(numpy.take(numpy.asarray(got), kth, axis or 0), expected), (dtype, axis, kth)
        for place in numpy.atleast_1d(kth):
            rows = numpy.moveaxis(numpy.asarray(parted), axis or 0, 0)
            assert (rows[:place] <= rows[place]).all() and (rows[place:] >= rows[place]).all()
            assert numpy.array_equal(
                numpy.sort(rows, 0),
                numpy.sort(numpy.moveaxis(layout(data).ravel() if axis is None else layout(data), axis or 0, 0), 0),
            )


def _lines(dtype, length):
    """Lines of every kind that a selection meets: drawn, few values, equal, rising, falling, a ridge, NaN."""
    random = numpy.random.RandomState(length)
    rising = numpy.arange(length) - length // 2
    lines = [
        random.randint(-(10**6), 10**6, length), random.randint(-3, 3, length), numpy.full(length, 7), rising, -rising, -abs(rising),
        rising % 5, numpy.where(rising % 7 == 0, 0, rising), random.randint(-100, 100, length), random.randint(0, 2, length) * 9,
    ]  # fmt: skip
    data = numpy.array(lines).astype(dtype)
    if data.dtype.kind in "fc":
        data[0, ::7] = numpy.nan
        data[1] = numpy.nan
        data[3] = data[3] / 3
    return data


def _check_places(parted, expected, places):
    """What sorting puts there is at each place, nothing before it is greater, and nothing behind it is less."""
    has_nan = expected.dtype.kind in "fc"
    for place in places:
        before, behind = numpy.sort(parted[:, :place], -1), numpy.sort(parted[:, place:], -1)
        assert numpy.array_equal(numpy.concatenate([before, behind], -1), expected, equal_nan=has_nan), (places, place)
        assert numpy.array_equal(parted[:, place], expected[:, place], equal_nan=has_nan)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [64, 700, 20_011])
def test_long_lines_are_parted_at_all_places(engine, dtype, length):
    data = _lines(dtype, length)
    expected = numpy.sort(data, -1)
    for places in ((0,), (length - 1,), (length // 2,), (3, -4), (length // 4, length // 2, 1, length - 1, length // 2 + 1)):
        for turned in (False, True):
            ours = gamelan.array(data.T.copy() if turned else data)
            parted = numpy.asarray(gamelan.partition(ours, places, 0 if turned else -1))
            assert parted.flags.c_contiguous
            parted = parted.T if turned else parted
            indices = numpy.asarray(gamelan.argpartition(ours, places, 0 if turned else -1))
            assert indices.flags.c_contiguous
            indices = indices.T if turned else indices
            assert numpy.array_equal(numpy.sort(indices, -1), numpy.broadcast_to(numpy.arange(length), data.shape))
            for lines in (parted, numpy.take_along_axis(data, indices, -1)):
                assert numpy.array_equal(numpy.sort(lines, -1), expected, equal_nan=data.dtype.kind in "fc")
                _check_places(lines, expected, places)


@pytest.mark.parametrize("expression", [
    "np.partition(a, 99)", "np.partition(a, -99)", "np.partition(a, 1, 5)", "np.partition(a, 1.5)", "np.partition(a, 1, kind='quick')",
    "np.argpartition(a, [0, 12])", "np.partition(a, [[1]])", "np.partition(a, 0, order='x')", "np.argpartition(a, 99, 0)",
    "np.partition(a.reshape(3, 4)[:0], 7, 0)", "np.argpartition(a[:0], 0)", "np.partition(a.reshape(3, 4)[:, :0], -2)", "np.argpartition(np.array(3), 0)", "np.partition(np.array(3), 0)",
    "np.sort(a, kind='stable')", "np.sort(a, kind='HEAP')", "np.sort(a, kind=3)", "np.sort(a, kind='x')", "np.sort(a, order='x')",
    "np.argsort(a, None, 'mergesort')", "np.msort(a.reshape(3, 4))", "np.sort_complex(a)", "np.sort_complex(a.astype('i1'))",
    "np.sort_complex(a.astype('f4'))", "np.sort_complex(a * 1j - 2)", "np.sort_complex(a.reshape(3, 4)[:, ::-1])",
    "np.lexsort((a, a % 3))", "np.lexsort((a % 3, a % 2, a % 4))", "np.lexsort(a.reshape(3, 4))", "np.lexsort(a)", "np.lexsort(())",
    "np.lexsort((a, a[:3]))", "np.lexsort((a.reshape(3, 4) % 5, a.reshape(3, 4) % 2), axis=0)", "np.lexsort(a.reshape(2, 2, 3) % 5, 1)",
    "np.lexsort(a[:0].reshape(2, 0))", "np.lexsort((a, a), 2)", "np.lexsort([[2, 1, 3], a[:3]])", "np.lexsort(np.array(3))",
    "np.lexsort(((a * 1.5) % 2, np.array([np.nan, 1] * 6)))",
])  # fmt: skip
def test_like_numpy(engine, expression):
    check(lambda np: eval(expression, {"np": np, "a": np.arange(12)[::-1] * 7 % 12}), expression)


def test_in_place(engine):
    def program(np, method, *arguments):
        a = np.array(cube("f4"))
        getattr(a[::-1, ::2], method)(*arguments)
        return a

    check_all([
        ("sort", lambda np: program(np, "sort")), ("sort, first axis", lambda np: program(np, "sort", 0)),
        ("no axis", lambda np: program(np, "sort", None)), ("kind", lambda np: program(np, "sort", 0, "x")),
        ("partition", lambda np: np.sort(program(np, "partition", 2), 2)), ("out of bounds", lambda np: program(np, "partition", 77)),
        ("read-only", lambda np: np.broadcast_to(np.arange(3), (2, 3)).sort()),
        ("read-only", lambda np: np.broadcast_to(np.arange(3), (2, 3)).partition(1)),
    ])  # fmt: skip


def test_few_long_lines(engine):
    """Fewer lines than engines, and long ones: each is sorted by all."""
    data = numpy.random.RandomState(2).standard_normal((2, 9000))
    check(lambda np: np.sort(np.array(data)), exact=True)
    check(lambda np: np.argsort(np.array(data).T, 0, "stable"), exact=True)


def test_memory_of_a_sort(engine, ranks):
    """A sorted copy takes no more than the operand, the copy and as much again."""
    if not ranks:
        pytest.skip("the model has no heap")
    size = 3_000_000
    data = gamelan.random.random(size)
    gamelan.sync()
    gamelan.stats(reset=True)
    before = gamelan.stats()["heap_bytes"]
    result = gamelan.sort(data)
    gamelan.sync()
    peak = gamelan.stats()["heap_peak"]
    assert bool((result[1:] >= result[:-1]).all())
    assert peak <= before + 2.2 * size * 8, (before, peak)
