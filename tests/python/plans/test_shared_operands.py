# SPDX-License-Identifier: BSD-3-Clause
"""Operands that many elements share and that lie with several ranks are copied once."""

import gamelan as np
import numpy
import pytest

ROWS, COLUMNS = 1200, 700


@pytest.fixture
def arrays(balance, ranks):
    if not ranks:
        pytest.skip("a model shares nothing")
    generator = numpy.random.default_rng(3)
    values = [generator.random(shape) for shape in ((ROWS, COLUMNS), (COLUMNS,), (ROWS,))]
    placed = [np.asarray(each) for each in values]
    np.sync()
    return values, placed


FOLDS = {
    "of rows": lambda np, a, row, column: ((a - row) ** 2).sum(axis=1),
    "of an outer difference": lambda np, a, row, column: ((column - row[:, None]) ** 2).max(axis=1),
    "of two of them": lambda np, a, row, column: (a * row + row[::-1]).sum(axis=1),
    "of three axes": lambda np, a, row, column: (a.reshape(ROWS, -1, 7) - row.reshape(-1, 7)).sum(axis=(1, 2)),
    "in a chain": lambda np, a, row, column: (a - row) / ((a - row) ** 2).sum(axis=1, keepdims=True),
}
PASSES = FOLDS | {
    "a pass": lambda np, a, row, column: a - row,
    "selected": lambda np, a, row, column: np.where(row > 0.5, a, column[:, None]),
    "of columns": lambda np, a, row, column: abs(a - row).sum(axis=0),
    "of an inside": lambda np, a, row, column: inside(np, a, row).sum(axis=1),
    "a part of a complex number": lambda np, a, row, column: ((a - (row + 1j * row).imag) ** 2).sum(axis=1),
}


def inside(np, a, row):
    out = a * 2
    out[1:-1, 1:-1] = a[2:, 1:-1] + row[1:-1]
    return out


@pytest.mark.parametrize("name", PASSES)
def test_the_same_numbers(arrays, name):
    values, placed = arrays
    result = numpy.asarray(PASSES[name](np, *placed))
    numpy.testing.assert_allclose(result, PASSES[name](numpy, *values), rtol=1e-11)


@pytest.mark.parametrize("balance", ["off"], indirect=True)
@pytest.mark.parametrize("name", FOLDS)
def test_bytes_move_once(arrays, name, ranks, request):
    if request.config.getoption("--ranks-per-node"):
        pytest.skip("nothing is copied while messages are under way")
    _, placed = arrays
    before = np.stats()["bytes_shared"]
    result = FOLDS[name](np, *placed)
    np.sync()
    del result
    assert np.stats()["bytes_shared"] - before <= (ranks - 1) * 8 * (2 * COLUMNS + ROWS)


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
