# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of the blocks of an image or a volume (`a.reshape(n, 2, m, 2).sum(axis=(1, 3))`): over short axes, some of them last."""

import itertools

import numpy
import pytest

import gamelan as np
from operands import scattered
from oracle import check_all

SHAPES = {
    (350, 2, 402, 2): (1, 3),
    (87, 4, 101, 4): (1, 3),
    (130, 3, 34, 5): (1, 3),
    (3, 130, 5, 170): (0, 2),
    (67, 8, 33, 8): (1, 3),
    (40, 3, 17, 7, 9): (1, 3),
    (6, 31, 2, 3, 37, 3): (2, 3, 5),
    (30, 2, 33, 3, 40, 2): (1, 3, 5),
    (501, 2, 2, 301, 2): (1, 2, 4),
    (50_021, 3): (1,),
    (100, 4, 500): (1,),
    (2001, 37, 2): (2,),
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "c16"])
def test_of_blocks(engine, dtype):
    def programs():
        for shape, axes in SHAPES.items():
            data = scattered(shape, dtype)
            for name in ("sum", "mean", "max", "min"):
                yield f"{name} {shape} {axes}", lambda np: getattr(np.array(data), name)(axis=axes)
            yield f"of views {shape}", lambda np: np.array(data)[::-1].sum(axis=axes) + np.array(data)[..., ::-1].sum(axis=axes)

    check_all(programs())


def test_order_of_additions(engines_only):
    """The bits are those of a tree: neighbours in a row first, then rows."""
    x = scattered((350, 4, 202, 3), "f8")
    rows = (x[..., 0] + x[..., 2]) + x[..., 1]
    expected = (rows[:, 0] + rows[:, 1]) + (rows[:, 2] + rows[:, 3])
    numpy.testing.assert_array_equal(numpy.asarray(np.array(x).sum(axis=(1, 3))), expected)


@pytest.mark.parametrize("shape", [(301, 2), (64, 31), (64, 32), (64, 33), (50, 2, 40, 2), (5001, 1, 2, 3), (7, 3, 1, 5)])
def test_short_rows_of_bools(engine, shape):
    data = numpy.random.RandomState(4).random_sample(shape) < 0.5
    axes = [axes for count in range(1, len(shape) + 1) for axes in itertools.combinations(range(len(shape)), count)]

    def programs():
        for how, layout in {"whole": lambda a: a, "backwards": lambda a: a[::-1], "transposed": lambda a: a.T}.items():
            for axis in axes:
                yield f"{how} {axis}", lambda np: layout(np.array(data)).sum(axis=axis)
                yield f"{how} {axis} in float32", lambda np: layout(np.array(data)).sum(axis=axis, dtype="f4")

    check_all(programs())
