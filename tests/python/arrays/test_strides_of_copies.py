# SPDX-License-Identifier: BSD-3-Clause
"""A copy that NumPy takes of a distributed view lies as the view says it does: other libraries compute with `x.strides` in it
(`as_strided`, which Matplotlib's surfaces use)."""

import numpy
import pytest

import gamelan as np
from gamelan import _gathering

VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "every other": lambda a: a[::2],
    "backwards": lambda a: a[::-1],
    "last backwards": lambda a: a[..., ::-3],
    "transposed, backwards": lambda a: a.T[::-2],
    "one": lambda a: a[1:2],
    "flat": lambda a: a.reshape(-1)[3:],
    "new axis": lambda a: a[..., None],
    "swapped": lambda a: a.swapaxes(0, -1)[::-1, ...],
    "empty": lambda a: a[:0],
    "corner": lambda a: a[..., 2:-1][1:],
}


@pytest.mark.parametrize("shape", [(60,), (12, 10), (5, 6, 7)], ids=str)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_strides(engine, shape, view):
    ours, theirs = (view(m.arange(numpy.prod(shape), dtype=float).reshape(shape)) for m in (np, numpy))
    assert ours.is_distributed or theirs.size == 0
    is_row_with_gaps = sum(extent > 1 for extent in theirs.shape) == 1 and not theirs.flags.contiguous
    for copy in (numpy.asarray(ours), ours.__array__(), numpy.asarray(memoryview(ours))):
        assert numpy.array_equal(copy, theirs) and copy.dtype == theirs.dtype
        if theirs.size and not is_row_with_gaps:
            compared = zip(theirs.shape, copy.strides, theirs.strides)
            assert all(extent == 1 or one == other for extent, one, other in compared)
    assert not numpy.asarray(ours).flags.writeable and numpy.array_equal(numpy.array(ours), theirs)
    if theirs.size and not is_row_with_gaps:
        assert numpy.array_equal(numpy.lib.stride_tricks.as_strided(ours, theirs.shape, ours.strides), theirs)


def test_views_that_repeat_elements(engine):
    row = np.arange(20.0)
    repeated, windows = np.broadcast_to(row, (9, 20)), np.lib.stride_tricks.sliding_window_view(row, 5)
    assert numpy.array_equal(numpy.asarray(repeated), numpy.broadcast_to(numpy.arange(20.0), (9, 20)))
    assert numpy.asarray(repeated).strides == (0, 8)
    assert numpy.array_equal(numpy.asarray(windows), numpy.lib.stride_tricks.sliding_window_view(numpy.arange(20.0), 5))


@pytest.mark.parametrize("limit", [0, 10**9])
def test_elements_of_a_grid(engine, limit):
    """As Matplotlib's plot_surface picks the rims of its patches."""
    with np.options(distribute_from=limit):
        z = np.arange(360_000.0).reshape(600, 600)[::30, ::30]
        pairs = numpy.lib.stride_tricks.as_strided(z, (19, 19, 2), (z.strides[0], z.strides[1], z.strides[1]))
        assert pairs[3, 4].tolist() == [54_120.0, 54_150.0]


def test_elements_in_many_pages_come_side_by_side(engine, monkeypatch):
    x = np.arange(10_000.0).reshape(100, 100)[::3, ::4]
    local = numpy.arange(10_000.0).reshape(100, 100)[::3, ::4]
    assert numpy.asarray(x).strides == local.strides and numpy.array_equal(x, local)
    monkeypatch.setattr(_gathering, "_MOST_TOUCHED", 0)
    assert numpy.asarray(x).strides == (200, 8) and numpy.array_equal(x, local)


def test_a_column_comes_side_by_side(engine):
    x = np.arange(10_000.0).reshape(100, 100)[:, 3]
    assert numpy.asarray(x).strides == (8,) and numpy.asarray(x).tolist() == [100.0 * k + 3 for k in range(100)]
