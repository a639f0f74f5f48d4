# SPDX-License-Identifier: BSD-3-Clause
"""Calls of universal functions with everything NumPy lets one say: out, where, dtype, casting, order, signature; two results."""
import pytest

from ufunc_programs import check_programs

PROGRAMS = {
    "two results": """
        np.modf(A(x))
        np.modf(A(x32))
        np.modf(A(x16))
        np.modf(A(ii))
        np.frexp(A(x))
        np.frexp(A(x32))
        np.frexp(A(x16))
        np.frexp(A(ii))
        np.frexp(A(ii.astype('i1')))
        np.modf(A(x+1j))
        np.divmod(A(ii),3)
        np.divmod(A(x),1.5)
        np.divmod(A(ii),A(x))
        np.divmod(7,A(ii+9))
        divmod(A(ii),5)
        divmod(5,A(x))
        np.divmod(A(ii.astype('i1')),3)
        np.divmod(A(m),m)
        np.modf(A(x),out=(A(x32),A(x32)))
        np.modf(A(x),A(x32))
        np.modf(A(x),out=(A(x),None))
        np.modf(A(x),out=A(x))
        np.modf(A(x),out=(A(ii),A(ii)))
        np.modf(A(x),out=(A(x),A(x)),where=m)
        np.divmod(A(ii),3,out=(A(ii),A(ii)),where=A(m))
        np.divmod(A(ii),3,dtype='f4')
        np.modf(A(x),dtype='f4')
        np.frexp(A(x),out=(A(x),A(ii)),casting='unsafe')
        np.divmod(A(ii),3,out=(numpy.zeros(16,int),numpy.zeros(16,int)))
    """,
    "ldexp": """
        np.ldexp(A(x),ii)
        np.ldexp(A(x32),A(ii.astype('i4')))
        np.ldexp(A(x16),A(ii))
        np.ldexp(A(x),3)
        np.ldexp(A(x),A(x))
        np.ldexp(A(ii),ii)
        np.ldexp(A(x),2000)
        np.ldexp(1.5,A(ii))
        np.ldexp(A(x),-1074)
    """,
    "where": """
        np.add(A(x),1,where=A(m),out=A(x))
        np.add(A(ii),1,where=m,out=A(x))
        np.add(A(x),1,where=m,out=A(ii))
        np.add(A(x),1,where=m,out=A(ii),casting='unsafe')
        np.add(A(ii),1,where=A(m)[:,None],out=A(numpy.zeros((16,16))))
        np.add(A(ii),1,where=A(m)[:,None],out=A(numpy.zeros(16)))
        np.add(A(ii),1,where=[1,0]*8,out=A(ii))
        np.add(A(ii),1,where=True,out=A(ii))
        np.add(A(ii),1,where=False,out=A(ii))
        np.sqrt(A(ii),out=A(x),where=A(ii)>0)
        np.divide(A(ii),A(ii),out=A(numpy.zeros(16)),where=A(ii)!=0)
        np.log(A(x),out=A(x16),where=A(x)>0)
    """,
    "a small output": """
        np.add(A(ii),A(ii),out=numpy.zeros(16))
        np.add(A(ii),A(ii),out=numpy.zeros(16,'i1'))
        np.add(A(x),A(ii),out=numpy.zeros(16,'i1'))
        np.add(A(ii),1,out=numpy.zeros(16),where=m)
        np.add(A(ii),1,out=numpy.zeros((2,16)),where=m)
    """,
    "dtype": """
        np.add(A(ii),1,dtype='f4')
        np.add(A(x),1,dtype='i4')
        np.add(A(x32),1,dtype='f8')
        np.add(A(ii),1,dtype='c8')
        np.add(A(m),1,dtype=bool)
        np.add(A(m),A(m),dtype='i4')
        np.less(A(ii),1.5,dtype=bool)
        np.less(A(ii),1,dtype='f8')
        np.add(A(ii),1,dtype='S3')
        np.absolute(A(x+1j),dtype='f4')
        np.sqrt(A(ii),dtype='f4')
        np.power(A(ii),2,dtype='f4')
        np.power(A(ii),-2,dtype='f4')
        np.power(A(ii),-2,dtype='i8')
    """,
    "casting": """
        np.add(A(ii),1,casting='no')
        np.add(A(ii),1,casting='equiv')
        np.add(A(ii),1,casting='safe')
        np.add(A(ii),1.,casting='safe')
        np.add(A(ii.astype('i1')),A(ii),casting='no')
        np.add(A(ii.astype('i1')),A(ii),casting='safe')
        np.add(A(x),1,out=A(x32),casting='safe')
        np.add(A(x),1,out=A(x32),casting='same_kind')
        np.add(A(ii),1,casting='foo')
        np.add(A(ii),1,out=A(ii.astype('i1')),casting='same_kind')
        np.sqrt(A(ii),casting='no')
        np.add(A(ii),1,out=A(m),casting='unsafe')
    """,
    "other keywords": """
        np.add(A(ii),1,order='F')
        np.add(A(x32),1.5,order='C')
        np.add(A(ii),1,order='Z')
        np.add(A(ii),1,subok=False)
        np.add(A(ii),1,bogus=1)
        np.add(A(ii),1,signature='dd->d')
        np.add(A(ii),1,sig='dd->d')
        np.add(A(x32),1,signature='d')
        np.add(A(ii),1,signature=('d','d','d'))
        np.add(A(ii),1,signature=(None,None,'d'))
        np.less(A(ii),1,signature='dd->?')
        np.add(A(ii),1,sig='dd->d',dtype='f4')
        np.add(A(x),1,sig='ff->f')
        np.add(A(x),1,sig='ll->l')
        np.add(A(ii),1,sig='zz')
    """,
    "the form of out": """
        np.add(A(ii),1,out=(A(x),))
        np.add(A(ii),1,out=(None,))
        np.add(A(ii),1,out=(A(x),A(x)))
        np.add(A(ii),1,A(x),out=A(x))
        np.add(A(ii),1,None)
        np.add(A(ii),1,out=[1])
        np.add(A(ii))
        np.add(A(ii),1,2,3)
        np.add(A(ii),1,A(x))
        np.add(A(ii),1,out=A(numpy.zeros(3)))
        np.add(A(ii),1,axes=3)
    """,
    "overlap": """
        (lambda a: (np.add(a[1:],a[:-1],out=a[1:]), a))(A(x))
        (lambda a: (np.add(a[::-1],a,out=a), a))(A(ii))
        (lambda a: (np.add(a[:-2],1,out=a[2:],where=m[2:]), a))(A(ii))
        (lambda a: (np.modf(a[:-1],out=(a[1:],A(x)[1:])), a))(A(x))
        (lambda a: (np.divmod(a,3,out=(a,a.copy())), a))(A(ii))
    """,
    "outer and 0-d": """
        np.add.outer(A(ii),A(ii))
        np.subtract.outer(A(ii),3)
        np.multiply.outer(A(ii),[1,2],dtype='f4')
        np.negative.outer(A(ii),1)
        np.less.outer(A(ii),ii[:2])
        np.add(A(ii)[3],A(x32),dtype='f8')
        np.add(A(numpy.array(300)),A(ii.astype('i1')),order='C')
        np.add(A(numpy.array(3)),A(ii.astype('i1')),order='C')
    """,
}


@pytest.mark.parametrize("what", sorted(PROGRAMS))
def test_a_call(engine, what):
    check_programs(PROGRAMS[what])
