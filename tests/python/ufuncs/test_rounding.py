# SPDX-License-Identifier: BSD-3-Clause
"""round, around and .round() of every dtype, with and without axes, to any number of decimals and into any output."""

import pytest

from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "i8", "u1", "u8", "?"])
def test_decimals(engine, dtype):
    arrays = [
        f"v.astype('{dtype}')",
        f"v.astype('{dtype}')[3]",
        f"np.array(1.2345678, '{dtype}')",
        f"np.array([1.2345678], '{dtype}')",
        f"(c * 17).astype('{dtype}').sum()",
    ]
    check_lines(
        "\n".join(f"np.round({array}, {decimals})" for array in arrays for decimals in (0, 1, 4, 5, 9, 40, 400, -1, -5, -400))
    )


@pytest.mark.parametrize("array", ["v", "f4", "c8", "i", "i4", "b", "f4[3:4]"])
def test_outputs(engine, array):
    dtypes = ("'f2'", "'f4'", "'f8'", "'c8'", "'c16'", "'i4'", "'i8'", "'u1'", "bool")
    check_lines(
        "\n".join(
            f"np.round({array}, {decimals}, np.zeros({array}.shape, {dtype}))" for dtype in dtypes for decimals in (0, 2, -1)
        )
    )


def test_arguments(anywhere):
    check_lines("""
        np.round(f4, 1.0)
        np.round(f4, True)
        np.round(f4, '1')
        np.round(f4, None)
        np.round(f4, numpy.int8(1))
        np.round(f4, np.array([1]))
        np.round(f4, 2**70)
        f4.round(4)
        f4.round(decimals=4)
        np.around(np.array(1.2345678, 'f4'), 4)
        np.round_(f4[3], 4)
        round(f4[3], 3)
        np.round(v, 2, out=np.zeros((1, N)))
        np.round(v, 2, out=np.zeros((2, N // 2)))
        np.round(v, 2, out=np.zeros(N - 1))
        np.round(v, 2, out=ro)
        np.round(i, 2, out=np.zeros((1, N), int))
        np.round(v, 2, out=v); v
        np.round(v, 2, out=v[::-1]); v
        np.round(v, 2, out=(np.zeros(N),))
        np.round(v, 2, out=[0.0])
        np.round(i) is i
        np.round(v) is v
        np.round(M.T, 2)
        np.unwrap(u1, period=4)
        np.unwrap(u1, period=5)
        np.unwrap(i4, period=4)
        np.unwrap(f4)
    """)
