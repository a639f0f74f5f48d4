# SPDX-License-Identifier: BSD-3-Clause
"""Operands that many elements share and that lie with several ranks are copied once."""

import gamelan as np
import numpy
import pytest

ROWS, COLUMNS = 1200, 700


@pytest.fixture
def arrays(engine, ranks):
    if not ranks:
        pytest.skip("a model shares nothing")
    generator = numpy.random.default_rng(3)
    values = [generator.random(shape) for shape in ((ROWS, COLUMNS), (COLUMNS,), (ROWS,))]
    placed = [np.asarray(each) for each in values]
    np.sync()
    return values, placed


def moved(compute, placed):
    """Bytes that ranks read from each other."""
    np.stats(reset=True)
    result = compute(np, *placed)
    np.sync()
    return result, np.stats()["bytes_shared"]


PASSES = {
    "a pass": lambda np, a, row, column: a - row,
    "a fold": lambda np, a, row, column: ((a - row) ** 2).sum(axis=1),
    "a fold of columns": lambda np, a, row, column: abs(a - row).sum(axis=0),
    "an outer difference": lambda np, a, row, column: ((column - row[:, None]) ** 2).max(axis=1),
    "a chain of rows": lambda np, a, row, column: (a - row) / ((a - row) ** 2).sum(axis=1, keepdims=True),
    "selected": lambda np, a, row, column: np.where(row > 0.5, a, column[:, None]),
    "two of them": lambda np, a, row, column: (a * row + row[::-1]).sum(axis=1),
    "of three axes": lambda np, a, row, column: (a.reshape(ROWS, -1, 7) - row.reshape(-1, 7)).sum(axis=(1, 2)),
}


@pytest.mark.parametrize("name", PASSES)
def test_the_same_numbers_and_bytes_moved_once(arrays, name, ranks):
    values, placed = arrays
    result, bytes_moved = moved(PASSES[name], placed)
    numpy.testing.assert_allclose(numpy.asarray(result), PASSES[name](numpy, *values), rtol=1e-12)
    if name != "a fold of columns":  # whose partial results meet
        assert bytes_moved <= 4 * ranks * 8 * (COLUMNS + ROWS)


def test_what_is_shared_changes_from_pass_to_pass(arrays):
    """A copy is of the value that the pass is about."""
    (a, row, _), (x, y, _) = arrays
    for _ in range(4):
        a, x = a - row, x - y
        row, y = a.mean(axis=0), x.mean(axis=0)
        row[::2] *= 2
        y[::2] *= 2
    numpy.testing.assert_allclose(numpy.asarray(x), a, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", ("bool", "int8", "float32", "complex128"))
def test_of_other_dtypes(arrays, dtype):
    (a, row, _), _ = arrays
    a, row = (a * 100).astype(dtype), (row * 3).astype(dtype)
    x, y = np.asarray(a), np.asarray(row)
    for compute in (lambda a, row: a == row, lambda a, row: (a == row).sum(axis=1), lambda a, row: a * row[::-1]):
        numpy.testing.assert_array_equal(numpy.asarray(compute(x, y)), compute(a, row))
