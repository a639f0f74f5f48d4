# SPDX-License-Identifier: BSD-3-Clause
"""Functions that NumPy makes of universal functions: clip, round, nan_to_num and their kin."""

import numpy
import pytest

import gamelan
from oracle import check
from ufunc_programs import check_programs

PROGRAMS = {
    "nan_to_num": """
        np.nan_to_num(A(x))
        np.nan_to_num(A(x32))
        np.nan_to_num(A(x16))
        np.nan_to_num(A(ii))
        np.nan_to_num(A(m))
        np.nan_to_num(A(x+1j*x[::-1]))
        np.nan_to_num(A(x),nan=5,posinf=1e9,neginf=-7)
        (lambda a: (np.nan_to_num(a,copy=False),a))(A(x))
        (lambda a: (np.nan_to_num(a[::2],copy=False),a))(A(x+1j*x[::-1]))
        np.nan_to_num(A(x32),nan=1e300)
    """,
    "real_if_close": """
        np.real_if_close(A(z+0j))
        np.real_if_close(A(z+1j))
        np.real_if_close(A(z))
        np.real_if_close(A(z+1e-15j))
        np.real_if_close(A(z+1e-15j),tol=1e-16)
    """,
    "iscomplex": """
        np.iscomplex(A(z))
        np.iscomplex(A(z+1j))
        np.isreal(A(x))
        np.isreal(A(x+1j*m))
        np.iscomplexobj(A(z))
        np.isrealobj(A(z+1j))
        np.iscomplexobj(3j)
        np.isreal(A(m))
    """,
    "angle": """
        np.angle(A(z-5))
        np.angle(A(z-5+1j))
        np.angle(A(ii))
        np.angle(A(x32))
        np.angle(A(z.astype('F')*1j),True)
        np.angle(A(z-5),deg=1)
    """,
    "sinc and i0": """
        np.sinc(A(z/7))
        np.sinc(A(ii))
        np.sinc(A(x32[:5]))
        np.i0(A(z))
        np.i0(A(-z/3))
        np.i0(A(ii))
        np.i0(A(M.astype('f4')))
        np.i0(A(z+1j))
    """,
    "fix": """
        np.fix(A(x))
        np.fix(A(ii))
        np.fix(A(z/3-2),out=A(z))
        np.fix(A(z+1j))
        np.fix(A(x16))
    """,
    "round": """
        np.around(A(z/7))
        np.around(A(z/7),2)
        np.around(A(z*7),-1)
        np.around(A(ii*7),-1)
        np.around(A(ii),2)
        np.around(A(ii*100),-2)
        np.around(A(ii.astype('i1')*15),-1)
        np.around(A(x32),2)
        np.around(A(x16),1)
        np.around(A(m))
        np.around(A(m),1)
        np.around(A(z*1j+z/7),1)
        np.round(A(z/7),out=A(z))
        np.round_(A(z/7),1,out=A(z))
        np.round(A(z/7),out=A(ii))
        np.round(A(z/7),out=A(numpy.zeros(20,int)))
        np.around(A(ii*7),-1,out=A(ii*1.))
        A(z/7).round(2)
        A(M/7).T.round()
        round(A(z/7),1) if 0 else 0
        A(z/7).round(decimals=1)
        np.round(A(numpy.array(2.567)),1)
    """,
    "unwrap": """
        np.unwrap(A(z*2.5))
        np.unwrap(A(ii*3),period=7)
        np.unwrap(A(ii*3),period=8)
        np.unwrap(A(M*5),axis=0)
        np.unwrap(A(M*5))
        np.unwrap(A(M*5),discont=4)
        np.unwrap(A(z[:1]))
        np.unwrap(A(z[:0]))
        np.unwrap(A(z.astype('f4')*2))
        np.unwrap(A(M),axis=4)
        np.unwrap(A(ii*3))
    """,
    "isclose": """
        np.isnat(A(z))
        np.isclose(A(z),z+1e-9)
        np.isclose(A(x),A(x),equal_nan=True)
        np.allclose(A(z),z)
        np.isclose(A(ii),ii)
        np.isclose(A(x32),x)
        np.isclose(A(z),3)
        np.isclose(3,A(ii))
        np.isclose(A(m),m)
        np.isclose(A(z+1j),z+1j)
        np.allclose(A(M),z[:3])
        np.isposinf(A(x))
        np.isneginf(A(x),out=A(m))
        np.isposinf(A(ii))
        np.isposinf(A(z+1j))
        np.isclose(A(z),A(M))
        np.isclose(A(ii),A(z[:16]),rtol=.5)
        np.isclose(A(ii.astype('u1')),ii)
    """,
    "bits": """
        np.packbits(A(m))
        np.packbits(A(m), bitorder='little')
        np.packbits(A(ii[:13]))
        np.packbits(A(C), 0)
        np.packbits(A(C), -2, 'little')
        np.packbits(A(C) > 7)
        np.packbits(A(C)[:, ::-1, 1:], axis=1)
        np.packbits(A(C[:0]), 0)
        np.packbits(A(C[:, :0]), 1)
        np.packbits(A(5))
        np.packbits(A(C), 3)
        np.packbits(A(z))
        np.packbits(A(m), bitorder='x')
        np.packbits(A(m), bitorder=3)
        np.unpackbits(A(C.astype('u1')))
        np.unpackbits(A(C.astype('u1')), 0, bitorder='little')
        np.unpackbits(A(C.astype('u1')).T, 1, 11)
        np.unpackbits(A(C.astype('u1')), 2, -3)
        np.unpackbits(A(C.astype('u1')), 2, 50)
        np.unpackbits(A(C.astype('u1')), 2, -41)
        np.unpackbits(A(C.astype('u1')), 2, 3.5)
        np.unpackbits(A(ii))
        np.unpackbits(A(C.astype('u1')), bitorder='x')
        np.unpackbits(np.packbits(A(C) % 3, -1), -1, 5)
    """,
    "clip": """
        np.clip(A(z),3,7)
        np.clip(A(z),None,7)
        np.clip(A(z),A(z)/2,None)
        np.clip(A(ii),A(ii)*0-3,ii*0+4)
        np.clip(A(ii),1,2.5)
        np.clip(A(z),3,7,out=A(z))
        np.clip(A(z),3,7,out=A(numpy.zeros(20,int)))
        np.clip(A(z),None,None)
        A(z).clip(3)
        A(z).clip(max=3)
        A(z).clip(3,out=A(z))
        np.clip(A(z),numpy.nan,3)
        np.clip(A(ii.astype('i1')),-300,300)
        np.clip(A(z),3,7,dtype='f4')
        np.clip(A(z),3,7,casting='unsafe',out=A(numpy.zeros(20,int)))
        np.clip(A(z),3,7,where=A(z)>5,out=A(z))
        np.clip(A(x),A(x)[::-1],3)
        np.clip(A(ii),10,2)
        np.clip(A(M),A(M[0]),A(M[:,:1]))
        np.clip(A(z),3j,5)
        np.clip(A(m),0,1)
        np.clip(A(ii),'a',3)
        np.clip(A(m),False,True)
    """,
    "others": """
        np.positive(A(ii))
        np.positive(A(m))
        np.float_power(A(ii),2)
        np.heaviside(A(x),.5)
        np.gcd(A(ii),6)
        np.lcm(A(ii),4)
        np.spacing(A(x))
        np.nextafter(A(x),0)
        np.vectorize(lambda v: v+1)(A(x))
        np.vectorize(lambda v, power: str(v)*power, otypes=['U9'])(A(ii), power=2)
        np.vectorize(lambda a, b: (a+b, a > b))(A(x)[:2], A(x).sum())
        np.vectorize(numpy.dot, signature='(n),(n)->()')(A(x)[None], A(x))
        np.vectorize(lambda v: v+1)(numpy.arange(3))
    """,
}


@pytest.mark.parametrize("what", sorted(PROGRAMS))
def test_a_function(engine, what):
    check_programs(PROGRAMS[what])


def test_the_dtype_of_a_number(engine):
    for name in ("i0", "sinc", "angle", "fix", "nan_to_num", "real_if_close"):
        for dtype in ("f2", "f4"):
            check(lambda np: getattr(np, name)(np.array(0.3, dtype)), f"{name} {dtype}")


OTHER_DTYPES = """np.isclose(d, d, atol=0, equal_nan=True)|np.allclose(d, d, atol=np.timedelta64(1, "ns"), equal_nan=True)|np.isclose(g, g[::-1])
np.isclose(g, 1.0)|np.allclose(g, np.longdouble(2))|np.isposinf(g)|np.isneginf(-g)|np.isposinf(h)"""


@pytest.mark.parametrize("program", OTHER_DTYPES.replace("\n", "|").split("|"))
def test_dtypes_that_stay_here(engine, program):
    def run(np):
        scope = {"np": np, "d": np.array([1, 2, "NaT"], "m8[ns]"), "g": np.array([1, 2, numpy.inf], "longdouble")}
        return numpy.asarray(eval(program, scope | {"h": np.array([1, numpy.inf], ">f8")}))

    assert run(gamelan).tolist() == run(numpy).tolist()


def test_they_are_refused_by_name_beside_distributed_arrays(engine):
    for other in (numpy.ones(3, "longdouble"), numpy.ones(3, object), numpy.ones(3, "m8[s]")):
        for call in (gamelan.isclose, gamelan.allclose):
            with pytest.raises(NotImplementedError, match=other.dtype.name[:6]):
                call(gamelan.ones(3), other)
