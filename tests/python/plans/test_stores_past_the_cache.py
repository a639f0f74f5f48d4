# SPDX-License-Identifier: BSD-3-Clause
"""Which large results are stored past the cache."""

import gamelan as np
import numpy
import pytest

ROWS, COLUMNS = 1200, 2050  # 19 MiB


@pytest.fixture
def arrays(engine, ranks):
    if not ranks:
        pytest.skip("the model has no machine code")
    a, b = np.zeros((ROWS * ranks, COLUMNS)), np.ones((ROWS * ranks, COLUMNS))
    np.sync()
    return a, b


def stores_past_the_cache(result):
    return "past the cache" in np.explain(result)


def test_a_whole_array(arrays):
    a, b = arrays
    assert stores_past_the_cache(a * 2 + b)


def test_whole_rows(arrays):
    a, b = arrays
    a[1:-1] = b[1:-1] * 2
    assert stores_past_the_cache(a)


def test_what_stays_in_a_cache(arrays):
    a, b = arrays
    assert not stores_past_the_cache(a[: ROWS // 4] * 2)


def test_what_is_read_and_written_in_place(arrays):
    a, b = arrays
    a *= 2
    assert not stores_past_the_cache(a)
    a += b
    assert not stores_past_the_cache(a)
    assert (numpy.asarray(a[::500, ::500]) == 1).all()


@pytest.mark.parametrize("shift", [0, 1, 7, 200, 255, 256, 300, 511, 512, 513])
def test_copies_from_another_place_in_a_page(arrays, shift):
    """A streamed copy goes backwards where the target lies up to half a page of memory ahead."""
    a = arrays[0].reshape(-1)
    a[...] = np.arange(a.size)
    there, back = np.roll(a, shift), np.roll(a, -shift)
    assert stores_past_the_cache(there) or shift == 0
    expected = numpy.arange(a.size, dtype=float)
    assert numpy.array_equal(numpy.roll(expected, shift), there)
    assert numpy.array_equal(numpy.roll(expected, -shift), back)


def check_inside(a, b):
    a[1:-1, 1:-1] = (b[:-2, 1:-1] + b[2:, 1:-1]) / 2
    is_past = stores_past_the_cache(a)
    for _ in range(3):  # in machine code, too
        a[1:-1, 1:-1] = (b[:-2, 1:-1] + b[2:, 1:-1]) / 2
    rows = numpy.asarray(a[[0, 1, len(a) // 2, -2, -1]])
    assert (rows[[0, -1]] == 0).all() and (rows[1:-1, [0, -1]] == 0).all() and (rows[1:-1, 1:-1] == 1).all()
    return is_past


def test_rows_with_something_between_them(arrays):
    assert check_inside(*arrays)


def test_short_rows_with_something_between_them(arrays):
    a, b = (each.reshape(-1, 25) for each in arrays)
    assert not check_inside(a, b)
