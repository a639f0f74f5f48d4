# SPDX-License-Identifier: BSD-3-Clause
"""Warnings that NumPy gives before it looks at any element: the same classes, at the user's line."""

import threading
import warnings

import numpy
import pytest

import gamelan
from oracle import error_class

_PROGRAMS = """
np.nonzero(A(3))
A(3).nonzero()
np.where(A(3))
np.flatnonzero(A(3))
np.argwhere(A(3))
A([1j, 2]).astype(float)
A([1j, 2]).astype(bool)
A([1.0]).astype('i4')
np.array(A([1j]), dtype='f4')
np.copyto(A([1.0]), A([1j]), casting='unsafe')
np.copyto(A([True]), A([1j]), casting='unsafe')
A([1.0]).__setitem__(..., A([1j]))
A([True]).__setitem__(0, A(1j))
np.full_like(A([1.0]), 1j)
np.full_like(A([1], 'u1'), -1)
np.zeros(3, 'u1').fill(300)
np.histogram(A([True, False]))
np.histogram_bin_edges(A([True, False]))
np.msort(A([2, 1]))
np.bincount(A([1, 2]), minlength=None)
np.insert(A([1, 2, 3]), A([True, False, True]), 1)
np.quantile(A([1.0, 2]), 0.5, interpolation='lower')
np.mean(A([]))
np.var(A([1.0]), ddof=1)
bool(A([]))
np.argpartition(A([2.0, 1]), True)
np.partition(A([2.0, 1]), [False])
"""


def _warned(np, program):
    """The warnings of a program, and the class of its error: what one NumPy warns of another refuses."""
    error = None
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            eval(compile(program, "program", "eval"), {"np": np, "A": np.array})
        except Exception as raised:
            error = error_class(raised).__name__
    return caught, error


@pytest.mark.parametrize("program", _PROGRAMS.strip().splitlines())
def test_the_classes_of_warnings(engine, program):
    (expected, refused), (actual, error) = _warned(numpy, program), _warned(gamelan, program)
    assert error == refused
    assert [each.category for each in actual] == [each.category for each in expected]


@pytest.mark.parametrize(
    "program", ["A([1j]).astype(float)", "A([1.0]).__setitem__(0, A(1j))", "np.where(A(3))", "A(3).nonzero()"]
)
def test_a_warning_names_the_users_line(engine, program):
    if _warned(numpy, program)[1] is not None:
        pytest.skip("an error in this NumPy")
    (warned,), _ = _warned(gamelan, program)
    assert warned.filename == "program"


@pytest.mark.parametrize("name", ["bool", "object", "str"])
def test_a_name_that_numpy_gives_up_warns_at_the_users_line(name):
    """NumPy 1.24 warns that it will be another one, and has it no more."""
    if name in vars(numpy):
        pytest.skip("a name of this NumPy")
    told = []
    for np in (numpy, gamelan):
        with warnings.catch_warnings(record=True) as caught, pytest.raises(AttributeError):
            warnings.simplefilter("always")
            eval(compile(f"np.{name}", "program", "eval"), {"np": np})
        told.append([(each.category, str(each.message), each.filename, each.lineno) for each in caught])
    assert told[0] == told[1] and told[0][0][2] == "program"


def test_code_without_a_module_is_warned(engine, ranks):
    """`exec` with names that have no `__name__`: Python calls such a module "<string>"."""
    if not ranks:
        pytest.skip("the model meets no errors")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec("float((np.ones(5) / 0)[2]); np.sync()", {"np": gamelan})
    assert [str(each.message) for each in told] == ["divide by zero encountered in divide"]


def test_names_asked_for_by_two_threads_leave_the_warnings_as_they_are():
    before = list(warnings.filters), warnings.showwarning, warnings._showwarnmsg_impl

    def ask():
        for _ in range(3000):
            assert not hasattr(gamelan, "no_such_name")

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (list(warnings.filters), warnings.showwarning, warnings._showwarnmsg_impl) == before


@pytest.mark.parametrize("name", ["int", "float", "bool", "object"])
def test_a_name_that_numpy_has_given_up_says_what_to_write(name):
    if name in vars(numpy):
        pytest.skip("a name of this NumPy")
    with pytest.raises(AttributeError) as expected, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(numpy, name)
    with pytest.raises(AttributeError) as told, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(gamelan, name)
    assert str(told.value) == str(expected.value)
