# SPDX-License-Identifier: BSD-3-Clause
"""packbits, unpackbits and reduceat of rows of every length, and of lines along axes."""

import itertools

import numpy
import pytest

import gamelan
from oracle import check_all


def test_bits(engine):
    draw = numpy.random.RandomState(5)

    def programs():
        for count, order in itertools.product((1, 7, 8, 9, 63, 64, 65, 1000, 10_007), ("big", "little")):
            bools, numbers = draw.rand(count) < 0.5, draw.randint(0, 256, count).astype("u1")
            for row in (bools, numbers, numbers.astype("i8") - 128):
                yield f"pack {count} {row.dtype}", lambda np: np.packbits(np.array(row), bitorder=order)
                yield f"pack back {count} {row.dtype}", lambda np: np.packbits(np.array(row)[::-1], bitorder=order)
            yield f"unpack {count}", lambda np: np.unpackbits(np.array(numbers), bitorder=order)
            yield f"unpack back {count}", lambda np: np.unpackbits(np.array(numbers)[::-2], bitorder=order)
            for wanted in (0, 3, 8 * count - 1, 8 * count + 5, -1, -8 * count):
                yield f"unpack {count} {wanted}", lambda np: np.unpackbits(np.array(numbers), count=wanted, bitorder=order)
        matrix = draw.randint(0, 3, (6, 13, 16)).astype("u1")
        for axis in (None, 0, 1, 2, -1):
            yield f"pack axis {axis}", lambda np: np.packbits(np.array(matrix), axis)
            yield f"pack turned {axis}", lambda np: np.packbits(np.array(matrix).T, axis)
            yield f"unpack axis {axis}", lambda np: np.unpackbits(np.array(matrix), axis)
            for wanted in (5, 200, -3):
                yield f"unpack axis {axis} {wanted}", lambda np: np.unpackbits(np.array(matrix), axis, count=wanted)

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "c16", "?"])
def test_reduceat(engine, dtype):
    draw = numpy.random.RandomState(7)
    row = draw.randint(0, 3, 10_000).astype(dtype)
    indices = {
        "rising": numpy.unique(draw.randint(0, row.size, 50)),
        "any": draw.randint(0, row.size, 50),
        "all": numpy.arange(row.size),
        "every third": numpy.arange(0, row.size, 3),
        "every tenth, then others": numpy.concatenate([numpy.arange(0, 6000, 10), numpy.arange(6000, 9990, 33), [9998]]),
        "one": numpy.array([0]),
        "last": numpy.array([5, row.size - 1]),
        "equal": numpy.array([4, 4, 4, 9]),
    }

    def programs():
        for name, starts in indices.items():
            for function in ("add", "maximum", "logical_or", "subtract" if dtype != "?" else "minimum"):
                yield f"{function} {name}", lambda np: getattr(np, function).reduceat(np.array(row), np.array(starts))
                yield f"{function} {name} back", lambda np: getattr(np, function).reduceat(np.array(row)[::-1], starts)
        yield "rows", lambda np: np.add.reduceat(np.array(row.reshape(100, 100)), [0, 5, 50], axis=1)
        yield "outside", lambda np: np.add.reduceat(np.array(row), [0, row.size])

    check_all(programs())


@pytest.mark.parametrize("size", [1, 2, 7, 31, 32, 100, 256, 257])
def test_neighbours_of_one_length_have_the_bits_of_single_ones(engine, size):
    row = numpy.random.RandomState(size).rand(200 * size) - 0.5
    ours = gamelan.array(row)
    together = numpy.asarray(gamelan.add.reduceat(ours, numpy.arange(0, row.size, size)))
    single = [float(gamelan.add.reduceat(ours, [first, first + size])[0]) for first in range(0, row.size - size, size)]
    assert together[:-1].tolist() == single
