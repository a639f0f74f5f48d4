# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic on a few numbers of float64 has NumPy's bits (but for those of a NaN), dtypes, shapes, warnings and errors, also in place."""

import operator
import pickle
import warnings

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamelan

pytestmark = pytest.mark.only_on(1)  # no engine has a part in it

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]
ELEMENTS = st.floats(width=64) | st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1.7e308, numpy.inf, numpy.nan])
SHAPES = st.sampled_from([(), (0,), (1,), (3,), (2, 3), (3, 2), (1, 3), (2, 0), (2, 1, 3)])
NUMBERS = st.one_of(
    ELEMENTS, st.integers(-(2**70), 2**70), st.booleans(), ELEMENTS.map(numpy.float64), st.just(numpy.float32(0.1)), st.just(1j)
)


@st.composite
def arrays(draw):
    shape = draw(SHAPES)
    count = int(numpy.prod(shape))
    array = numpy.array(draw(st.lists(ELEMENTS, min_size=count, max_size=count)), float).reshape(shape)
    if draw(st.integers(0, 3)) == 0:
        with numpy.errstate(all="ignore"):
            array = array.astype(draw(st.sampled_from(["f4", "i4", ">f8", "c16"])))
    return array


def outcome(action):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = action()
        except Exception as error:
            return type(error), str(error), None
    return sorted(str(each.message) for each in told), None, result


@settings(deadline=None, max_examples=300)
@given(arrays(), arrays() | NUMBERS, st.sampled_from(range(4)), st.booleans(), st.booleans())
def test_operators(left, right, which, is_in_place, is_reflected):
    function = (IN_PLACE if is_in_place else OPERATORS)[which]
    if is_reflected and not is_in_place:
        left, right = right, left
    ours = [gamelan.array(each) if isinstance(each, numpy.ndarray) else each for each in (left, right)]
    theirs = [each.copy() if isinstance(each, numpy.ndarray) else each for each in (left, right)]
    expected, result = outcome(lambda: function(*theirs)), outcome(lambda: function(*ours))
    assert result[:2] == expected[:2]
    if not isinstance(expected[2], (numpy.ndarray, numpy.generic)):
        assert type(result[2]) is type(expected[2])  # a number of Python's, where one was too large
    else:
        assert (result[2].dtype, result[2].shape) == (expected[2].dtype, expected[2].shape)
        assert not isinstance(expected[2], numpy.ndarray) or type(result[2]) is gamelan.ndarray
        if expected[2].dtype == object:  # beside an integer that no machine has
            assert list(map(str, result[2].flat)) == list(map(str, expected[2].flat))
        else:
            numpy.testing.assert_array_equal(result[2], expected[2])
        if expected[2].dtype.kind == "f":
            numbers = ~numpy.isnan(expected[2])
            numpy.testing.assert_array_equal(numpy.signbit(result[2])[numbers], numpy.signbit(expected[2])[numbers])
    for mine, given_array in zip(ours, theirs):
        numpy.testing.assert_array_equal(mine, given_array)


@pytest.mark.parametrize("size", [1, 7, 1023, 1024, 1025, 5000])
def test_sizes(size):
    random = numpy.random.default_rng(size)
    theirs = [random.standard_normal(size), random.standard_normal(size)]
    x, y = map(gamelan.array, theirs)
    for function in OPERATORS:
        for mine, other in (((x, y), theirs), ((x, 0.1), (theirs[0], 0.1)), ((3, y), (3, theirs[1]))):
            numpy.testing.assert_array_equal(numpy.asarray(function(*mine)).view("u8"), function(*other).view("u8"))


def test_parts_that_overlap():
    for size in (10, 1000):
        theirs = numpy.random.default_rng(0).random(size)
        ours = gamelan.array(theirs)
        for array in (theirs, ours):
            array[1:] += array[:-1]
            array[:-2] -= array[2:]
            array[::2] *= array[1::2]
            array[3:] /= array[3:]
        numpy.testing.assert_array_equal(ours, theirs)


def test_outputs():
    for size in (9, 900):
        theirs = numpy.random.default_rng(1).random(size)
        ours = gamelan.array(theirs)
        for np, x in ((numpy, theirs), (gamelan, ours)):
            np.add(x[:-1], x[1:], out=x[1:])
            np.subtract(3, x, out=x)
            np.multiply(x[::2], 2.5, out=x[: (size + 1) // 2])
            np.divide(x[1:], x[:-1], x[:-1])
        numpy.testing.assert_array_equal(ours, theirs)
    x, row = gamelan.ones(3), gamelan.zeros((2, 3))
    assert gamelan.add(x, 1.0, out=row) is row and row.tolist() == [[2, 2, 2]] * 2
    for wrong in (gamelan.zeros(2), gamelan.zeros(3, "i4"), gamelan.zeros((3, 1))):
        with pytest.raises((ValueError, TypeError)):
            gamelan.add(x, 1.0, out=wrong)


def test_errors_are_told_as_numpy_is_asked_to():
    x = gamelan.array([1.0, 0.0, 1e308])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert (x / 0.0)[0] == numpy.inf
    with numpy.errstate(over="raise"), pytest.raises(FloatingPointError):
        x * 10
    with numpy.errstate(over="raise"), pytest.raises(FloatingPointError):
        x.copy().__imul__(10)
    with numpy.errstate(under="raise"), pytest.raises(FloatingPointError):
        gamelan.array([1e-308]) * 1e-10
    with numpy.errstate(all="raise"):
        assert (x + 1).tolist() == [2.0, 1.0, 1e308]
    frozen = gamelan.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen += 1.0


def test_what_numpy_treats_otherwise_is_numpys():
    class Number(float):
        def __radd__(self, other):
            return "mine"

    marked = gamelan.ones(3).astype(numpy.dtype("f8", metadata={"unit": "m"}))
    assert (gamelan.ones(3) + Number(1.0) == gamelan.full(3, 2.0)).all()
    assert (marked + 1).tolist() == [2, 2, 2] and (pickle.loads(pickle.dumps(marked)) * 2.0).tolist() == [2, 2, 2]
    assert (gamelan.ones(3) + True).dtype == float and (gamelan.ones(3) + 2**60).tolist() == [1 + 2.0**60] * 3
    with gamelan.options(distribute_from=10**6):
        assert gamelan.add(numpy.ones(3), 1.0).tolist() == [2, 2, 2]


def test_the_size_decides_where_it_is_computed(engine):
    with gamelan.options(distribute_from=10):
        small, column = gamelan.ones(9), gamelan.ones((9, 1))
        assert (small + 1)._b is None and (small + column)._b is not None
