# SPDX-License-Identifier: BSD-3-Clause
"""Gamelan does what the imported NumPy does where NumPy 1 and 2 differ: promotion, names, parameters, texts, `copy=`."""

import numpy
import pytest

import gamelan
from gamelan import _requirements
from gamelan._imported_numpy import NUMBERS_ARE_WEAK
from oracle import check, check_all

# Of names that the imported NumPy lacks both say so.
_LINES = """
np.concat([np.arange(3),np.arange(2)])
np.permute_dims(np.ones((2,3)),(1,0)).shape
np.matrix_transpose(np.ones((4,2,3))).shape
np.unstack(np.arange(4).reshape(2,2))
np.unique_all(np.array([[3,1],[1,2]]))
np.unique_counts(np.array([3,1,1]))
np.unique_inverse(np.array([[3,1],[1,2]]))
np.unique_values(np.array([3,1,1]))
np.astype(np.arange(3),'f4')
np.cumulative_sum(np.arange(4),include_initial=True)
np.cumulative_prod(np.arange(1,5),include_initial=True)
np.vecdot(np.array([1j,2]),np.array([1j,3]))
np.vecdot(np.arange(6).reshape(2,3),np.arange(3))
np.matvec(np.arange(6).reshape(2,3),np.arange(3))
np.vecmat(np.arange(2)*1j,np.arange(6).reshape(2,3))
np.bitwise_count(np.arange(-5,300,7))
np.bitwise_count(np.arange(-5,100,7).astype('i1'))
np.bitwise_count(np.array([-2**63,-1],'i8'))
np.pow(np.arange(3),2)
np.array([1,2],'u1')<300
np.array([1,2],'u1')+300
np.float32(3)*np.array([1,2],'f4')
np.float64(3)*np.array([1,2],'f4')
3.*np.array([1,2],'f4')
np.array([1,2],'u1')+np.int64(3)
np.array([1,2],'u1')<-1
np.where(np.array([True,False]),np.array([1,2],'f4'),3.)
np.where(np.array([True,False]),np.array([1,2],'u1'),300)
np.trapezoid(np.arange(4))
np.take_along_axis(np.array([3,1,2]),np.array([1,0]))
np.sort(np.array([3.,np.nan,1,-0.,0.,2]),descending=True)
np.sort(np.array([[3,1],[2,5]],'i1'),axis=0,descending=True)
np.sort(np.array([True,False,True]),descending=True)
np.sort(np.arange(4),descending=False)
np.argsort(np.array([2,1,2,0,1]),descending=True,stable=True)
np.argsort(np.array([2.,np.nan,2,0,1]),descending=True,stable=True)
np.argsort(np.array([[1,2],[2,1]],'u1'),axis=None,descending=True,stable=True)
np.isdtype(np.arange(3).dtype,'integral')
np.astype([1],int)
np.linalg.outer(np.arange(3),np.arange(2))
np.clip(np.arange(3),min=1)
np.isin(np.arange(3),[1])
np.arange(3.)[1]
np.arange(6).reshape(2,3).sum()
np.unique(np.array([[3,1],[1,2]]),return_inverse=True)
np.fft.fft(np.ones(4,'f4')).dtype
np.linalg.solve(np.eye(3)+0,np.ones((3)))
np.linalg.cross(np.arange(3),np.array([1,0,2]))
np.linalg.vector_norm(np.arange(24.).reshape(2,3,4),axis=(0,2),keepdims=True)
np.linalg.vector_norm(np.arange(24.).reshape(2,3,4))
np.linalg.vector_norm(np.arange(24.).reshape(2,3,4),ord=1,keepdims=True)
np.linalg.matrix_norm(np.arange(24.).reshape(2,3,4),ord=1)
np.linalg.svdvals(np.arange(6.).reshape(2,3))
np.linalg.trace(np.arange(24.).reshape(2,3,4),offset=1)
np.linalg.diagonal(np.arange(24.).reshape(2,3,4),offset=1)
np.linalg.tensordot(np.ones((2,3)),np.ones((3,2)),axes=1)
np.linalg.vecdot(np.ones(3),np.ones(3))
np.fft.fftn(np.ones((4,4),'f4')).dtype
np.round(np.float32([1.25]),1)
np.linalg.lstsq(np.eye(3),np.ones(3))[0]
np.unique(np.array([[3,1],[1,2],[3,1]]),axis=0,return_inverse=True)
np.std(np.array([1,2],'f4'))*np.array([1,2],'f4')
np.array([1,2],'f4').sum()*3.0
np.array([1,2],'f4')*np.array([2.]).sum()
np.clip(np.array([1,2],'i1'),-300,1)
np.full(3,300,'u1')
np.full(3,-1,'u1')
np.array([1,2],'u1')//300
np.array([1,2],'i1')&200
np.maximum(np.array([1,2],'i1'),200)
np.array([1.5,2],'f2')*70000
np.can_cast(3,'i1')
np.array([1,2],'f4')+np.float64(1)
np.array([1,2],'f4')+numpy.array(1.)
np.array([True,False])+300
np.array([True])*2.5
np.arange(3,dtype='i1')*2.5
np.concatenate([np.array([1,2],'f4'),[1.5]]).dtype
np.linspace(np.float32(0),np.float32(1),3).dtype
np.arange(np.float32(3)).dtype
np.interp(np.float32([1]),[0,2.],[3,4.]).dtype
np.select([np.array([True,False])],[np.array([1,2],'f4')],3.)
np.piecewise(np.array([1,2],'f4'),[np.array([True,False])],[3.])
np.add(np.array([1,2],'u1'),1000,dtype='i4')
np.add.reduce(np.array([1,2],'f4'),initial=1e300)
np.array([1,2],'u1').__iadd__(300)
np.array([1,2],'u1').__iadd__(1.5)
np.array([1,2],'f4').__iadd__(np.float64(1.5))
np.minimum(np.array([1,2],'u8'),-1)
np.isclose(np.array([1,2],'f4'),1.)
np.nan_to_num(np.array([1,np.nan],'f4'))
np.array([1,2],'f4')@np.array([1,2],'f8')
np.einsum('i,i',np.array([1,2],'f4'),np.array([1,2],'f4'))
np.heaviside(np.array([1,2],'f4'),0.5).dtype
np.ldexp(np.array([1,2],'f4'),3).dtype
np.copysign(np.array([1,2],'f4'),-1.).dtype
np.power(np.array([1,2],'f4'),2.5).dtype
np.array([1,2],'f2')**2.5
np.mean(np.array([1,2],'f2')).dtype
divmod(np.array([1,2],'u1'),300)
np.divmod(np.array([1,2],'i1'),3)
np.insert(np.array([1,2],'u1'),1,300)
np.append(np.array([1,2],'u1'),300)
np.pad(np.array([1,2],'u1'),1,constant_values=300)
np.searchsorted(np.array([1,2],'u1'),300)
np.isin(np.array([1,2],'u1'),[300])
np.digitize(np.array([1,2],'f4'),[1.5])
np.diff(np.array([1,2],'u1'),prepend=300)
np.ediff1d(np.array([1,2],'u1'),to_end=300)
np.fill_diagonal(np.zeros((2,2),'u1'),300)
np.putmask(np.zeros(2,'u1'),[True,False],300)
np.copyto(np.zeros(2,'u1'),300)
np.place(np.zeros(2,'u1'),np.array([True,False]),[300])
np.linalg.eigvals(np.array([[2.0,0.0],[0.0,1.0]])).dtype.char
np.linalg.eig(np.zeros((0,0),'f4'))[1].dtype.char
np.cross(np.array([1,2]),np.array([3,4]))
np.cross(np.array([1,2,3]),np.array([3,4]))
np.take(np.arange(4),np.array([1,2]),out=np.zeros(2,'f4'))
np.take(np.arange(4.0),np.array([1,2]),out=np.zeros(2,'f8'))
np.compress([True,False],np.arange(2),out=np.zeros(1,'f4'))
np.nanquantile(np.full(3,np.nan,'f4'),[0.3,0.4]).dtype.char
np.linalg.cond(np.full((2,2),np.nan))
np.linalg.cond(np.array([[1.0,0.0],[0.0,np.nan]]),1)
np.einsum(np.array(1),np.eye(2),np.eye(2))
"""
# Parameters of NumPy 2, which we take with NumPy 1, too.
_NEW_LINES = """
np.bitwise_count(np.array([2**63,2**64-1,0],'u8'))
np.array([1,2**63-1])<2**63
np.array([1,2**63-1])==2**63
np.array([1,2.])+2**70
np.arange(3).mT
np.arange(3).device
np.zeros(3,device='cpu')
np.asarray(np.arange(3),copy=False)
np.asarray([1,2],copy=False)
np.std(np.arange(3.),correction=1)
np.nanstd(np.array([1,np.nan,3.]),correction=1)
np.nanvar(np.arange(6.).reshape(2,3),axis=1,mean=np.ones((2,1)))
np.sort(np.array([3,1]),stable=True)
np.reshape(np.arange(4),(2,2),copy=True)
np.reshape(np.arange(4),shape=(2,2))
np.quantile(np.arange(4.),.5,weights=np.ones(4),method='inverted_cdf')
np.quantile(np.arange(12.).reshape(3,4),[.1,.5,1.],axis=1,weights=np.array([1,0,2,3.]),method='inverted_cdf')
np.quantile(np.arange(12.).reshape(3,4),[.1,.5,1.],weights=np.ones((3,4)),method='inverted_cdf',keepdims=True)
np.nanquantile(np.array([1,np.nan,3,4]),[0,.1,.5,1.],weights=np.array([0,1,2,3.]),method='inverted_cdf')
np.quantile(np.array([1,np.nan,3,4]),[0,.1,.5,1.],weights=np.array([0,1,2,3.]),method='inverted_cdf')
np.percentile(np.array([3,1,2]),50,weights=np.array([1,5,1]),method='inverted_cdf')
np.quantile(np.array([3,1,2]),.5,weights=np.array([0,0,0]),method='inverted_cdf')
np.quantile(np.array([3,1,2]),.5,weights=np.array([1,2,-1]),method='inverted_cdf')
np.var(np.arange(6.).reshape(2,3),axis=1,mean=np.array([[1.],[4.]]))
np.linalg.cholesky(np.array([[4.,2.],[2.,9.]]),upper=True)
np.linalg.pinv(np.array([[4.,2.],[2.,9.]]),rtol=1e-3)
np.linalg.matrix_rank(np.ones((3,3)),rtol=.1)
np.linalg.matrix_rank(np.zeros((0,3)))
np.fft.fft(np.arange(4.),out=np.zeros(4,complex))
np.reshape(np.arange(6).reshape(2,3).T,6,copy=False)
np.arange(6).reshape(2,3,copy=True)
np.sort(np.arange(3),stable=True,kind='stable')
np.reshape(np.arange(4),newshape=(2,2))
np.array([1,2],'u1')**-1
"""


def _programs(text):
    for line in text.strip().splitlines():
        yield line, lambda np, line=line: eval(line, {"np": np, "numpy": numpy})


@pytest.mark.parametrize("where", ["engine", "mixed"])
def test_what_both_can_be_asked(request, where):
    request.getfixturevalue(where)
    check_all(_programs(_LINES))


@pytest.mark.parametrize("where", ["engine", "mixed"])
def test_what_numpy_2_has(request, where):
    if not NUMBERS_ARE_WEAK:
        pytest.skip("NumPy 1")
    request.getfixturevalue(where)
    lines = _NEW_LINES
    try:
        numpy.quantile([3, 1, 2], 0.5, weights=[0, 0, 0], method="inverted_cdf")
        lines = "".join(line for line in lines.splitlines(True) if "[0,0,0]" not in line)  # before 2.3 it answers; we refuse
    except ValueError:
        pass
    check_all(_programs(lines))


def test_methods_that_numpy_2_took_from_arrays_are_gone(mixed):
    """NumPy 2.0 to 2.4 keep attributes of these names, for their words."""
    if not NUMBERS_ARE_WEAK:
        pytest.skip("NumPy 1")
    for name, arguments in (("ptp", ()), ("itemset", (0, 1.0)), ("newbyteorder", ())):
        check(lambda np: getattr(np.arange(3.0), name)(*arguments), name)  # noqa: B023
        check(lambda np: getattr(np.arange(30.0), name)(*arguments), name)  # noqa: B023


def test_an_output_of_a_product_of_vectors_stands_in_a_tuple(engine):
    if not hasattr(numpy, "vecdot"):
        pytest.skip("NumPy 1")
    x, out = gamelan.arange(12.0).reshape(3, 4), gamelan.zeros(3)
    assert gamelan.vecdot(x, x, out=(out,)) is out and out.tolist() == [14.0, 126.0, 366.0]


@pytest.mark.parametrize("size", [2, 40])
def test_results_of_several_arrays_are_ours(mixed, size):
    a = gamelan.eye(size) * 2 + gamelan.ones((size, size))
    for found in (gamelan.linalg.eigh(a), gamelan.linalg.eig(a), gamelan.linalg.svd(a), gamelan.linalg.qr(a)):
        assert all(isinstance(each, (gamelan.ndarray, type(a))) for each in found), type(found)
    theirs = numpy.linalg.eigh(numpy.eye(size))
    assert type(gamelan.linalg.eigh(a)) is type(theirs)


def test_integers_beyond_all_dtypes_are_compared_exactly(engine):
    if not NUMBERS_ARE_WEAK:
        pytest.skip("NumPy 1 makes objects of them")
    for dtype, number in (("i8", 2**63), ("i8", -(2**63) - 1), ("u8", 2**64), ("u8", -1), ("u1", 300), ("f4", 2**70), ("?", 2)):
        data = numpy.array([0, 1, 1] if dtype == "?" else [0, 1, numpy.iinfo(dtype).max if dtype != "f4" else 5], dtype)
        check(lambda np: [np.array(data) < number, np.array(data) == number, number <= np.array(data)], f"{dtype} {number}")


def test_the_module_is_a_namespace_where_numpy_is_one():
    for name in ("__array_api_version__", "__array_namespace_info__"):
        assert hasattr(gamelan, name) == hasattr(numpy, name)
    if hasattr(numpy, "__array_namespace_info__"):
        theirs, ours = numpy.__array_namespace_info__().default_dtypes(), gamelan.__array_namespace_info__().default_dtypes()
        assert ours == theirs


def test_names_that_numpy_gave_up_say_what_to_write():
    for name in ("float_", "trapz", "in1d", "alltrue", "round_", "Inf"):
        if hasattr(numpy, name):
            assert hasattr(gamelan, name)
            continue
        with pytest.raises(AttributeError) as theirs:
            getattr(numpy, name)
        with pytest.raises(AttributeError) as ours:
            getattr(gamelan, name)
        if "removed" in str(theirs.value):
            assert str(ours.value) == str(theirs.value)


def test_arrays_in_tuples_with_names_are_ours():
    matrix = gamelan.array([[2.0, 1.0], [1.0, 3.0]])
    for function in (gamelan.linalg.eigh, gamelan.linalg.eig, gamelan.linalg.svd, gamelan.linalg.qr):
        theirs = getattr(numpy.linalg, function.__name__)(numpy.eye(2))
        results = function(matrix)
        assert type(results) is type(theirs) and {type(each) for each in results} == {gamelan.ndarray}


def test_text_and_small_modules_of_numpy_2():
    if not NUMBERS_ARE_WEAK:
        pytest.skip("NumPy 1")
    text = gamelan.array(["a", "bc"], dtype=numpy.dtypes.StringDType())
    assert isinstance(text, gamelan.ndarray) and gamelan.strings.upper(text).tolist() == ["A", "BC"]
    assert gamelan.exceptions.AxisError is numpy.exceptions.AxisError


@pytest.mark.parametrize(
    "version, headers, told",
    [
        ("1.24.2", "1.24.2", ""),
        ("1.24.2", "2.4.6", ""),
        ("2.4.6", "2.0.1", ""),
        ("2.4.6", "1.24.2", "is for NumPy up to 1.x"),
        ("3.0.0", "2.4.6", "is for NumPy up to 2.x"),
        ("1.23.5", "2.4.6", "needs NumPy 1.24 or newer"),
        ("unknown", "2.4.6", ""),
    ],
)
def test_which_numpy_fits_a_build(version, headers, told):
    refused = _requirements.refusal(version, headers=headers)
    assert bool(refused) == bool(told) and told in refused


def test_parameters_of_newer_releases(engine, tmp_path):
    assert gamelan.fft.fftfreq(5, device="cpu").tolist() == numpy.fft.fftfreq(5).tolist()
    told = {}
    for np in (numpy, gamelan):
        try:
            np.savez(tmp_path / "some.npz", a=numpy.array([None]), allow_pickle=False)
            told[np] = sorted(numpy.load(tmp_path / "some.npz"))
        except ValueError:
            told[np] = "refused"
    assert told[gamelan] == told[numpy]


def test_sorted_in_place_downwards(engine):
    def program(np):
        a = np.array([3.0, 1.0, 2.0])
        a.sort(descending=True)
        return [a, a.argsort(descending=True)]

    check(program)
