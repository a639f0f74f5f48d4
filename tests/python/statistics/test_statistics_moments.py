# SPDX-License-Identifier: BSD-3-Clause
"""var and std of real arrays are read once: against NumPy and against exact sums, far from zero, at sizes of any remainder,
of expressions, and with the same bits at any number of ranks."""

import hashlib

import gamelan
import numpy
import pytest

import oracle

SHAPES = [(127,), (128,), (4097,), (66_001,), (300_007,), (1013, 457), (3, 40_001), (70_001, 3), (67, 45, 129), (41, 2, 5000)]


def data(shape, dtype="f8", offset=0.0):
    values = numpy.random.RandomState(7).standard_normal(shape) * 8
    return (values + offset).astype(dtype)


def axes_of(shape):
    dims = range(len(shape))
    return [None, *dims, *((i, j) for i in dims for j in dims if i < j)]


def folds_of(a):
    return [a.var(axis=axis) for axis in axes_of(a.shape)]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8", "?"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(engine, shape, dtype):
    def program(np):
        a = np.array(data(shape, dtype))
        deviations = [
            np.std(a, axis, ddof=1) for axis in axes_of(shape) if axis is None or numpy.size(axis) > 1 or shape[axis] > 1
        ]
        return [*folds_of(a), *deviations, a.var(0, keepdims=True)]

    oracle.check(program)


def relative_error(found, exact):
    return float(numpy.max(numpy.abs((numpy.asarray(found) - exact) / exact)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("offset", [1e8, -1e12])
def test_an_offset_costs_no_more_digits_than_in_numpy(engine, shape, offset):
    values = data(shape, offset=offset)
    a = gamelan.array(values)
    for axis in axes_of(shape):
        if values.size / values.sum(axis).size < 128:
            continue  # two passes, as before
        exact = values.astype(numpy.longdouble).var(axis)
        found = relative_error(a.var(axis), exact)
        assert found <= max(2 * relative_error(values.var(axis), exact), 1e-15), (axis, found)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_mask_costs_no_digits_of_float32(engine, axis):
    """NumPy adds up in float32 there, and has two digits left or none."""
    values = data((1013, 457), "f4", offset=1e6)
    values[3, 4] = values[100, 7] = numpy.nan
    exact = numpy.nanvar(values.astype("f8"), axis)
    found = gamelan.nanvar(gamelan.array(values), axis)
    assert found.dtype == numpy.float32 and relative_error(found, exact) < 1e-6
    chosen = values > 1e6
    found = gamelan.std(gamelan.array(values), axis, where=gamelan.array(chosen))
    assert relative_error(found, numpy.std(values.astype("f8"), axis, where=chosen)) < 1e-6


def test_a_trend_costs_no_digits(engine):
    values = numpy.linspace(-1e9, 1e9, 300_001)
    exact = values.astype(numpy.longdouble).var()
    assert relative_error(gamelan.array(values).var(), exact) < 1e-14


def test_views_and_expressions(engine):
    def program(np):
        a, b = np.array(data((1013, 457))), np.array(data((1013, 457), offset=3.0))
        return [
            *folds_of(a[::-1, 3:]),
            *folds_of(a.T),
            *folds_of(a[5:, ::2]),
            *folds_of(a * b + 1),
            *folds_of(np.abs(a[1:] - a[:-1])),
            *folds_of(a.reshape(457, 1013)),
            (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True),
            (a - a.mean(axis=0)) / a.std(axis=0),
            a.mean(axis=0) + b.var(axis=0),
            [c := a + b, c.std(axis=1), c.sum(axis=1)],
        ]

    oracle.check(program)


def test_more_partials_than_one_step_finishes(engine):
    """Nothing as large as the array is stored: numbers and their column are made in the pass."""
    count = 17_000_001
    numbers = numpy.arange(2.0)

    def program(np):
        ramp = np.arange(count) * 1e-3
        return [ramp.var(), (ramp[:, None] + np.array(numbers)).var(axis=0)]

    oracle.check(program)


@pytest.mark.parametrize("special", [numpy.nan, numpy.inf, -numpy.inf, 1e200])
def test_what_is_not_finite(engine, special):
    def program(np):
        values = data((501, 403))
        values[17, 40] = special
        return folds_of(np.array(values))

    oracle.check(program)


def test_equal_values_do_not_vary(engine, ranks):
    if not ranks:
        pytest.skip("the model takes two passes, as NumPy does")
    a = gamelan.full((1013, 457), 0.1)
    assert [float(numpy.max(numpy.asarray(each))) for each in folds_of(a)] == [0.0] * 4


def test_other_dtypes_and_masks(engine):
    def program(np):
        values = data((257, 301))
        a = np.array(values)
        mask = np.array(values > 0)
        return [
            np.array(values + 1j * values[::-1]).var(axis=0),
            np.array(values.astype("f2")).var(axis=0),
            a.var(axis=0, dtype="f4"),
            a.astype("f4").std(dtype="f8"),
            np.var(a, axis=1, where=mask),
        ]

    oracle.check(program)


def test_bits_do_not_depend_on_the_ranks(engine, ranks):
    if not ranks:
        pytest.skip("the model adds as NumPy does")
    bits = hashlib.sha256()
    for shape in SHAPES[3:]:
        for result in folds_of(gamelan.array(data(shape, offset=1.5))):
            bits.update(numpy.asarray(result).tobytes())
    assert bits.hexdigest()[:16] == BITS


BITS = "00b23b3a18693d01"  # the beginning of the SHA-256 of all variances


def test_the_array_is_read_once(engine, ranks):
    if not ranks:
        pytest.skip("the model has no passes")
    a, b = gamelan.array(data((1013, 457))), gamelan.array(data((1013, 457)))
    gamelan.sync()
    for axis in (None, 0, 1):
        plain, of_expression = gamelan.explain(a.std(axis=axis)), gamelan.explain((a * b + 1).std(axis=axis))
        for text in (plain, of_expression):
            assert text.count("fold blocks with squared_deviations") == text.count("fold blocks with") == 1, text
        assert plain.count("1013x457 on") == 1 and of_expression.count("1013x457 on") == 2, "what is only read lies in memory"
