# SPDX-License-Identifier: BSD-3-Clause
"""Keywords and outputs of matmul and dot, and trapz of bools."""

import pytest

from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


def test_axes(anywhere):
    check_lines("""
        np.matmul(M, M, axes=[(0, 1), (0, 1), (0, 1)])
        np.matmul(M, M, axes=[(1, 0), (0, 1), (0, 1)])
        np.matmul(M, M, axes=[(-2, -1), (-1, -2), (-1, -2)])
        np.matmul(T, T.transpose(0, 2, 1), axes=[(1, 2), (1, 2), (0, 1)])
        np.matmul(T, T.transpose(0, 2, 1), axes=[(-2, -1), (-2, -1), (2, 0)])
        np.matmul(T, T, axes=[(1, 2), (2, 1), (0, 1)])
        np.matmul(T, T, axes=[(0, 2), (2, 0), (0, 1)])
        np.matmul(M, v[:S], axes=[(0, 1), 0, 0])
        np.matmul(M, v[:S], axes=[(1, 0), (0,), (0,)])
        np.matmul(v[:S], M, axes=[0, (1, 0), 0])
        np.matmul(v, v, axes=[0, 0])
        np.matmul(v, v, axes=[0, 0, ()])
        np.matmul(M, M, axes=[(0, 1), (0, 1)])
        np.matmul(M, M, axes=[(0, 1), (0, 1), (0,)])
        np.matmul(M, M, axes=[(0, 0), (0, 1), (0, 1)])
        np.matmul(M, M, axes=[(0, 2), (0, 1), (0, 1)])
        np.matmul(M, M, axes=[(0.0, 1), (0, 1), (0, 1)])
        np.matmul(M, M, axes=((0, 1), (0, 1), (0, 1)))
        np.matmul(M, M, axes=0)
        np.matmul(M, M, axis=0)
        np.matmul(M, M, keepdims=True)
        np.matmul(M, M, where=True)
        np.matmul(M, M, foo=1)
        np.matmul(M, M, axes=[(1, 0), (0, 1), (1, 0)], out=np.zeros((S, S)))
        np.matmul(T, T.transpose(0, 2, 1), axes=[(1, 2), (1, 2), (0, 1)], out=np.zeros((3, 3, 2)))
        np.matmul(T, T.transpose(0, 2, 1), out=np.zeros((3, 3, 2)))
    """)


def test_dtypes(anywhere):
    outputs = "\n".join(f"np.matmul(M, M, out=np.zeros((S, S), {dtype}), casting={casting})" for dtype in ("'f4'", "'f8'", "'c16'", "'i8'", "bool")
                        for casting in ("'no'", "'safe'", "'same_kind'", "'unsafe'", "'foo'"))  # fmt: skip
    loops = "\n".join(f"np.matmul({array}, Mi, dtype={dtype}, casting={casting})" for array in ("M", "Mi") for dtype in ("'f4'", "'i8'", "'c16'", "bool", "'foo'")
                      for casting in ("'equiv'", "'safe'", "'same_kind'", "'unsafe'"))  # fmt: skip
    check_lines(
        outputs
        + "\n"
        + loops
        + """
        np.matmul(M, M, signature='ff->f')
        np.matmul(M, M, signature='xx->d')
        np.matmul(M, M, order='Z')
        np.matmul(M, M, subok='x')
        np.matmul(M, 'x')
        np.matmul(M, 2)
        np.matmul(M, M, M, M)
    """
    )


def test_outputs(anywhere):
    check_lines("""
        np.matmul(M, M, np.zeros((S, S), 'i8'), casting='unsafe')
        np.matmul(M, M, out=np.zeros((2, S, S)))
        np.matmul(M, M, out=np.zeros((S, S - 1)))
        np.matmul(M, M, out=np.zeros(S))
        np.matmul(v, v, out=np.zeros(3))
        np.matmul(v, v, out=np.zeros(()))
        np.matmul(M, v[:S], out=np.zeros((2, S)))
        np.matmul(T, T.transpose(0, 2, 1), out=np.zeros((3, 3)))
        np.matmul(M, M, out=M); M
        np.matmul(M, M, out=M.T); M
        np.matmul(M, M, out=(np.zeros((S, S)),))
        np.matmul(M, M, out=[0.0])
        M.setflags(write=False); np.matmul(M, M, out=M)
        np.dot(M, M, out=np.zeros((S, S)).T)
        np.dot(M, M, out=np.zeros((S, S), 'f4'))
        np.dot(M, M, out=M)
    """)


def test_trapz(anywhere):
    check_lines("""
        np.trapz(b)
        np.trapz(v, b)
        np.trapz(b, b)
        np.trapz(M, M > 0)
        np.trapz(M, M > 0, axis=0)
        np.trapz(M, v[:S], axis=0)
        np.trapz(M, v[:S - 1])
        np.trapz(u1, u1)
        np.trapz(v, axis=1.0)
    """)
