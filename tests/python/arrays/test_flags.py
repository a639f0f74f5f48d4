# SPDX-License-Identifier: BSD-3-Clause
"""x.flags, setflags and view: which arrays can be written, and be made so again."""

import pytest

from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


def test_writeable(anywhere):
    check_lines("""
        v.setflags(write=False); v.setflags(write=True); v[0] = 9; v
        v.setflags(write=False); v.setflags(write=True); v += 1; v.sort(); v
        v.flags.writeable = False; v.flags.writeable = True; v[0] = 9; v
        v.flags.writeable = False; v[0] = 9; v
        v.flags['WRITEABLE'] = False; v.flags['W'] = True; v[0] = 9; v
        w = v[:3]; w.setflags(write=False); w.setflags(write=True); w[0] = 9; v
        v.setflags(write=False); w = v[:3]; w.setflags(write=True)
        v.setflags(write=False); w = v[:3]; v.setflags(write=True); w[0] = 9; v
        v.setflags(write=False); w = v[:3]; v.setflags(write=True); w.setflags(write=True); w[0] = 9; v
        w = v[:3]; v.setflags(write=False); w[0] = 9; v
        w = v[:3]; v.setflags(write=False); w.setflags(write=False); w.setflags(write=True)
        w = M.T[1:]; w.setflags(write=False); u = w[1:]; u.setflags(write=True); u[0] = 1; M
        w = M.diagonal(); w.setflags(write=True); w[:3] = 9; M
        w = np.diag(M); w.flags.writeable = True; w[0] = 9; M
        w = np.broadcast_to(v, (1, N)); w.setflags(write=True); w[0, 0] = 4; v
        w = c.real; w.setflags(write=False); w.setflags(write=True); w[0] = 9; c
        w = v.reshape(2, -1); v.setflags(write=False); w.flags.writeable
        s.setflags(write=False); s.setflags(write=True); s[...] = 4; s
        v.setflags(write=False); v.setflags(write='x'); v.flags.writeable
        v.setflags(write=False); v.setflags(write=None); v.flags.writeable
        v.setflags(False); v.setflags(True); v.flags.writeable
        v.setflags(write=False); w = v.copy(); w[0] = 9; w
        v.setflags(write=False); w = v.view(); w.setflags(write=True)
        v.setflags(write=False); v += 1
        v.setflags(write=False); v.sort()
        v.setflags(write=False); v.fill(3)
        v.setflags(uic=True)
        v.setflags(foo=1)
        w = v.imag; w[0] = 1
        v.imag.flags.writeable, c.imag.flags.writeable
    """)


def test_facts(anywhere):
    check_lines("""
        v.flags.owndata, v[:].flags.owndata, M.T.flags.owndata
        v.flags['O'], v[:]['OWNDATA'] if False else v[:].flags['OWNDATA']
        v.flags.num, M.T.flags.num, v[::2].flags.num, np.diag(M).flags.num
        v.flags['C'], v.flags['F'], v.flags['A'], v.flags['W'], v.flags['C_CONTIGUOUS']
        M.T.flags.fnc, M.flags.forc, M.flags.behaved, M.flags.carray, M.T.flags.farray
        v.flags['foo']
        v.flags.foo
        v.flags.c_contiguous = True
        v.flags == v.flags, v.flags == M.flags, M.flags == M.T.flags, v.flags != M.T.flags
        hash(v.flags)
        del v.flags.owndata
        del v.flags.c_contiguous
        del v.flags.writeable
        str(v.flags)
        repr(M.T.flags)
    """)


def test_views(anywhere):
    check_lines("""
        v.view(np.ndarray)
        v.view(type=np.ndarray)
        v.view('i8', np.ndarray)
        v.view('i8', type=np.ndarray)
        v.view(dtype='i8')
        v.view(np.ndarray) is v
        v.view(type=np.ndarray).base is v
        w = v.view(type=np.ndarray); w[0] = 9; v
        f4.view(None)
        f4.view(dtype=None)
        v.view(type=None)
        v.view(int, int)
        v.view(type='x')
        v.view(np.ndarray, np.ndarray)
        v.view('foo')
        v.view(foo=1)
        M.T.view('f4')
        s.view('i8')
        s.view('i4')
    """)
