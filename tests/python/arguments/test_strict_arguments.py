# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that NumPy refuses, though they could be read as something: truth values for extents and axes, sequences for one
element, outputs that it would not read; and some that it takes, though they name nothing."""

import numpy
import pytest

import gamelan
from oracle import check_all

PROGRAMS = """
    np.zeros(True)
    np.zeros((True,2))
    np.ones((np.True_,2))
    np.full((True,),1)
    np.reshape(np.ones(4),(True,4))
    np.reshape(np.ones(1),True)
    np.ones(4).reshape(np.bool_(True),-1)
    np.eye(True)
    np.eye(2,True)
    np.resize(np.ones(2),(True,2))
    np.ones((2,2)).sum(axis=True)
    np.sum(np.ones((2,2)),axis=(True,))
    np.ones((2,2)).max(axis=False)
    np.median(np.ones((2,2)),axis=True)
    np.roll(np.arange(3),True)
    np.zeros(2**64)
    np.empty((2,2**64))
    np.full(2**63,1)
    np.zeros(3).__setitem__(0,[1])
    np.zeros(3).__setitem__(0,(1,))
    np.zeros(3,bool).__setitem__(0,[1])
    np.zeros(3,int).__setitem__(0,[1.5])
    np.zeros(3).__setitem__(0,np.array([1.]))
    np.zeros(3).__setitem__(0,[np.array(1.)])
    np.zeros(3).__setitem__(0,range(1))
    np.zeros(3).__setitem__(0,"1.5")
    np.zeros(3).__setitem__(0,"a")
    np.zeros(3).__setitem__(0,None)
    np.zeros((2,2)).__setitem__((0,0),[1])
    np.zeros((2,2)).__setitem__((0,0,Ellipsis),[1])
    np.array(5.).__setitem__((),[1])
    np.array(5.).__setitem__(Ellipsis,[1])
    np.zeros((2,1)).__setitem__(0,[1])
    np.add.reduceat(np.arange(6.),[0,2],axis=None)
    np.add.reduceat(np.ones((2,2)),[0,1],axis=None)
    np.partition(np.array([]),0)
    np.partition(np.zeros((3,0)),0,axis=0)
    np.argpartition(np.zeros((0,3)),5,axis=0)
    np.array([]).partition(0)
    np.partition(np.arange(3.),1,kind=1)
    np.partition(np.arange(3.),1,kind='quick')
    np.compress([True,False],np.array([[1,2],[3,4]]),axis=1,out=np.zeros((2,1),np.single))
    np.compress([True,False],np.array([[1,2],[3,4]]),axis=1,out=np.zeros((2,1),np.int32))
    np.compress([True,False],np.array([[1,2],[3,4]],np.int32),axis=1,out=np.zeros((2,1),int))
    np.concatenate(np.arange(4),None)
    np.concatenate([1.,np.arange(3)],axis=None)
    repr(np.array(1.))
    repr(np.array(True))
    repr(np.array(2j))
"""


@pytest.mark.parametrize("where", ["here", "engine"])
def test_what_numpy_refuses_is_refused(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    check_all((line.strip(), lambda np, line=line: eval(line, {"np": np})) for line in PROGRAMS.split("\n") if line.strip())


@pytest.mark.parametrize(
    "program", ["np.real(1)", "np.real(1+1j)", "np.imag(1)", "np.imag(1j)", "np.imag(True)", "np.real(np.float32(2))"]
)
def test_the_parts_of_a_number_are_numbers(engine, program):
    value, expected = (eval(program, {"np": module}) for module in (gamelan, numpy))
    assert type(value) is type(expected) and value == expected


def test_the_parts_of_an_array_without_axes_are_arrays(engine):
    for value in (1, 1.5, True, 2j):
        x, expected = gamelan.array(value), numpy.array(value)
        for part in ("real", "imag"):
            ours, theirs = getattr(gamelan, part)(x), getattr(numpy, part)(expected)
            assert isinstance(ours, gamelan.ndarray) and (ours.dtype, ours.shape) == (theirs.dtype, ()) and ours == theirs
    assert isinstance(gamelan.ones(3).sum().imag, float)


LISTS = """np.maximum([np.longdouble(1)], [np.longdouble(2)])|np.add([np.longdouble(1)], 1)|np.add([np.datetime64("2020-01-01")], [np.timedelta64(1)])
np.equal([np.datetime64("2020-01-01")], [np.datetime64("2020-01-01")])|np.negative([np.timedelta64(1, "s")])|np.add(["a"], 1)|np.add([None], 1)
np.less([np.timedelta64(1, "s")], np.array([np.timedelta64(2, "s")]))|np.isnat([np.datetime64("NaT")])|np.multiply([np.longdouble(3)], np.arange(2))"""


def test_lists_of_what_engines_do_not_hold_are_numpys():
    check_all((line, lambda np, line=line: eval(line, {"np": np})) for line in LISTS.replace("\n", "|").split("|"))


OUTPUTS = """np.concatenate([x, x], out=z)|np.stack([x, x], out=y)|np.clip(x, 1, 2, out=v)|np.trace(y, out=w)|np.round(x, out=v)|np.dot(x, y, v)
np.dot(x, y, out=v)|np.matmul(x, y, out=v)|np.take(x, [0, 1], out=v)|np.choose([0, 1], [x, x], out=v)|np.nan_to_num(v, copy=False)
np.linalg.multi_dot([x, y], out=v)|np.einsum("i,ij", x, y, out=v)|np.outer(x, x, out=y)|np.mean(y, 0, out=v)|np.median(y, 0, out=v)
np.percentile(y, 50, 0, out=v)|np.cumsum(x, out=v)|np.compress([True, True], x, out=v)|np.add.reduce(y, out=v)|np.sum(y, 0, out=v)|np.std(y, 0, out=v)
np.argmax(y, 0, out=u)|np.ptp(y, 0, out=v)|np.nansum(y, 0, out=v)|np.nanmax(y, 0, out=v)|np.fix(x, out=v)|np.add(x, x, out=v)|np.any(y, 0, out=v)
x.clip(1, 2, v)|x.round(0, v)|y.trace(0, 0, 1, None, w)|x.dot(y, v)|x.take([0, 1], None, v)|y.sum(0, None, v)|y.mean(0, None, v)|x.cumsum(0, None, v)
y.max(0, v)|y.all(0, out=v)|y.argmin(0, u)|x.compress([True, True], None, v)|np.multiply.accumulate(x, out=v)|np.nancumsum(x, out=v)|y.var(0, None, v)"""


@pytest.mark.parametrize("where", ["here", "engine"])
def test_the_output_itself_is_returned(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    for program in OUTPUTS.replace("\n", "|").split("|"):
        names = {"np": gamelan, "x": gamelan.array([1.0, 2.0]), "y": gamelan.ones((2, 2)), "z": gamelan.zeros(4), "v": gamelan.zeros(2),
                 "w": gamelan.zeros(()), "u": gamelan.zeros(2, int)}  # fmt: skip
        result = eval(program, names)
        assert any(result is each for each in names.values()), program
