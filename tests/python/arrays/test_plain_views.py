# SPDX-License-Identifier: BSD-3-Clause
"""The plain arrays that NumPy gets for small ones are used again, and whoever keeps one never sees another array in it; the slots of
operators are those of the class, and derived classes keep their own."""

import gc
import sys
import threading
import weakref

import numpy
import pytest

import gamelan
from gamelan import _core

pytestmark = pytest.mark.only_on(1)  # no engine has a part in it


def test_what_somebody_keeps_stays_what_it_was():
    a, b = gamelan.arange(4.0), gamelan.arange(4.0) * 10
    views = [gamelan.transpose(a), gamelan.ravel(b), a.reshape(2, 2)]
    shown = [memoryview(numpy.asarray(each)) for each in (a, b)]
    errors = []
    for operand in (a, b):
        try:
            numpy.ndarray.sum(operand, axis=5)
        except Exception as error:
            errors.append(error)  # whose frames hold the operands
        try:
            gamelan.linalg.solve(operand, operand)
        except Exception as error:
            errors.append(error)
    assert len(errors) == 4
    for number in range(100):
        c = gamelan.full(4, float(number))
        assert (c + c).tolist() == [2.0 * number] * 4 and c.sum() == 4 * number and gamelan.sum(c) == 4 * number
    assert views[0].tolist() == [0, 1, 2, 3] and views[1].tolist() == [0, 10, 20, 30] and views[2].tolist() == [[0, 1], [2, 3]]
    assert [list(each) for each in shown] == [[0, 1, 2, 3], [0, 10, 20, 30]]


def test_memory_is_free_once_its_array_is():
    a = gamelan.ones((3, 5))
    alive = weakref.ref(a)
    before = sys.getrefcount(a)
    assert (a + a).shape == (3, 5) and a.sum() == 15 and gamelan.mean(a) == 1 and (a @ gamelan.ones(5)).tolist() == [5, 5, 5]
    assert sys.getrefcount(a) == before
    owner = numpy.ones(7)
    shared = gamelan.asarray(owner)
    before = sys.getrefcount(owner)
    assert (shared * 2).sum() == 14 and sys.getrefcount(owner) == before
    del a
    gc.collect()
    assert alive() is None


def test_arrays_of_many_axes_dtypes_and_layouts():
    random = numpy.random.default_rng(0)
    for axes in (0, 1, 2, 3, 4, 5, 7):
        for dtype in ("f8", "i4", "?", "c16", "f4", "u1"):
            theirs = (random.random((3,) * axes) * 9).astype(dtype)
            for cut in (lambda x: x, lambda x: x.T, lambda x: x[::-1] if x.ndim else x, lambda x: x[..., 1:] if x.ndim else x):
                t, o = cut(theirs), cut(gamelan.array(theirs))
                for action in (lambda x: x + x, lambda x: x.sum(), lambda x: numpy.exp(x), lambda x: x == x, lambda x: (x * 2).T):
                    expected, result = action(t), action(o)
                    numpy.testing.assert_array_equal(result, expected)
                    assert result.dtype == expected.dtype and result.strides == expected.strides


def test_a_result_may_be_the_operand_itself():
    a = gamelan.arange(6.0)
    assert a.__iadd__(1) is a and gamelan.ravel(a).base is a and a.astype(float, copy=False) is a
    frozen = gamelan.arange(3.0)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen += 1
    assert (frozen + 1).flags.writeable and frozen.tolist() == [0, 1, 2]


def test_threads_have_views_of_their_own():
    def work(number, wrong):
        a = gamelan.full((40, 50), float(number))
        for _ in range(200):
            if not ((a + a) == 2 * number).all() or gamelan.sum(a) != 2000 * number:
                wrong.append(number)

    wrong = []
    threads = [threading.Thread(target=work, args=(number, wrong)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_derived_classes_have_their_own_operators():
    class Loud(gamelan.ndarray):
        def __add__(self, other):
            return "add"

        def __radd__(self, other):
            return "radd"

        def __lt__(self, other):
            return "lt"

        def __imul__(self, other):
            return "imul"

        def __neg__(self):
            return "neg"

    loud, a = gamelan.arange(3.0).view(Loud), gamelan.ones(3)
    assert (loud + a, a + loud, loud < a, a > loud, -loud) == ("add", "radd", "lt", "lt", "neg")
    assert (loud + loud, 1 + loud, numpy.ones(3) + loud) == ("add", "radd", "radd")
    assert type(loud - a) is Loud and type(a - loud) is Loud and (a - loud).tolist() == [1, 0, -1]
    loud *= 2
    assert loud == "imul"


def test_other_classes_are_asked_in_pythons_order():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

        def __add__(self, other):
            return "add"

        def __eq__(self, other):
            return "eq"

    a, other = gamelan.ones(3), Other()
    assert (a + other, other + a, other == a, a == other) == ("radd", "add", "eq", "eq")
    with pytest.raises(TypeError):
        a - other
    with pytest.raises(TypeError):
        other - a
    assert (1 - a).tolist() == [0, 0, 0] and (numpy.float64(3) - a).tolist() == [2, 2, 2]
    assert type(numpy.ones(3) - a) is gamelan.ndarray and type(numpy.float64(3) * a) is gamelan.ndarray


def test_an_operator_that_is_assigned_later_counts():
    theirs = gamelan.ndarray.__add__
    a = gamelan.ones(3)
    try:
        gamelan.ndarray.__add__ = lambda self, other: "mine"
        assert a + a == "mine" and (a - a).tolist() == [0, 0, 0]
    finally:
        gamelan.ndarray.__add__ = theirs
    assert (a + a).tolist() == [2, 2, 2]
    _core.fill_operator_slots()
    assert (a + a).tolist() == [2, 2, 2]
