# SPDX-License-Identifier: BSD-3-Clause
"""Iterators over elements and their places: np.broadcast and np.ndenumerate."""

import pytest

import gamelan
from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


def test_broadcast(anywhere):
    check_lines("""
        x = np.broadcast(v, 3); y = next(iter(x)); y, x.index
        x = np.broadcast(v, s); y = [next(x), next(x), next(x)]; y, x.index
        x = np.broadcast(v, s); y = next(x); x.reset(); x.index, next(x), y
        x = np.broadcast(M, v[:S]); y = list(x); y, x.index, x.size, x.nd, x.ndim, x.numiter, x.shape
        x = np.broadcast(v[:S, None], i[:3], b[0]); list(x)
        x = np.broadcast(v, v); list(x)[-1], next(x)
        x = np.broadcast(v, i, b); [type(each).__name__ for each in next(x)]
        x = np.broadcast(M, v[:S]); len(x.iters)
        x = np.broadcast(np.broadcast(v, s), v); x.numiter, next(x)
        x = np.broadcast(np.broadcast([1], 2), v); x.numiter, next(x)
        x = np.broadcast(np.zeros((0, N)), v); list(x)
        x = np.broadcast(v); list(x)
        x = np.broadcast(v, s); iter(x) is x
        np.broadcast(v, v[:3])
        np.broadcast(*[v] * 33).numiter
        len(np.broadcast(v, s))
        x = np.broadcast(v, s); x.index = 3
    """)


def test_ndenumerate(anywhere):
    check_lines("""
        list(np.ndenumerate(v))
        list(np.ndenumerate(T))
        list(np.ndenumerate(M.T[1:, ::-2]))
        list(np.ndenumerate(s))
        list(np.ndenumerate(c.sum()))
        list(np.ndenumerate(np.zeros((0, N))))
        [type(each[1]).__name__ for each in np.ndenumerate(i)]
        x = np.ndenumerate(M); y = next(x), next(x); iter(x) is x, y, next(x)
        list(np.ndenumerate([[1, 2], [3, 4]]))
        list(np.ndenumerate('ab'))
        list(np.ndenumerate([v[0], 2.0]))
        np.ndenumerate()
    """)


def test_elements_come_in_parts(engine):
    x = gamelan.arange(200000).reshape(2, 100000)
    places = [each for each in gamelan.ndenumerate(x) if each[1] % 50000 == 7]
    assert places == [((0, 7), 7), ((0, 50007), 50007), ((1, 7), 100007), ((1, 50007), 150007)]
