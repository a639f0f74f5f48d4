# SPDX-License-Identifier: BSD-3-Clause
"""gamelan.testing: NumPy's assertions take our arrays, alone and inside of lists, tuples and dicts."""

import collections

import numpy
import pytest

from oracle import check_all

Pair = collections.namedtuple("Pair", "one other")

CALLS = """
    assert_equal(x, x + 0)
    assert_equal(x, x + 1)
    assert_equal(x, numpy.arange(30.0))
    assert_equal(numpy.arange(30.0), x)
    assert_equal(x, x[:5])
    assert_equal({'a': x}, {'a': x + 0})
    assert_equal({'a': x}, {'a': x + 1})
    assert_equal({'a': x}, {'b': x})
    assert_equal([x, 1], [x + 0, 1])
    assert_equal([x, 1], [x, 2])
    assert_equal((x, (x,)), (x, (x,)))
    assert_equal({'a': [x, {'b': x}]}, {'a': [x, {'b': x * 1}]})
    assert_equal({'a': [x, {'b': x}]}, {'a': [x, {'b': x * 2}]})
    assert_equal(Pair(x, 1), Pair(x, 1))
    assert_equal(collections.OrderedDict(a=x), collections.OrderedDict(a=x))
    assert_equal(x.sum(), x.sum())
    assert_equal(x.sum(), 435.0)
    assert_equal(x.sum(), 436.0)
    assert_equal(x / 0, x / 0)
    assert_equal(actual=x, desired=x)
    assert_array_equal(x, x + 0)
    assert_array_equal(x, x + 1)
    assert_array_equal([x, x], [x, x])
    assert_allclose(x, x * (1 + 1e-9))
    assert_allclose(x, x + 1)
    assert_allclose(x, x + 1, atol=x[2])
    assert_allclose([x, x], [x, x])
    assert_almost_equal(x, x + 1e-9)
    assert_almost_equal(x, x + 1)
    assert_almost_equal(x.mean(), x.mean())
    assert_array_almost_equal(x, x + 1e-9)
    assert_array_almost_equal(x, x + 1)
    assert_array_less(x, x + 1)
    assert_array_less(x, x)
    assert_approx_equal(x.sum(), x.sum())
    assert_array_max_ulp(x, x)
    assert_array_almost_equal_nulp(x, x)
    assert_raises(ValueError, lambda: np.zeros(3) + np.zeros(4))
"""


@pytest.mark.parametrize("fixture", ["engine", "mixed"])
def test_assertions(request, fixture):
    request.getfixturevalue(fixture)

    def program(np, line, size):
        x = np.arange(30.0)[:size]
        return eval(f"np.testing.{line}", {"np": np, "x": x, "numpy": numpy, "Pair": Pair, "collections": collections})

    check_all(
        (line, lambda np, line=line, size=size: program(np, line, size))
        for line in map(str.strip, CALLS.strip().splitlines())
        for size in (30, 5)
    )
