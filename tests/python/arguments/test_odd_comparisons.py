# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons with what no array can hold: objects, None, text, dates, lists of other lengths, numbers of unusual size, and
classes that answer by themselves."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest

import gamelan
from gamelan._imported_numpy import UNEQUAL_SHAPES_RAISE
from oracle import check_all
from written import check_lines, names, program


class Answers:
    """Compares by itself, with each element."""

    def __eq__(self, other):
        return "equal"

    def __ne__(self, other):
        return "unequal"

    def __gt__(self, other):
        return "greater"

    __hash__ = None


class Looks(Answers):
    def __eq__(self, other):
        return bool(other > 0)

    def __gt__(self, other):
        return bool(other < 0)

    __hash__ = None


class Declines:
    def __eq__(self, other):
        return NotImplemented

    __hash__ = None


class First(Answers):
    """NumPy's arrays leave operators to it."""

    __array_priority__ = 1000

    def __rmatmul__(self, other):
        return "product"

    def __radd__(self, other):
        return "sum"

    __hash__ = None


class Refuses(Answers):
    __array_ufunc__ = None
    __hash__ = None


MORE = {each.__name__: each for each in (Answers, Looks, Declines, First, Refuses, Fraction, Decimal)}
OTHERS = """object() None 'abc' b'abc' numpy.str_('a') '' [1,2] [] [[]] ['a','b'] ['a']*N [None]*N [None] [object()] {} {1:2} set() Ellipsis
int numpy slice(3) NotImplemented range(3) range(N) Answers() Looks() Declines() First() Refuses() Fraction(1,2) Decimal('0.5')
numpy.longdouble(0.5) numpy.datetime64('2020') numpy.timedelta64(3) numpy.array(['a']) numpy.array('a') numpy.array([None]) numpy.array(None)
2**70 -2**70 300 -1 1.5 float('nan')""".split()


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


@pytest.mark.parametrize("array", ["v", "i", "b", "c", "s", "v.sum()", "np.zeros((0, N))"])
def test_operators(anywhere, array):
    def programs():
        for other in OTHERS:
            for operator in ("==", "!=", "<", ">="):
                line = f"{array} {operator} {other}"
                yield line, program(line, **MORE)
            if other != "Decimal('0.5')":  # which has its own opinion of NumPy's integers
                yield f"{other} == {array}", program(f"{other} == {array}", **MORE)

    check_all(programs())


def test_functions_and_methods(anywhere):
    check_lines(
        """
        np.equal(v, object())
        np.equal(v, None)
        np.not_equal(v, None)
        np.equal(v, 'x')
        np.less(v, None)
        np.equal(v, [None])
        np.equal(v, Looks())
        np.equal(v, Fraction(1, 2))
        np.greater(i, Fraction(1, 2))
        v.__eq__(object())
        v.__eq__(None)
        v.__lt__(object())
        'x' in v
        object() in v
        None in v
        [1, 2] in v
        v[3] in v
        np.array_equal(v, 'x')
        np.array_equal(v, None)
        np.array_equal(v, [[1, 2], [3]])
        np.array_equal(v, v, equal_nan=True)
        np.array_equal(v * np.nan, v * np.nan, True)
        np.array_equal(v, [None] * N)
        np.array_equiv(v, 'x')
        np.array_equiv(v, None)
        np.array_equiv(v, [[1, 2], [3]])
        np.array_equiv(M * 0, 0)
        np.array_equiv(0, M * 0)
        v @ First()
        v + First()
    """,
        **MORE,
    )


def test_a_warning_names_the_line_of_the_program(anywhere):
    v = names(gamelan, "v")["v"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = v == "abc"
    if UNEQUAL_SHAPES_RAISE:  # then NumPy compares every element, without a warning
        assert not told and result.shape == v.shape and not result.any()
        return
    assert result is False
    assert [(each.category, each.filename) for each in told] == [(FutureWarning, __file__)]


def test_an_object_is_compared_without_the_elements(engine):
    with gamelan.options(gather_limit=10):
        assert not (gamelan.zeros(1000) == object()).any()
        assert (gamelan.zeros(1000) != None).all()  # noqa: E711
        with pytest.raises(ValueError, match="gather_limit"):
            gamelan.zeros(1000) == Fraction(1, 2)  # noqa: B015
    assert numpy.asarray(gamelan.arange(3) == Fraction(2)).tolist() == [False, False, True]
