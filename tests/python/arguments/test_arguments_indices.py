# SPDX-License-Identifier: BSD-3-Clause
"""Indices, counts and places of another type than int: lists and arrays of floats, bools, text, uint64. And what takes
elements into an output of another dtype."""

import pytest

from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


def test_take(anywhere):
    kinds = "[1.5] 1.5 numpy.float64(1.5) np.array([1.0]) f4 c True [True,False] b '1' ['1','2'] None [None] 1j [] np.array([]) (1,2) slice(2) u1 u1.astype('u8') np.array([1,2],'u8') 2**70 [2**63] N -N-1 v.sum()*0+1.5"
    check_lines(
        "\n".join(f"np.take(v, {kind})" for kind in kinds.split())
        + """
        np.take(v, [1.0, 2.0])
        np.take(v, [N], mode='c')
        np.take(v, [N], mode='Wrap')
        np.take(v, [N], mode=1)
        np.take(v, [N], mode=None)
        np.take(v, [N], mode=7)  # NumPy 1
        np.take(v, [N], mode='x')
        np.take(M, 0, True)
        np.take(M, 0, 1.0)
        np.take(M, 0, (1,))
        np.take(s, 0, 0)
        np.take(s, [0, 0], axis=-1)
        np.take(s, 0, axis=1)
        np.take(s, 1, axis=0)
    """
    )


def test_put(anywhere):
    kinds = "[1.7,2.2] 1.7 numpy.float64(1.0) np.array([1.0]) f4 True [True,False] b '1' ['1'] None [] np.array([]) 1j (1,2) [[1,2],[3,4]] [2**70] u1.astype('u8')"
    check_lines(
        "\n".join(f"np.put(v, {kind}, [5, 6]); v" for kind in kinds.split())
        + """
        np.put(ro, [], 5); ro
        np.put(v, [N], 5, 1); v
        np.put(v, [N], 5, 'Clip'); v
        v.put([1.0, 2.0], 5); v
        np.put(s, [0.0], 5); s
        np.put(i, [1], [2.7]); i
        np.put(M.T, [1, 2], v[:2]); M
        np.put_along_axis(M, np.arange(S), v[:S], None); M
        np.put_along_axis(M.T, np.arange(S), v[:2], None); M  # NumPy 1
        np.put_along_axis(M, np.arange(S), [], None); M  # NumPy 1
        np.put_along_axis(M, np.arange(S), 'x', None); M
        np.put_along_axis(M, Mi, 5, None); M
        np.put_along_axis(ro, I, 5, None); ro
    """
    )


def test_rows(anywhere):
    kinds = (
        "f4 [1.0,2.0] np.array([1.0,2.0]) 1.0 np.array(1.0) True b '1' None [] np.array([]) np.zeros((0,3)) np.array([],bool) c"
    )
    check_lines(
        "\n".join(
            f"np.delete(v, {kind})\n np.insert(v, {kind}, 5){'  # NumPy 1' * (kind == 'True')}\n np.repeat(v, {kind})\n np.roll(v, {kind})"
            for kind in kinds.split()
        )
        + """
        np.delete(M, 1, 1.0)
        np.insert(M, 1, 5, 1.0)
        np.repeat(M, 2, True)
        np.repeat(M, 2, 1.0)
        np.roll(v, float(N))
        np.roll(M, (2.0, 3), (0, 1))
        np.roll(v, 2.5)
        np.split(v, 2.0)
        np.split(v, [2.0, 3.0])
        np.split(v, np.array([2.0, 3.0]))
        np.array_split(v, 2.5)
        np.compress([1, 0], M, True)
        np.compress([1.0, 0.0], v)
    """
    )


def test_elements(anywhere):
    check_lines("""
        v.item(1.0)
        v.item('1')
        v.item(True)
        v.item(1, 2)
        M.item(1, 2.0)
        M.item(1, numpy.int8(2))
        v.item((1,))
        v.itemset(True, 5); v
        v.itemset(1, 5); v
        M.itemset(1, 2.0, 5); M
        M.itemset(1, 2, [5]); M
        M.itemset((1, 2), 'x'); M
        M.itemset(1, 2, v[1]); M
    """)


def test_taking_into_an_output(anywhere):
    programs = []
    for dtype in ("'f2'", "'f4'", "'f8'", "'c8'", "'c16'", "'i2'", "'i8'", "'u8'", "bool"):
        for array in ("v", "f4", "i", "i4", "b", "c8"):
            programs += [
                f"np.take({array}, I, out=np.zeros(N, {dtype}))",
                f"np.compress(b, {array}, out=np.zeros(int(b.sum()), {dtype}))",
                f"np.choose(i % 2, [{array}, {array}], out=np.zeros(N, {dtype}))",
            ]
    check_lines(
        "\n".join(programs)
        + """
        np.take(f4, I, out=np.zeros(N), mode='clip')
        np.take(v, I, out=np.zeros(N - 1))
        np.take(v, I, out=ro)
        np.take(v, I % 5, out=v)
        np.choose(i % 2, [f4, v], out=np.zeros(N, 'f4'))
        np.choose(i % 2, [v, v], out=np.zeros((1, N)))
        np.choose(i, [v, v], mode=1)
        np.choose(u1.astype('u8') % 2, [v, v])
        np.choose([1.0, 0.0], [v[:2], v[:2]])
        np.choose(i % 2, [v] * 33)
        np.choose(i % 2, np.zeros((40, N)))
    """
    )


def test_sources_of_a_copy(anywhere):
    check_lines("""
        np.copyto(u1, 300); u1
        np.copyto(u1, -1); u1
        np.copyto(i4, 2**40); i4
        np.copyto(i, 1.5); i
        np.copyto(v, 2**70); v
    """)
