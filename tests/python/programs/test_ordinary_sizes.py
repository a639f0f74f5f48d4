# SPDX-License-Identifier: BSD-3-Clause
"""Ordinary statements on matrices of a few hundred thousand elements with odd sides: what the engines do in blocks, panels and
pieces must be what NumPy does, also where the last of them is short."""

import numpy
import pytest

import oracle

ROWS, COLUMNS = 523, 611


def matrices(np, dtype="f8"):
    draw = numpy.random.default_rng(11)
    if numpy.dtype(dtype).kind in "fc":
        both = draw.random((2, ROWS, COLUMNS)) + 0.5
    else:
        both = draw.integers(0, 2 if dtype == "?" else 50, (2, ROWS, COLUMNS))
    return [np.asarray(each.astype(dtype)) for each in both]


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "i4", "f4", "f8", "c8", "c16"])
def test_operands_that_run_across(engine, dtype):
    def program(np):
        a, b = matrices(np, dtype)
        square, other = a[:511, :511], b[5:516, 7:518]
        wide = a[:, None, :] + b[:3].T[None, :, :1].astype(dtype)
        return [
            square + other.T,
            other.T | other if dtype == "?" else other.T * other,
            a.T.copy(),
            wide[::97],
            (square.T + other)[::-1].T,
        ]

    oracle.check(program)


def test_operands_that_run_across_three_axes(engine):
    def program(np):
        x = np.asarray(numpy.random.default_rng(3).random((41, 67, 83)))
        return [
            x + x.transpose(0, 2, 1)[:, :1, :67].transpose(0, 2, 1),
            x[:, :41, :41].transpose(2, 1, 0) * x[:, :41, :41],
            x.swapaxes(1, 2) + 1,
        ]

    oracle.check(program)


@pytest.mark.parametrize("dtype", ["i1", "i8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_reductions(engine, dtype, axis):
    def program(np):
        a, b = matrices(np, dtype)
        found = [a.sum(axis), (a + b).max(axis), b.T.sum(axis), (a[:257] * b[:257]).sum(axis), a[:, :300].min(axis)]
        return found + ([a.mean(axis), b.var(axis), a.std(axis) + b.mean(axis)] if dtype != "f2" else [])

    oracle.check(program)


ROLLS = {
    "laplacian": lambda np, u, w: np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u,
    "two axes at once": lambda np, u, w: u * np.roll(w, (3, -200), (0, 1)) - w,
    "rolled again": lambda np, u, w: np.roll(np.roll(u, 2, 0), 3, 1) * 2 + np.roll(u + w, 1, 1),
    "its own result": lambda np, u, w: np.roll(2 * u - np.roll(w, 1), -5, 1) + u,
    "backwards": lambda np, u, w: np.roll(u[::-1], 1, 0) + u[:, ::-1],
    "of a view": lambda np, u, w: np.roll(u[1:-1, 2:], 7, 1) - w[2:, :-2],
    "joined": lambda np, u, w: np.concatenate([u[:100], w, u[300:]]) * 2 - 1,
    "stacked": lambda np, u, w: np.stack([u, w, u - w], axis=1).sum(axis=1) + np.hstack([u, w])[:, 100 : 100 + u.shape[1]],
    "padded": lambda np, u, w: np.pad(u, ((1, 2), (3, 0)), mode="wrap") * 3,
    "kept and read": lambda np, u, w: [np.roll(u, 1, 0) + w, (np.roll(u, 1, 0) * w).sum(), (np.roll(w, 9, 1) > 1).any(axis=0)],
    "of integers": lambda np, u, w: np.roll((u > 1).astype("i1"), 1, 1) + np.roll((w > 1).astype("i4"), -1, 0),
}


@pytest.mark.parametrize("name", ROLLS)
def test_put_together_and_read(engine, name):
    oracle.check(lambda np: ROLLS[name](np, *matrices(np)))


def test_waves_on_a_ring(engine):
    def program(np):
        u, w = matrices(np)
        for _ in range(6):
            u, w = 2 * u - w + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u), u
        v = u.copy()
        v += np.roll(v, 1, 0)  # reads what it writes
        v[:] = np.roll(v, -1, 1) + v
        return [u, w, v]

    oracle.check(program)


def test_a_source_that_changes_before_it_is_read(engine):
    def program(np):
        u, w = matrices(np)
        rolled = np.roll(u, 1, 0)
        u[3:9] = -1
        first = rolled + w
        rolled = np.roll(u, 2, 1)
        second = rolled * w
        u *= 2
        return [first, second, u]

    oracle.check(program)


def test_counts(engine):
    def program(np):
        u, w = matrices(np)
        mask = u > 1
        cube = np.asarray(numpy.random.default_rng(1).random((37, 41, 53)) > 0.3)
        found = [
            np.count_nonzero(mask),
            mask.sum(),
            (u > w).sum(0),
            (w < u).sum(axis=1),
            mask[:, 3].sum(),
            mask[::2, ::-3].sum(0),
        ]
        found += [
            mask.sum(1, dtype="i4"),
            mask.T.sum(1),
            np.count_nonzero(mask[7:], axis=1),
            mask.mean(),
            np.count_nonzero(u.view("u8") % 3),
        ]
        return (
            found + [cube.sum(axis) for axis in (0, 1, 2, (0, 1), (1, 2), (0, 2), None)] + [mask[:0].sum(0), mask[:, :0].sum(1)]
        )

    oracle.check(program)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_products_with_the_own_transpose(engine, dtype):
    def program(np):
        a = matrices(np, dtype)[0]
        thin, low = a[:, :53], a[:41]
        return [
            thin.T @ thin,
            low @ low.T,
            thin[::2].T @ thin[::2],
            thin.T @ thin[:, ::-1],
            low[:, 3:] @ low[:, :-3].T,
            thin.T @ thin[:, :9],
            thin[:, :9].T @ thin,
            low @ low[:7].T,
            low[:7] @ low.T,
            low[:5] @ low[:3].T,
            np.cov(low),
            np.cov(thin, rowvar=False),
        ]

    oracle.check(program)
