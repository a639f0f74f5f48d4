# SPDX-License-Identifier: BSD-3-Clause
"""Bools whose bytes are neither 0 nor 1 (a mask of an image is 0 and 255): whatever is computed with them is what NumPy
computes, and the bytes stay what they are for those who look at bytes."""

import copy
import os
import pickle

import numpy
import pytest

from oracle import check_all

N = 1200

MAKES = {
    "a view": lambda np: (np.arange(N) % 2 * 255).astype("u1").view(bool),
    "NumPy's array": lambda np: np.asarray((numpy.arange(N) % 2 * 255).astype("u1").view(bool)),
    "bytes": lambda np: np.frombuffer(bytes([0, 4]) * (N // 2), bool),
    "written through a view": lambda np: _written(np.zeros(N, bool)),
    "every other byte": lambda np: (np.arange(2 * N) // 2 % 2 * 7).astype("i1").view(bool)[::2],
}

READS = """
    m.sum()
    m.sum(dtype=bool)
    m.sum(dtype='u1')
    np.count_nonzero(m)
    np.count_nonzero(t, axis=0)
    m.mean()
    m.std()
    m.prod()
    m.any()
    m[1::2].all()
    m.max() & True
    m[1::2].min() & True
    m.argmax()
    m.argmin()
    np.add.reduce(m)
    np.bitwise_xor.reduce(m)
    np.logical_and.reduce(m)
    m * 3
    m * 2.5
    m + 1
    m + m
    m * m
    m ** 2
    ~m
    m & True
    m | False
    m ^ True
    m == True
    m == (x % 2 == 1)
    m != (x % 2 == 1)
    m < 1
    m > False
    np.logical_not(m)
    np.maximum(m, False)
    np.sqrt(m)
    np.logaddexp(m, m)
    np.add(m, m, dtype=int)
    np.add(m, 0, out=np.zeros(N))
    np.add(x, 1, where=m, out=np.zeros(N, int))
    m.astype(int)
    m.astype('u1')
    m.astype('f4')
    m.astype(complex)
    np.asarray(m, int)
    m.cumsum()
    np.logical_xor.accumulate(m)
    np.add.reduceat(m, [0, 5])
    np.diff(m)
    m.nonzero()
    np.argwhere(t)
    np.flatnonzero(m)
    np.argsort(m, kind='stable')
    np.lexsort((x, m))
    np.sort(m) & True
    np.unique(m) & True
    np.median(m)
    np.percentile(m, 30)
    np.bincount(m)
    np.histogram(m * 1)[0]
    np.histogram(x, weights=m)[0]
    np.average(x, weights=m)
    np.packbits(m)
    np.interp(m, [0, 1], [0, 5.0])
    np.isin(m, [True])
    np.array_equal(m, m != 0)
    np.where(m, x, -x)
    np.select([m], [x])
    np.choose(m * 1, [x, -x])
    np.extract(m, x)
    np.compress(m, x)
    np.delete(x, m)
    np.repeat(x, m)
    np.sum(x, where=m)
    np.max(x, where=m, initial=0)
    x[m]
    x[~m]
    x.reshape(30, 40)[t]
    x.reshape(30, 40)[:, t[0]]
    x[m * 1]
    t @ t.T
    t @ x.reshape(40, 30)
    np.dot(m, x)
    np.outer(m, m)
    np.einsum('ij->j', t * 1)
    np.einsum('i,i', m, x)
    np.trace(t)
    np.convolve(m, m[:5])
    np.fft.fft(m)
    np.concatenate([m, x])
    np.concatenate([m, m]) & True
    np.tile(m, 2).sum()
    np.roll(m, 3).sum()
    m[[1, 2, 3]] & True
    np.take(m, [1, 2]).sum()
    m.copy().sum()
    m.reshape(30, 40).T.sum(0)
    m[::-3].sum()
    m[1]
    m[1] + 1
    m[1] * 2.5
    m.item(1)
    [v for v in m[:5]]
    m.tolist()
    [int(m[i]) for i in range(9)]
    np.full(5, m[1]) + 0
    np.array([m[1], 5])
    str(m[:3])
    f'{m[1]}'
    copy.deepcopy(m).sum()
    pickle.loads(pickle.dumps(m)).sum()
"""

WRITES = """
    a[m] = 3
    a[m] = x[: N // 2]
    a[~m] += 5
    a[m & (x > 7)] *= 2
    a[:] = m
    a[5] = m[1]
    a += m
    a *= m
    np.putmask(a, m, -x)
    np.place(a, m, [1, 2])
    np.copyto(a, 3, where=m)
    np.add.at(a, x, m)
    np.fill_diagonal(a.reshape(30, 40), m[1])
    b[:] = m
    b |= m
    b ^= m
    b[3:9] = m[1]
    m[m] = False
    m[1] = False
    m &= x % 3 == 0
    m[:] = ~m
    m |= True
    m ^= m[::-1]
    np.logical_not(m, out=m)
    np.greater(x, 5, out=m)
    np.logical_xor.at(m, [1, 1, 3], True)
    np.add.at(m, [1, 1, 2], m[3])
    m.sort()
    m.fill(True)
    np.putmask(m, m, False)
    m.view('u1')[4] = 77
"""


def _written(mask):
    mask.view("u1")[1::2] = 254
    return mask


def _scope(np, make):
    m = make(np)
    return {
        "np": np,
        "m": m,
        "t": m.reshape(30, 40),
        "x": np.arange(N),
        "a": np.arange(N) + 10,
        "b": np.zeros(N, bool),
        "N": N,
        "copy": copy,
        "pickle": pickle,
    }


@pytest.mark.parametrize("which", MAKES)
def test_reading(engine, which):
    check_all(
        (line, lambda np, line=line: eval(line, _scope(np, MAKES[which]))) for line in map(str.strip, READS.strip().splitlines())
    )


@pytest.mark.parametrize("which", ["a view", "NumPy's array", "written through a view"])
def test_writing(engine, which):
    def program(np, line):
        scope = _scope(np, MAKES[which])
        exec(line, scope)
        return scope["a"], scope["b"] & True, scope["m"] & True, scope["m"].sum()

    check_all((line, lambda np, line=line: program(np, line)) for line in map(str.strip, WRITES.strip().splitlines()))


def test_bytes_are_seen_and_written_as_they_are(engine):
    def program(np):
        u = (np.arange(N) % 2 * 255).astype("u1")
        m = u.view(bool)
        before = m.view("u1").sum(), m.sum()
        u[0] = 9
        m[1] = False
        m[3] = True
        m[4] = m[0]
        return (
            before,
            m[:6],
            u[:4],
            u[5:],
            m.sum(),
            np.arange(9.0).view(bool).sum(),
            np.arange(9, dtype="i4").view(bool).reshape(-1, 4).any(1),
        )

    check_all([("bytes", program)])


def test_operands_that_are_here(mixed):
    def program(np):
        here = (numpy.arange(N) % 2 * 255).astype("u1").view(bool)
        row, cell = here[:40], here[1:2].reshape(())
        x, a, b = np.arange(N), np.zeros(N), np.zeros((30, 40), bool)
        a[here] = 3
        b[:] = row
        b[2, 3:9] = cell
        b |= row
        t = x.reshape(30, 40)
        whole = x + here, x * here, np.where(here, x, 0), x[here], x + cell, np.full(N, cell).sum()
        return whole, a, b.sum(0), t[:, row], t * row, np.broadcast_to(row, (30, 40)) + t

    check_all([("here", program)])


def test_files(engine, tmp_path):
    mask = (numpy.arange(N) % 2 * 255).astype("u1").view(bool)
    name = os.fspath(tmp_path / "mask.npy")
    numpy.save(name, mask.reshape(30, 40, order="F"))
    numpy.savez(tmp_path / "masks.npz", mask=mask)
    numpy.savez_compressed(tmp_path / "packed.npz", mask=mask)

    def program(np):
        whole, lazy = np.load(name), np.load(name, mmap_mode="r")
        np.save(tmp_path / "copy.npy", mask if np is numpy else np.asarray(mask))
        others = [np.load(tmp_path / file)["mask"] for file in ("masks.npz", "packed.npz")]
        raw = np.fromfile(name, bool, offset=128)
        return (
            whole.sum(0),
            whole * 3,
            lazy[3:, ::2].sum(0),
            lazy.sum(),
            raw.sum(),
            [other + 1 for other in others],
            np.load(tmp_path / "copy.npy").sum(),
        )

    check_all([("files", program)])
