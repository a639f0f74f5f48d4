# SPDX-License-Identifier: BSD-3-Clause
"""Assignments through masks and indices whose values, keys and targets share memory: what is assigned is read before anything
is written. And what subscripts may cost: memory, and the rules of views that must not be written."""

import numpy
import pytest

import gamelan
from oracle import check, check_all

STATEMENTS = """
a[a > 3] = a[0]
a[a.T > 3] = -a[a.T > 3]
a[i, j] = a[j, i]
a[i, j] = a[0, :4]
a[i, j] += a[j, i]
a[:, m] = a[:, ::-1][:, m]
a[m] = a[::-1][m]
a[m, 1:] = a[m, :-1]
a[m] *= a[m]
a[m][0] = 99
a.T[m] = a[m]
a[::-1][m, i[0]] = a[0, m]
m[m] = False
m[~m] = m[0]
m[i] = m
i[i > 1] = i[0]
a.flat[::2] = a.flat[1::2]
a.flat[:] = a.T.flat.copy()
a.T.flat[3:9] = a[0]
a.flat[i] = a[1]
np.put(a, i, a[0].copy())
np.place(a, a > 2, a[1].copy())
np.putmask(a, a > 2, a[::-1].copy())
np.fill_diagonal(a, a[0].copy())
np.put_along_axis(a, np.argsort(a, 1), a.copy(), 1)
a.itemset(3, 7)
a.itemset((1, 2), a[0, 3])
"""


def test_overlap(engine):
    def program(np, line):
        a, i, j, m = (
            np.arange(16.0).reshape(4, 4),
            np.array([3, 0, 2, 3]),
            np.array([1, 1, 0, 2]),
            np.array([True, False, True, True]),
        )
        exec(line, {"np": np, "a": a, "i": i, "j": j, "m": m})
        return a, i, m

    check_all((line, lambda np, line=line: program(np, line)) for line in STATEMENTS.strip().split("\n"))


def test_what_must_not_be_written(engine):
    lines = ["a.diagonal()[0] = 1", "np.diagonal(a)[np.array([0])] = 1", "a.diagonal()[np.array([True, False, True])] = 1", "b[[0, 1], [1, 1]] = 1",
             "b[b > 1] = 1", "b.flat[3] = 1", "np.put(b, [1], 2)", "np.place(b, b > 0, 1)", "np.fill_diagonal(b, 1)", "a.diagonal().copy()[[0]] = 1"]  # fmt: skip

    def program(np, line):
        a, b = np.arange(9.0).reshape(3, 3), np.broadcast_to(np.arange(3.0), (3, 3))
        exec(line, {"np": np, "a": a, "b": b})
        return a, b

    check_all((line, lambda np, line=line: program(np, line)) for line in lines)


def test_repeated_axes_are_not_made(engine):
    """An index along an axis of broadcast_to needs no array of that extent: 2**40 elements would not fit."""
    wide = gamelan.broadcast_to(gamelan.arange(4.0)[:, None], (4, 2**40))
    assert gamelan.asarray(wide[gamelan.array([3, 1]), gamelan.array([2**39, 5])]).tolist() == [3, 1]
    assert wide[[[3], [1]], [7, 8, 9]].tolist() == [[3, 3, 3], [1, 1, 1]]
    check(lambda np: np.broadcast_to(np.arange(4.0)[:, None], (4, 5))[np.array([[3], [1]]), np.array([0, 2, 4])])
    check(lambda np: np.broadcast_to(np.arange(5.0), (4, 5))[np.array([[3], [1]]), np.array([0, 2, 4])])
    check(lambda np: np.broadcast_to(np.arange(5.0), (4, 5))[[9, 1], [0, 1]])


@pytest.mark.parametrize(
    "line", ["a[m]", "b[m.reshape(b.shape)]", "a[m] = 5", "a[m] = v", "b[m.reshape(b.shape)] = v", "b[i, j]", "b[i, j] = 1"]
)
def test_memory(engine, ranks, line):
    """Not more than three times what the operands and the result need."""
    if not ranks:
        pytest.skip("needs engines")
    size = 400_000
    a = gamelan.arange(float(size))
    names = {
        "a": a,
        "b": a.reshape(400, 1000).copy(),
        "m": gamelan.arange(size) % 2 == 0,
        "v": gamelan.arange(size / 2),
        "i": gamelan.arange(size // 4) % 400,
    }
    names["j"] = (gamelan.arange(size // 4) * 7919) % 1000
    used = {name: array for name, array in names.items() if name in line.replace(".reshape(b.shape)", "")}
    del a, names
    gamelan.stats(reset=True)
    before = gamelan.stats()["heap_bytes"]
    if " = " in line:
        exec(line, used)
        gamelan.sync()
    else:
        result = eval(line, used)
        gamelan.sync()
        before += result.nbytes
    assert gamelan.stats()["heap_peak"] <= 3 * before + 65536 * ranks * numpy.dtype("f8").itemsize
