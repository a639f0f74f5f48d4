# SPDX-License-Identifier: BSD-3-Clause
"""Elements that are broadcast along a short last axis, beside arrays that have one: masks and weights of rows."""

import numpy
import pytest

import gamelan


def programs(np, rows, weights, mask):
    chosen = np.where(mask[:, None], rows, 0).sum(axis=0)
    return [
        chosen,
        chosen / mask.sum(),
        np.where(mask[:, None], weights[:, None], rows),
        np.where(mask[::-1, None], rows[:, ::-1], weights[::-1, None]),
        rows[::2] * weights[::2, None],
        (mask[:, None] & (rows > 0)).sum(axis=0),
        (mask[:, None] | (rows > 0)).sum(),
        mask[:, None].sum(axis=0),
        mask[:, None].sum(axis=1),
    ]


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "i2", "u1", "f2", "c16"])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8, 11, 16, 17])
def test_broadcast_inside(engine, columns, kind):
    rng = numpy.random.default_rng(columns)
    for count in (1, 3, 700) if kind == "f2" else (1, 3, 700, 4099, 20000):  # sums of halves stop growing
        rows = rng.integers(0, 9, (count, columns)).astype(kind)
        weights = rng.integers(0, 9, count).astype(kind)
        mask = rng.random(count) < 0.4
        mask[0] = True
        expected = programs(numpy, rows, weights, mask)
        results = programs(gamelan, *(gamelan.asarray(each) for each in (rows, weights, mask)))
        for mine, theirs in zip(results, expected, strict=True):
            mine = numpy.asarray(mine)
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
            numpy.testing.assert_allclose(mine, theirs, rtol=1e-2 if kind == "f2" else 1e-6)
