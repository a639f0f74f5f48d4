# SPDX-License-Identifier: BSD-3-Clause
"""Small arrays differ in nothing from NumPy's: text and objects, buffers, the line that a warning names, how they are shown;
and the numbers that folds of distributed arrays give, where NumPy has scalars."""

import decimal
import hashlib
import io
import pickle
import warnings
import weakref

import numpy
import pytest

import gamelan
from gamelan._imported_numpy import UNEQUAL_SHAPES_RAISE
from oracle import check

PROGRAMS = """
    np.ones((3,0))[np.ones((3,0))>1]
    np.ones((0,4))[np.ones((0,4))>1]
    np.ones((0,4))[np.ones(0)>1,1]
    np.ones((0,4)).__setitem__(np.ones((0,4))>1,np.ones(0))
    np.ones((2,4))[np.array([1,0]),np.array([[2],[3]])]
    np.array(['a','b'])=='a'
    np.array(['a','b'])!='a'
    'a' in np.array(['a','b'])
    np.array(['a','b'])==['a','c']
    np.array(['a','b'])+np.array('c')
    np.equal(np.array(['a','b']),'a')
    np.arange(2)[np.array(['a','b'])=='b']
    np.where(np.array(['a','b'])=='b','x','y')
    np.array(['a','b'])<1
    np.arange(3)=='a'
    np.arange(3)==None
    np.array([1,None],object)==None
    np.array(['2020-01-01'],'M8[D]')+1
    np.longdouble(2)*np.array([1,2],np.longdouble)
    np.arange(3)*None
    np.arange(3)==np.arange(2)
    np.arange(3)!=np.arange(2)
    np.arange(3)<np.arange(2)
    np.arange(3)**-1
    np.arange(3)**2
    np.arange(3.)**[1,2,3]
    divmod(np.arange(5),3)
    divmod(7,np.arange(1,4))
    np.arange(3).__add__('a')
    np.array([True]).conj()
    np.arange(3).astype('f4',copy=False)
    np.arange(3).astype('U')
    [0]*(np.arange(5)>2).sum()
    (1,2)*np.arange(3)[2]
    np.arange(3)[2]*'ab'
    np.arange(3.).sum()*[1]
    np.arange(3).sum()+[1]
    (np.arange(5)==[1,2],np.arange(5)!=np.zeros((2,2)))
    np.interp(np.array([1j]),[0,1],[0,1])
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("where", ["here", "engine"])
def test_operators(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    for line in PROGRAMS.split("\n"):
        if where == "here" or not any(
            word in line for word in ("'a'", "M8", "longdouble", "object", "None", "'U'", "[1,2,3]", "**-1")
        ):
            check(lambda np: eval(line, {"np": np}), line.strip()) if line.strip() else None


RECORDS = """
    np.array([(1,2.),(3,4.)],'i4,f8')==np.array([(1,2.),(3,5.)],'i4,f8')
    np.array([(1,2.),(3,4.)],'i4,f8')!=np.array([(1,2.),(3,5.)],'i4,f8')
    np.array([(1,2.),(3,4.)],'i4,f8')==np.array((1,2.),'i4,f8')
    np.array([(1,2.)],'i4,f8')==numpy.array([(1,2.)],'i4,f8')
    np.array([(1,2.)],'i4,f8')==numpy.array([(1,2.)],'i4,f8')[0]
    np.array([(1,2.)],'i4,f8')==np.array([(1,2.)],'f8,f8')
    np.array([(1,2.)],'i4,f8')==np.array([1.])
    np.array([(1,[2,3])],[('a','i4'),('b','f8',(2,))])==np.array([(1,[2,4])],[('a','i4'),('b','f8',(2,))])
    np.array([b'ab',b'cd'],'V2')==np.array([b'ab',b'ce'],'V2')
    np.array([b'ab',b'cd'],'V2')!=np.array([b'ab',b'ce'],'V2')
    np.arange(3.)==np.array(['a','b','c'])
    np.array([(1,2.)],'i4,f8')<np.array([(1,2.)],'i4,f8')
"""


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_records_are_compared_by_the_operator_of_numpy_which_its_ufunc_does_not_do():
    for line in filter(str.strip, RECORDS.split("\n")):
        check(lambda np: eval(line, {"np": np, "numpy": numpy}), line.strip())


def test_objects_that_numpy_takes_one_by_one():
    result = gamelan.arange(3) + decimal.Decimal(1)
    assert isinstance(result, gamelan.ndarray) and result.tolist() == (numpy.arange(3) + decimal.Decimal(1)).tolist()


def test_text_is_compared_beside_engines(mixed):
    names = gamelan.array(["a", "b"] * 3)
    assert gamelan.arange(6)[names == "b"].tolist() == [1, 3, 5]


def test_shapes_that_do_not_fit_are_unequal_with_a_warning(engine):
    if UNEQUAL_SHAPES_RAISE:
        check(lambda np: np.arange(3) == np.arange(2))
        return
    with pytest.warns(DeprecationWarning, match="elementwise comparison failed"):
        assert (gamelan.arange(3) == gamelan.arange(2)) is False


def test_small_arrays_lend_their_memory():
    x = gamelan.arange(6.0).reshape(2, 3)
    plain = numpy.arange(6.0).reshape(2, 3)
    assert bytes(x) == bytes(plain) and bytearray(x) == bytearray(plain)
    assert hashlib.md5(x).digest() == hashlib.md5(plain).digest()
    assert numpy.frombuffer(x).tolist() == plain.ravel().tolist()
    view = memoryview(x)
    assert view.shape == (2, 3) and view.format == "d" and not view.readonly
    view[1, 2] = 7
    assert x[1, 2] == 7
    del x
    assert view[0, 1] == 1  # the memory lives as long as who looks at it
    frozen = gamelan.arange(3)
    frozen.flags.writeable = False
    assert memoryview(frozen).readonly
    file = io.BytesIO()
    file.write(frozen)
    assert file.getvalue() == frozen.tobytes()
    with pytest.raises(ValueError, match="contiguous"):
        hashlib.md5(gamelan.arange(6).reshape(2, 3).T)


def test_numpy_shares_small_arrays():
    for dtype in ("f4", "i8", "?", "c8", "M8[D]", "U2", "f4,i2"):
        x = gamelan.array(numpy.zeros(3, dtype))
        there = numpy.asarray(x)
        assert there.dtype == x.dtype and numpy.shares_memory(there, x._a) and there.flags.writeable
    assert numpy.asarray(gamelan.zeros((0, 3))[:, ::-1]).shape == (0, 3)


def test_distributed_arrays_give_bytes_and_no_memory(engine):
    x = gamelan.arange(6.0).reshape(2, 3)
    plain = numpy.arange(6.0).reshape(2, 3)
    assert bytes(x.T) == plain.T.tobytes() and hashlib.md5(x).digest() == hashlib.md5(plain).digest()
    assert bytes(gamelan.arange(3).sum()) == bytes(numpy.arange(3).sum())
    with pytest.raises(AttributeError, match="numpy.asarray"):
        x.data
    assert memoryview(x).readonly and memoryview(x).tolist() == x.tolist()
    with gamelan.options(gather_limit=5):
        with pytest.raises(ValueError, match="gather_limit"):
            bytes(x)
        with pytest.raises(ValueError, match="gather_limit"):
            numpy.asarray(x)


def test_warnings_name_the_line_of_the_user():
    x = gamelan.zeros(3)
    lines = [lambda: x / 0, lambda: 1 / x, lambda: x // 0, lambda: x**-1, lambda: divmod(x, 0), lambda: x.__itruediv__(0),
             lambda: gamelan.array([1e300]).astype("f4"), lambda: gamelan.array([1j]).astype(float)]  # fmt: skip
    for line in lines:
        with pytest.warns() as caught:
            line()
        assert {each.filename for each in caught} == {__file__}


def test_numbers_of_engines(engine):
    x = gamelan.arange(6.0)
    assert pickle.loads(pickle.dumps(x.mean())) == 2.5 and type(pickle.loads(pickle.dumps(x.mean()))) is numpy.float64
    with pytest.raises(TypeError, match=r"float\(x\)"):
        [1][x.mean()]


@pytest.mark.parametrize("where", ["here", "engine"])
def test_print_options(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    with numpy.printoptions(formatter={"float": lambda value: f"<{value:.1f}>"}):
        assert str(gamelan.zeros(2)) == "[<0.0> <0.0>]" and repr(gamelan.zeros(2)) == "array([<0.0>, <0.0>])"
    if not hasattr(numpy, "set_string_function"):
        with numpy.printoptions(override_repr=lambda array: f"{array.size} numbers"):
            assert repr(gamelan.zeros(2)) == "2 numbers" and str(gamelan.zeros(2)) == "[0. 0.]"
        return
    try:
        gamelan.set_string_function(lambda array: f"{array.size} numbers")
        assert repr(gamelan.zeros(2)) == "2 numbers" and str(gamelan.zeros(2)) == "[0. 0.]"
    finally:
        gamelan.set_string_function(None)
    assert repr(gamelan.zeros(2)) == "array([0., 0.])"


def test_resize_keeps_what_others_hold(engine):
    def program(np):
        x = np.arange(6)
        other = x
        x.resize(3)
        return other

    check(program)

    def of_a_view(np):
        x = np.arange(12.0)[:]
        x.resize(3, 4)
        return x

    check(of_a_view)


def test_numpys_own_modules_and_classes():
    import gamelan.ma
    import gamelan.polynomial
    import gamelan.typing  # noqa: F401
    from gamelan.testing import assert_allclose

    assert_allclose(gamelan.arange(3), [0, 1, 2])
    assert gamelan.poly1d([1, 2])(3) == 5 and gamelan.polynomial.Polynomial([1, 2])(3) == 7
    assert gamelan.ma.array(gamelan.arange(3), mask=[0, 1, 0]).sum() == 2
    assert gamelan.char.upper(gamelan.array(["a"])).tolist() == ["A"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = gamelan.asmatrix(gamelan.ones((2, 2)))
    assert isinstance(matrix, gamelan.matrix) and (matrix * matrix).tolist() == [[2, 2], [2, 2]]
    assert type(gamelan.random.randint(5)) is int and type(gamelan.random.default_rng(0).integers(5)) is numpy.int64


@pytest.mark.parametrize("expression", [
    "a[1:].base is a", "a[1:][:, 1:].base is a", "a.T.base is a", "a.reshape(3, 2).base is a", "a.ravel().base is a", "a.base",
    "np.reshape(a, 6).base is a", "np.transpose(a)[1].base is a", "np.split(a, 2)[0].base is a", "a[0].base is a[1].base is a",
    "a.copy().base", "a[[0, 1]].base is a", "(a + 1).base", "np.broadcast_to(a, (4, 2, 3)).base is a", "a.swapaxes(0, 1).base is a",
    "a.T.reshape(2, 3).base is a", "np.asarray(a).base", "a.view().base is a", "np.diag(a).base is a", "a[0, 1:2][0].dtype",
])  # fmt: skip
def test_a_view_names_the_array_that_it_is_of(mixed, expression):
    check(lambda np: eval(expression, {"np": np, "a": np.arange(6.0).reshape(2, 3).copy()}), expression)


def test_a_view_keeps_the_array_that_it_is_of(mixed):
    x = gamelan.arange(6.0)
    view, seen = x[1:], weakref.ref(x)
    del x
    assert seen() is view.base
    view.base[1] = 7
    assert view[0] == 7
    del view
    assert seen() is None


def test_squeezed_to_no_axes():
    """NumPy 1 asks the class to wrap the squeezed array, and refuses a scalar there."""
    for array in (gamelan.array([3]), gamelan.array([[2.5]]), gamelan.arange(6)[2:3].reshape(1, 1)):
        theirs = numpy.array(array).squeeze()
        for ours in (array.squeeze(), gamelan.squeeze(array), array.squeeze(0) if array.ndim == 1 else array.squeeze((0, 1))):
            assert isinstance(ours, numpy.ndarray) and (ours.shape, ours.dtype, ours[()]) == ((), theirs.dtype, theirs[()])
