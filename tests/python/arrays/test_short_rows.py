# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic that broadcasts along short rows, and folds of short rows, on arrays that are here: loops of our own give NumPy's
values, dtypes, shapes, bits, warnings and errors."""

import functools
import warnings

import gamelan
import numpy
import pytest
from gamelan import _core
from hypothesis import example, given, settings
from hypothesis import strategies as st

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 128, 129, 200]
FOLDS = ["sum", "mean", "max", "min", "argmax", "argmin", "std", "prod"]


@pytest.fixture(autouse=True)
def here():
    with gamelan.options(distribute_from=1 << 30, dear_calls="never"):
        yield


def outcome(np, program, arrays):
    """The result as bytes, or the error; and the warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = program(np, *(np.asarray(each.copy(order="K")) for each in arrays))
        except Exception as error:
            return type(error), str(error)
    plain = numpy.asarray(result)
    if plain.dtype.kind == "f":
        plain = numpy.copy(plain, order="K")
        plain[numpy.isnan(plain)] = numpy.nan  # the sign of a NaN depends on where NumPy's arrays lie
    return type(result) in (gamelan.ndarray, numpy.ndarray), plain.dtype, plain.shape, plain.strides, plain.tobytes(), [
        (each.category, str(each.message)) for each in heard
    ]  # fmt: skip


def check(program, *arrays):
    assert outcome(gamelan, program, arrays) == outcome(numpy, program, arrays)


def numbers(*shape, dtype="f8", seed=0):
    return (numpy.random.default_rng(seed).normal(size=shape) * 50).astype(dtype)


def rows(length, elements=6000, **keywords):
    return numbers(max(1, elements // length), length, **keywords)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16", ">f8", "?"])
@pytest.mark.parametrize("length", LENGTHS)
def test_folds(length, dtype):
    a = rows(length, dtype=dtype)
    for name in FOLDS:
        for axis in (-1, 0, 1, None):
            check(lambda np, a, name=name, axis=axis: getattr(a, name)(axis), a)
            check(lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis=axis, keepdims=True), a)
        check(lambda np, a, name=name: getattr(a, name)(axis=1, keepdims=True), a)
    check(lambda np, a: np.amax(a, 1), a)
    check(lambda np, a: a.sum(1, dtype="f4"), a)
    check(lambda np, a: a.sum(1, "f8", None), a)
    check(lambda np, a: a.sum(axis=(0, 1)), a)
    check(lambda np, a: a.sum(2), a)
    check(lambda np, a: a.sum(-3), a)
    check(lambda np, a: a.max(1, initial=10) if a.dtype.kind != "b" else a, a)
    check(lambda np, a: np.sum(a, axis=1, out=np.empty(len(a), a.dtype if a.dtype != bool else int)), a)


@pytest.mark.parametrize("length", LENGTHS)
def test_folds_of_views(length):
    a = rows(length + 3)
    for program in (
        lambda a: a[:, :length],
        lambda a: a[::2, :length],
        lambda a: a[::-1, :length],
        lambda a: a[:, ::-1][:, :length],
        lambda a: a[:, 3:].T,
        lambda a: a[None, :, 1 : 1 + length],
        lambda a: a[: len(a) // 4 * 4].reshape(2, 2, -1, length + 3),
        lambda a: a[: len(a) // 4 * 4].reshape(2, 2, -1, length + 3)[:, 1:],
        lambda a: a[: len(a) // 4 * 4].reshape(2, 2, -1, length + 3).transpose(1, 0, 2, 3),
        lambda a: numpy.lib.stride_tricks.sliding_window_view(a.ravel(), length),
        lambda a: numpy.broadcast_to(a[0], (2000, length + 3)),
    ):
        for name in FOLDS:
            for axis in (-1, 0):
                view = functools.partial(outcome_of_view, program, name, axis, a)
                assert view(gamelan) == view(numpy)


def outcome_of_view(make, name, axis, a, np):
    return outcome(np, lambda np, a: getattr(np.asarray(make(numpy.asarray(a))), name)(axis), [a])


SPECIAL = [0.0, -0.0, numpy.nan, numpy.inf, -numpy.inf, 1e308, -1e308, 5e-324, 1.0]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("length", [2, 3, 8, 11, 16, 24])
def test_special_numbers(length, dtype):
    random = numpy.random.default_rng(3)
    for kinds in ([0, 1], [0, 1, 8], [1], [2, 8], [3, 4], [3, 8], [5, 6, 8], [5], [7], range(9)):
        with numpy.errstate(over="ignore"):
            a = numpy.array(SPECIAL).astype(dtype)[random.choice(list(kinds), (3000, length))]
        for name in FOLDS:
            for axis in (-1, 0):
                check(lambda np, a, name=name, axis=axis: getattr(a, name)(axis), a)
        b = a[:1]
        for operation in OPERATIONS:
            check(lambda np, a, b, operation=operation: getattr(np, operation)(a, b), a, b)


OPERATIONS = ["add", "subtract", "multiply", "divide"]


@pytest.mark.parametrize("length", LENGTHS)
def test_rows_beside_a_row_and_a_column(length):
    a, row, column = rows(length), numbers(length, seed=1), numbers(max(1, 6000 // length), 1, seed=2)
    for operation in OPERATIONS:
        for pair in ((a, row), (row, a), (a, column), (column, a), (row, column), (column, row), (a, a)):
            check(lambda np, x, y, operation=operation: getattr(np, operation)(x, y), *pair)

    def in_place(np, a, row):
        kept = a[:]
        a -= row
        a *= a[:, :1]
        a /= a[0]
        return kept

    check(in_place, a, row)
    check(lambda np, a, row: ((a - row) ** 2 + row) * a[:, :1] - row, a, row)
    check(lambda np, a, row: np.add(a, row, out=a[::-1]), a, row)
    check(lambda np, a, row: np.add(a, row, out=np.empty(a.shape, "f4"), casting="same_kind"), a, row)
    check(lambda np, a, row: np.add(a, row, where=a > 0, out=np.zeros(a.shape)), a, row)
    check(lambda np, a, row: a + row.astype("f4"), a, row)
    check(lambda np, a, row: a * row.astype(">f8"), a, row)
    check(lambda np, a, row: a - row[:-1], a, row)
    check(lambda np, a, row: a / 0.0, a, row)
    check(lambda np, a, row: a / (row * 0), a, row)


def test_points_and_centres():
    points, centres = numbers(900, 3), numbers(7, 3, seed=4)
    check(lambda np, p, c: ((p[:, None] - c) ** 2).sum(-1).argmin(-1), points, centres)
    check(lambda np, p, c: (p[:, None] - c[None]).mean(2), points, centres)
    check(lambda np, p, c: (p[None] - c[:, None]).max(2), points, centres)
    check(lambda np, p, c: p - p.mean(0), points, centres)
    check(lambda np, p, c: p / np.sqrt((p * p).sum(1, keepdims=True)), points, centres)
    assert type(gamelan.asarray(points) - gamelan.asarray(points[0])) is gamelan.ndarray


STEPS = st.sampled_from([slice(None), slice(None, None, 2), slice(None, None, -1), slice(1, None)])


@st.composite
def pairs(draw):
    """Two arrays that broadcast, or do not, with up to six axes in some order."""
    extents = draw(st.lists(st.sampled_from([1, 2, 3, 5, 16, 40]), min_size=1, max_size=6))
    while numpy.prod(extents) > 40_000:
        extents.remove(max(extents))
    while numpy.prod(extents) < 2048 and len(extents) < 6:
        extents.insert(0, 16)

    def one(seed):
        shape = [1 if draw(st.booleans()) and draw(st.booleans()) else extent for extent in extents]
        order = draw(st.permutations(range(len(shape)))) if draw(st.booleans()) else list(range(len(shape)))
        array = numbers(*[shape[axis] for axis in order], seed=seed).transpose(numpy.argsort(order))
        array = array[tuple(draw(STEPS) if draw(st.booleans()) and extent > 1 else slice(None) for extent in shape)]
        return array[draw(st.integers(0, array.ndim)) * (0,) if draw(st.integers(0, 5)) == 0 else ()]

    return one(1), one(2)


@settings(max_examples=300, deadline=None)
@given(pairs(), st.sampled_from(OPERATIONS))
@example((numbers(64, 4, 16), numbers(4, 1)), "add")
def test_arithmetic_of_any_layout(pair, operation):
    assert outcome_as_they_lie(gamelan, operation, pair) == outcome_as_they_lie(numpy, operation, pair)


def outcome_as_they_lie(np, operation, pair):
    return outcome(np, lambda np: getattr(np, operation)(*map(np.asarray, pair)), [])


@settings(max_examples=300, deadline=None)
@given(pairs(), st.sampled_from(FOLDS), st.integers(-3, 3), st.booleans())
def test_folds_of_any_layout(pair, name, axis, keepdims):
    keywords = {"keepdims": True} if keepdims else {}
    here, theirs = (
        outcome(np, lambda np: getattr(np.asarray(pair[0]), name)(axis=axis, **keywords), []) for np in (gamelan, numpy)
    )
    assert here == theirs


def test_which_folds_are_ours():
    a = numbers(2000, 3)
    assert _core.folded_here("sum", a, -1).tobytes() == a.sum(-1).tobytes()
    assert _core.folded_here("sum", a, 0).tobytes() == a.sum(0).tobytes()
    assert _core.folded_here("max", a.reshape(20, 100, 3), 2, True).shape == (20, 100, 1)
    for refused in ((a, None), (a, 2), (a[:, ::-1], -1), (a[:100], -1), (a.astype(int), -1), (a.reshape(-1, 2, 3), 0), (a, True)):
        assert _core.folded_here("sum", *refused) is None
