# SPDX-License-Identifier: BSD-3-Clause
"""What other libraries ask of an array: isinstance, buffers, C code, ufuncs of their own. Small arrays are NumPy's; large ones
answer the same questions."""

import array
import copy
import ctypes
import json
import math
import numbers
import pickle

import gamelan
import numpy
import pytest


def test_small_arrays_are_numpys():
    x = gamelan.arange(6.0)
    assert isinstance(x, numpy.ndarray) and type(x) is gamelan.ndarray and not x.is_distributed
    for made in (x + 1, x[1:], x[[1, 2]], x[x > 1], numpy.sqrt(x), numpy.float64(2) * x, x.reshape(2, 3), x.T, x.copy(), x.astype(int), +x,
                 gamelan.sqrt(x), gamelan.concatenate([x, x]), x.nonzero()[0], divmod(x, 2)[1], copy.copy(x), pickle.loads(pickle.dumps(x))):  # fmt: skip
        assert type(made) is gamelan.ndarray
    assert type(numpy.concatenate([x, x])) is numpy.ndarray  # NumPy's functions treat it as any derived class


def test_small_arrays_own_their_memory():
    x = gamelan.arange(6.0)
    for made in (x, x + 1, numpy.sqrt(x), x[[0, 1]], gamelan.zeros(3), gamelan.array([1, 2]), gamelan.sort(x), x.copy()):
        assert made.base is None and made.flags.owndata
    for view in (
        x[1:],
        x[1:][1:],
        x.T,
        x.reshape(2, 3),
        gamelan.reshape(x, (3, 2)),
        gamelan.flip(x),
        x.view(),
        x[...],
        gamelan.atleast_2d(x),
    ):
        assert view.base is x and gamelan.shares_memory(view, x)
    theirs = numpy.arange(3.0)
    ours = gamelan.asarray(theirs)
    assert type(theirs) is numpy.ndarray and ours.base is theirs
    ours[0] = 7
    assert theirs[0] == 7


def test_numpy_may_have_returned_what_it_was_given():
    """An array of the user's never changes its class."""
    theirs, mask = numpy.arange(6.0), numpy.ones(6, bool)
    for call in (gamelan.atleast_1d, gamelan.squeeze, gamelan.ascontiguousarray, gamelan.real, gamelan.asarray, gamelan.ravel, gamelan.nan_to_num,
                 lambda a: gamelan.histogram(a, a), lambda a: gamelan.histogramdd([a], [a]), lambda a: gamelan.choose([0, 0], [a[:2]]),
                 lambda a: gamelan.select([mask], [a]), lambda a: gamelan.where(mask, a, a), lambda a: gamelan.add(a, 1, out=a, where=mask),
                 lambda a: gamelan.broadcast_arrays(a, 1), lambda a: gamelan.cumsum(a, out=a), lambda a: numpy.add(gamelan.arange(6.0), 1, out=a)):  # fmt: skip
        call(theirs)
        assert type(theirs) is numpy.ndarray and type(mask) is numpy.ndarray


def test_small_operands_with_a_large_result():
    x = gamelan.arange(300.0)
    table = x[:, None] * x
    assert table.is_distributed == (table.size >= gamelan.config.distribute_from) and table.shape == (300, 300)
    numpy.testing.assert_array_equal(table[7], 7 * numpy.arange(300.0))


def test_large_arrays_say_that_they_are_arrays(engine):
    x = gamelan.arange(12.0)
    assert isinstance(x, numpy.ndarray) and isinstance(x, gamelan.ndarray) and type(x) is gamelan.DistributedArray
    assert memoryview(x).tolist() == list(range(12)) and memoryview(x).readonly
    assert array.array("d", memoryview(x)).tolist() == list(range(12))
    described = x.__array_interface__
    assert described["shape"] == (12,) and numpy.asarray(described["data"]).sum() == 66
    assert numpy.frombuffer(x).tolist() == list(range(12))
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_double * x.size).from_buffer(x)


@pytest.mark.parametrize("where", ["here", "engine"])
def test_values_are_scalars_as_soon_as_somebody_asks(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    x = gamelan.arange(5.0)
    mean, count = x.mean(), gamelan.arange(5).sum()
    assert isinstance(mean, float) and isinstance(mean, numpy.float64) and isinstance(mean, numbers.Real) and numpy.isscalar(mean)
    assert isinstance(count, numpy.integer) and not isinstance(count, float) and not isinstance(mean, numpy.ndarray)
    assert json.dumps({"mean": mean}) == '{"mean": 2.0}' and mean.is_integer() and mean.as_integer_ratio() == (2, 1)
    assert math.sqrt(mean + 2) == 2 and round(mean, 1) == 2.0 and f"{mean:.2f}" == "2.00" and list(range(20))[count] == 10
    with pytest.raises(TypeError):
        json.dumps(x)
    with pytest.raises(AttributeError, match="no attribute 'as_integer_ratio'"):
        x.as_integer_ratio


def test_ufuncs_of_others_compute_here(engine):
    twice = numpy.frompyfunc(lambda value: 2 * value, 1, 1)
    assert twice(gamelan.arange(3)).tolist() == [0, 2, 4]
    both = numpy.frompyfunc(lambda left, right: left + right, 2, 1)
    assert both(gamelan.arange(3), numpy.arange(3)).tolist() == [0, 2, 4]
    with gamelan.options(gather_limit=2), pytest.raises(ValueError, match="gather_limit"):
        twice(gamelan.arange(3))


class Labelled:
    """As a Series of pandas: a class that computes ufuncs, with methods of NumPy's names."""

    def __array_ufunc__(self, *arguments, **keywords):
        return "ufunc"

    def cumsum(self, axis=None, dtype=None, out=None):
        return f"cumsum {axis}"

    def clip(self, low, high, out=None, **keywords):
        return f"clip {low} {high}"


def test_functions_leave_objects_of_others_to_their_methods():
    assert gamelan.cumsum(Labelled(), axis=0) == "cumsum 0" and gamelan.clip(Labelled(), 1, 2) == "clip 1 2"
    assert gamelan.exp(Labelled()) == "ufunc"


@pytest.mark.parametrize("view", [gamelan.flip, gamelan.ravel, gamelan.squeeze, gamelan.transpose, lambda a: gamelan.reshape(a, -1), lambda a: gamelan.expand_dims(a, 0)[0]])  # fmt: skip
def test_views_of_views_hold_their_root_alone(view):
    first = a = gamelan.arange(6.0)
    for _ in range(2000):
        a = view(a)
        a = a[:]
    assert a.base is first
    depth, base = 0, a
    while base is not None:
        depth, base = depth + 1, numpy.ndarray.base.__get__(base)
    assert depth <= 5


def test_arrays_that_others_hold_keep_their_class():
    """What NumPy returns may be an element of an array of objects, the mask of an array, or what `__array__` gave."""
    held = numpy.arange(3.0)
    objects = numpy.empty(1, object)
    objects[0] = held
    ours = gamelan.asarray(objects)
    masked = numpy.ma.array([1.0, 2.0], mask=[True, False])

    class Holder:
        def __array__(self, dtype=None, copy=None):
            return held

    for call in (lambda: gamelan.max(ours), lambda: ours.max(), lambda: ours.sum(), lambda: gamelan.take(ours, 0), lambda: ours.take(0),
                 lambda: ours[numpy.array(0)], lambda: gamelan.maximum.reduce(ours),
                 lambda: gamelan.histogram([1.0], bins=Holder()), lambda: gamelan.histogram_bin_edges([1.0], bins=Holder()),
                 lambda: gamelan.nan_to_num(Holder(), copy=False), lambda: gamelan.real_if_close(Holder()), lambda: gamelan.asarray(Holder()),
                 lambda: gamelan.ma.getmask(masked), lambda: gamelan.ma.getmaskarray(masked),
                 lambda: gamelan.apply_over_axes(lambda a, axis: held, gamelan.zeros(3), 0), lambda: gamelan.zeros(3).__array_wrap__(held)):  # fmt: skip
        call()
        assert type(held) is numpy.ndarray and type(masked._mask) is numpy.ndarray


def test_matrices_become_arrays_where_numpy_makes_arrays():
    for make in (gamelan.asarray_chkfinite, gamelan.asfarray) if hasattr(numpy, "asfarray") else (gamelan.asarray_chkfinite,):
        made = make(numpy.ma.array([1.0, 2.0], mask=[True, False]))
        assert type(made) is gamelan.ndarray and made.sum() == 3


def test_memory_order_of_a_new_array():
    assert gamelan.ndarray((2, 3), order="F").flags.f_contiguous and gamelan.ndarray((2, 3)).flags.c_contiguous


def test_memory_that_is_never_copied():
    never = numpy._CopyMode.NEVER
    buffer = bytearray(b"abcd")
    shared = gamelan.array(memoryview(buffer), copy=never)
    buffer[0] = 1
    assert type(shared) is gamelan.ndarray and shared[0] == 1
    x, theirs = gamelan.arange(3), numpy.arange(3)
    assert gamelan.array(x, copy=never) is x and gamelan.array(theirs, copy=never).base is theirs
    for refused in (lambda: gamelan.array([1, 2], copy=never), lambda: gamelan.array(x, float, copy=never),
                    lambda: gamelan.array(numpy.zeros(gamelan.config.distribute_from), copy=never)):  # fmt: skip
        with pytest.raises(ValueError, match="copy"):
            refused()


def test_some_outputs_of_a_foreign_ufunc(engine):
    split = numpy.frompyfunc(lambda value: (value // 2, value % 2), 1, 2)
    halves = gamelan.zeros(4)
    given, rests = split(gamelan.arange(4), out=(halves, None))
    assert given is halves and halves.tolist() == [0, 0, 1, 1] and rests.tolist() == [0, 1, 0, 1]
