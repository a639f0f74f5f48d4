# SPDX-License-Identifier: BSD-3-Clause
"""Classes that users derive from `ndarray`: results have the class that NumPy gives them, and what `__array_finalize__` takes
along."""

import copy
import pickle

import numpy
import pytest

import gamelan


class Theirs(numpy.ndarray):
    def __new__(cls, data, unit=None):
        made = numpy.asarray(data).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, source):
        self.unit = getattr(source, "unit", None)


class Ours(gamelan.ndarray):
    def __new__(cls, data, unit=None):
        made = gamelan.asarray(data).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, source):
        self.unit = getattr(source, "unit", None)

    def __add__(self, other):
        return super().__add__(other)

    def __getitem__(self, key):
        return super().__getitem__(key)

    def take(self, *arguments, **keywords):
        return super().take(*arguments, **keywords)


EXPRESSIONS = """a; a[0]; a[0, 0]; a[a > 1]; a[[0]]; a[...] ; a.flat[:]; a.T; a.real; a.imag
    a + 1; 1 + a; a + a; a * np.ones(2); np.ones(2) * a; np.ones(2) @ a; a @ a; -a; abs(a); a > 1; a == a; divmod(a, 2)[0]; a ** 2
    a.sum(); a.sum(0); a.max(); a.std(0); a.var(); a.mean(0); a.dot(a); a.cumsum(); a.argsort(); a.clip(0, 1); a.round(); a.take([0])
    a.reshape(4); a.ravel(); a.copy(); a.astype(int); a.repeat(2); a.diagonal(); a.trace(); a.T.copy(); a.searchsorted
    np.sqrt(a); np.sum(a, 0); np.mean(a, 0); np.median(a); np.cumsum(a); np.diff(a); np.clip(a, 0, 1); np.round(a); np.sort(a)
    np.concatenate([a, a]); np.stack([a, a]); np.repeat(a, 2); np.tile(a, 2); np.roll(a, 1); np.flip(a); np.transpose(a)
    np.reshape(a, 4); np.squeeze(a); np.atleast_3d(a); np.broadcast_to(a, (2, 2, 2)); np.broadcast_to(a, (2, 2, 2), subok=True)
    np.array(a); np.array(a, subok=True); np.asarray(a); np.asanyarray(a); np.ascontiguousarray(a); a.view(np.ndarray)
    np.zeros_like(a); np.full_like(a, 3); np.where(a > 1, a, 0); np.dot(a, a); np.outer(a, a); np.kron(a, a); np.einsum("ij->i", a)
    np.add.reduce(a); np.add.outer(a, a); np.linalg.inv(a); np.nan_to_num(a); np.add(a, 1, out=a.copy()); np.sqrt(np.ones(2), out=a[0])
    copy.copy(a); copy.deepcopy(a); pickle.loads(pickle.dumps(a))"""


def kind(np, expression, array):
    value = eval(expression, {"np": np, "copy": copy, "pickle": pickle, "a": array})
    if not isinstance(value, numpy.ndarray):
        return "number or method", numpy.shape(value) if isinstance(value, numpy.generic) else None
    name = dict.fromkeys(("Theirs", "Ours", "Derived"), "derived").get(type(value).__name__, "ndarray")
    return name, getattr(value, "unit", None), value.tolist()


@pytest.mark.parametrize("expression", [each.strip() for line in EXPRESSIONS.splitlines() for each in line.split(";")])
def test_results_keep_the_class(expression):
    data = [[1.0, 2.0], [3.0, 5.0]]
    assert kind(gamelan, expression, Ours(data, "m")) == kind(numpy, expression, Theirs(data, "m"))


CALLERS = """__add__ __radd__ __matmul__ __rmatmul__ __getitem__ __array_wrap__ __array_function__ __reduce__ sum mean take clip
repeat dot argsort astype copy reshape __repr__ __str__""".split()


def that_calls_super(base):
    def forward(name):
        return lambda self, *arguments, **keywords: getattr(super(cls, self), name)(*arguments, **keywords)

    cls = type("Derived", (base,), {name: forward(name) for name in CALLERS})
    return cls


@pytest.mark.parametrize("expression", [each.strip() for line in EXPRESSIONS.splitlines() for each in line.split(";")])
def test_methods_that_call_super(expression):
    if "pickle" in expression:
        pytest.skip("of a class that no module names")
    data = numpy.array([[1.0, 2.0], [3.0, 5.0]])
    ours, theirs = (data.copy().view(that_calls_super(base)) for base in (gamelan.ndarray, numpy.ndarray))
    assert kind(gamelan, expression, ours) == kind(numpy, expression, theirs)


def test_they_are_ours_to_python(mixed):
    array = Ours([1.0, 2.0], "m")
    assert isinstance(array, gamelan.ndarray) and issubclass(Ours, gamelan.ndarray) and not array.is_distributed
    before = array
    array += 1
    array[0] = 7
    assert array is before and array.unit == "m" and array.tolist() == [7, 3]
    assert type(array + gamelan.ones(2)) is Ours and type(gamelan.ones(2) + array) is Ours
    assert type(gamelan.ndarray.__new__(Ours, (2,))) is Ours


def test_beside_large_arrays_they_are_plain_data(mixed):
    large, array = gamelan.arange(30.0), Ours([[1.0], [2.0]], "m")
    assert numpy.array_equal(array * large, numpy.asarray(array) * numpy.arange(30.0))
    assert large[Ours([1, 2])].tolist() == [1, 2]


def test_numpys_own_repr(mixed):
    small = gamelan.ones(3)
    for options in ({}, {"precision": 2}, {"max_line_width": 10}):
        assert numpy.array_repr(small, **options) == numpy.array_repr(numpy.ones(3), **options)
    assert numpy.array_repr(Ours([1.0])) == "Ours([1.])"


class Mixin:
    def __repr__(self):
        return "a mixin's words"

    def __array_wrap__(self, array, *rest):
        return "a mixin's result"


def test_a_mixin_comes_before_the_array():
    class Both(Mixin, gamelan.ndarray):
        pass

    class BothOfNumPy(Mixin, numpy.ndarray):
        pass

    ours, theirs = gamelan.arange(3.0).view(Both), numpy.arange(3.0).view(BothOfNumPy)
    assert repr(ours) == repr(theirs) == "a mixin's words"
    assert numpy.sqrt(ours) == numpy.sqrt(theirs) == "a mixin's result"


def test_a_method_returns_its_output():
    class Derived(gamelan.ndarray):
        pass

    d, out = gamelan.arange(6.0).reshape(2, 3).view(Derived), gamelan.zeros(3)
    assert d.sum(0, out=out) is out and out.tolist() == [3, 5, 7]
    assert d[0].cumsum(out=out) is out and out.tolist() == [0, 1, 3]


def test_the_protocol_of_functions_refuses_nonsense():
    x = gamelan.ones(3)
    with pytest.raises(TypeError):
        x.__array_function__(numpy.array_repr, (gamelan.ndarray,), (x,), 5)
    with pytest.raises(TypeError):
        x.__array_function__(numpy.array_repr)
