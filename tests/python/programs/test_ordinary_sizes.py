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
