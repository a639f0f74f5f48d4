# SPDX-License-Identifier: BSD-3-Clause
"""The least and the greatest of rows shorter than the lanes of a fold, 16 rows at a time and those that are left."""

import numpy
import pytest

import gamelan
import oracle

NUMBERS = [numpy.nan, 0.0, -0.0, numpy.inf, -numpy.inf, 1.0, -2.5]


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 11, 16, 17, 31, 32, 33])
def test_rows(engine, length, dtype):
    draw = numpy.random.default_rng(length)
    for rows in (1, 15, 16, 133):
        numbers = draw.normal(size=(rows, length))
        if dtype[0] == "f":
            numbers = numpy.where(draw.random(numbers.shape) < 0.2, draw.choice(NUMBERS, numbers.shape), numbers)
        table = (numbers if dtype[0] == "f" else 40 * numbers + 100).astype(dtype)

        def extremes(np, table=table):
            x = np.array(table)
            return [x.min(axis=1), x.max(axis=1), np.fmin.reduce(x, axis=1), np.fmax.reduce(x, axis=1), x[::-1].max(axis=-1)]

        oracle.check(extremes)


def test_many_rows(engine):
    table = numpy.random.default_rng(4).normal(size=(100_003, 7))
    table[::1000, 3] = numpy.nan
    for found, expected in zip(
        (gamelan.array(table).min(axis=1), gamelan.array(table).max(axis=1)), (table.min(axis=1), table.max(axis=1)), strict=True
    ):
        numpy.testing.assert_array_equal(numpy.asarray(found), expected)
