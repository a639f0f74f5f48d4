# SPDX-License-Identifier: BSD-3-Clause
"""Views of small arrays by keys of slices, numbers, `...` and None: shape, strides, place, flags, owner and errors are NumPy's."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamelan

pytestmark = pytest.mark.only_on(1)  # no engine has a part in it

ENDS = st.none() | st.integers(-9, 9) | st.sampled_from([-(2**70), 2**70, 2**31])
STEPS = st.none() | st.integers(-4, 4) | st.just(2**70)
ITEMS = st.one_of(
    st.builds(slice, ENDS, ENDS, STEPS),
    st.integers(-7, 7),
    st.none(),
    st.just(...),
    st.sampled_from([True, numpy.int64(1), numpy.int8(-1), 2**70, "a", 1.0, slice("a", 2), slice(numpy.int64(1), None)]),
)
KEYS = ITEMS | st.lists(ITEMS, max_size=5).map(tuple)
SHAPES = st.lists(st.integers(0, 6), max_size=4).map(tuple)
KINDS = st.sampled_from(["f8", "i2", "?", "c8", "U3", "M8[s]", ">f4", "i4,f8"])


@st.composite
def pairs(draw):
    """NumPy's array and ours, of the same elements and in the same order in memory."""
    shape, kind = draw(SHAPES), draw(KINDS)
    theirs = numpy.arange(numpy.prod(shape, dtype=int)).astype("i4").reshape(shape).astype(kind)
    ours = gamelan.array(theirs)
    if draw(st.booleans()):
        theirs, ours = theirs.T, ours.T
    if draw(st.booleans()) and theirs.ndim:
        theirs, ours = theirs[::-1], ours[::-1]
    if draw(st.integers(0, 5)) == 0:
        theirs.flags.writeable = ours.flags.writeable = False
    return theirs, ours


def outcome(action):
    try:
        return action(), None
    except Exception as error:
        return None, (type(error), str(error))


def place_of(view, array):
    return view.__array_interface__["data"][0] - array.__array_interface__["data"][0]


@settings(deadline=None, max_examples=600)
@given(pairs(), KEYS)
def test_a_view_is_numpys(pair, key):
    theirs, ours = pair
    expected, error = outcome(lambda: theirs[key])
    result, our_error = outcome(lambda: ours[key])
    assert error == our_error
    if error is not None:
        return
    assert type(result) is (gamelan.ndarray if isinstance(expected, numpy.ndarray) else type(expected))
    numpy.testing.assert_array_equal(result, expected)
    if not isinstance(expected, numpy.ndarray):
        return
    assert (result.shape, result.dtype, str(result.flags)) == (expected.shape, expected.dtype, str(expected.flags))
    if numpy.shares_memory(expected, theirs):
        assert place_of(result, ours) == place_of(expected, theirs) and result.strides == expected.strides
        assert result.base is (ours if ours.base is None else ours.base)


VALUES = st.sampled_from([7, 2.5, True, numpy.float32(3), [1, 2], (), None, "a", 1j, numpy.arange(3), "self", "part", "row"])


@settings(deadline=None, max_examples=600)
@given(pairs(), KEYS, VALUES)
def test_an_assignment_is_numpys(pair, key, value):
    theirs, ours = pair

    def write(array):
        own = array
        if value == "self" if isinstance(value, str) else False:
            own = array[::-1] if array.ndim else array
        elif isinstance(value, str) and value == "part":
            own = array[key]
        elif isinstance(value, str) and value == "row":
            own = array[:1] if array.ndim else array
        else:
            own = value
        array[key] = own

    with numpy.errstate(all="ignore"):
        _, error = outcome(lambda: write(theirs))
        _, our_error = outcome(lambda: write(ours))
    assert error == our_error
    numpy.testing.assert_array_equal(ours, theirs)


@settings(deadline=None, max_examples=200)
@given(pairs(), KEYS)
def test_in_place_operators_on_parts(pair, key):
    theirs, ours = pair

    def add(array):
        array[key] += array[key]

    _, error = outcome(lambda: add(theirs))
    _, our_error = outcome(lambda: add(ours))
    assert (error is None) == (our_error is None)
    numpy.testing.assert_array_equal(ours, theirs)


def test_derived_classes_are_asked():
    seen = []

    class Named(gamelan.ndarray):
        def __array_finalize__(self, other):
            seen.append(type(other))

    named = gamelan.arange(12.0).reshape(3, 4).view(Named)
    seen.clear()
    part = named[1:, None, ..., 2]
    assert type(part) is Named and Named in seen


def test_views_of_views_have_one_owner():
    root = gamelan.arange(1000.0)
    view = root
    for _ in range(50):
        view = view[1:]
        view = view[numpy.newaxis, 1:-1][0]
    assert view.base is root and numpy.asarray(view).base is not None
    numbers = numpy.arange(10.0)
    assert gamelan.asarray(numbers)[2:][1:].base is numbers
