# SPDX-License-Identifier: BSD-3-Clause
"""Products and decompositions of stacks of small matrices, transposed operands, and long thin products."""

import itertools

import numpy
import pytest

from oracle import check_all

SIDES = [(1, 1, 1), (2, 2, 2), (3, 3, 1), (3, 3, 3), (4, 4, 4), (1, 5, 7), (7, 2, 9), (8, 8, 8), (9, 11, 13), (33, 20, 17)]


def numbers(dtype, *shape):
    draw = numpy.random.RandomState(sum(shape))
    if numpy.dtype(dtype).kind == "c":
        return (draw.standard_normal(shape) + 1j * draw.standard_normal(shape)).astype(dtype)
    return (draw.standard_normal(shape) * 8).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "i8", "u1", "?"])
def test_stacks(engine, dtype):
    def programs():
        for m, k, n in SIDES:
            for lead_a, lead_b in (((11,), (11,)), ((11,), ()), ((), (11,)), ((2, 5), (5,)), ((2, 1), (5,))):
                a, b = numbers(dtype, *lead_a, m, k), numbers(dtype, *lead_b, k, n)
                yield f"{a.shape} {b.shape}", lambda np: np.array(a) @ np.array(b)
            a, b = numbers(dtype, 6, k, m), numbers(dtype, 6, n, k)
            yield f"turned {m} {k} {n}", lambda np: np.array(a).swapaxes(1, 2) @ np.array(b).swapaxes(1, 2)
            yield f"steps {m} {k} {n}", lambda np: np.array(a).swapaxes(1, 2)[::-2] @ np.array(b).swapaxes(1, 2)[1::2]
            c = numbers(dtype, m, k, 6)
            yield f"last {m} {k} {n}", lambda np: np.moveaxis(np.array(c), 2, 0) @ np.array(b).swapaxes(1, 2)

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_rows_times_matrices(engine, dtype):
    s, v = numbers(dtype, 50, 3, 3), numbers(dtype, 50, 3)

    def programs():
        for text in ("nij,nj->ni", "nij,ni->nj", "nij,njk->nik", "ni,ni->n"):
            other = s if text.count("k") else v
            first = v if text.startswith("ni,") else s
            yield text, lambda np: np.einsum(text, np.array(first), np.array(other))
        yield "one vector", lambda np: np.array(s) @ np.array(v[0])
        yield "columns", lambda np: np.array(s) @ np.array(v)[:, :, None]

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "c16", "f4"])
def test_decompositions_of_stacks(engine, dtype):
    def programs():
        for n, lead in itertools.product((1, 2, 3, 5), ((), (40,), (3, 7), (200,))):
            a, b = numbers(dtype, *lead, n, n), numbers(dtype, *lead, n, 2)
            yield f"det {n} {lead}", lambda np: np.linalg.det(np.array(a))
            yield f"inv {n} {lead}", lambda np: np.linalg.inv(np.array(a))
            yield f"solve {n} {lead}", lambda np: np.linalg.solve(np.array(a), np.array(b))
            yield f"turned {n} {lead}", lambda np: np.linalg.inv(np.array(a).swapaxes(-1, -2))
            if lead:
                yield f"steps {n} {lead}", lambda np: np.linalg.det(np.array(a)[::-2])

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "c8", "i8"])
def test_long_thin_products(engine, dtype):
    def programs():
        for k, m, n in ((511, 3, 3), (512, 3, 3), (1000, 5, 1), (5000, 1, 4), (20_011, 7, 7), (3000, 100, 20)):
            a, b = numbers(dtype, k, m), numbers(dtype, k, n)
            yield f"{k} {m} {n}", lambda np: np.array(a).T @ np.array(b)
            yield f"{k} {m} {n} rows", lambda np: np.array(a.T.copy()) @ np.array(b)
            yield f"{k} {m} {n} steps", lambda np: np.array(a)[::-3].T @ np.array(b)[::-3]
        a, v = numbers(dtype, 300, 200), numbers(dtype, 300)
        yield "turned times vector", lambda np: np.array(a).T @ np.array(v)
        yield "vector times matrix", lambda np: np.array(v) @ np.array(a)
        yield "matrix times vector", lambda np: np.array(a) @ np.array(v[:200])
        yield "vector times turned", lambda np: np.array(v[:200]) @ np.array(a).T

    check_all(programs())
