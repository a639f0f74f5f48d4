# SPDX-License-Identifier: BSD-3-Clause
"""Folds over axes of extent 1, alone and between others: values, dtypes, shapes and signs of zero are NumPy's."""

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamelan
from gamelan import _core

FOLDS = ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "argmax", "ptp", "count_nonzero")
SHAPES = st.lists(st.sampled_from([1, 1, 1, 2, 3, 5]), min_size=1, max_size=5).map(tuple)


def compared(result, expected):
    result = numpy.asarray(result)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    numpy.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-12)
    if expected.dtype.kind == "f":
        numpy.testing.assert_array_equal(numpy.signbit(result[result == 0]), numpy.signbit(expected[expected == 0]))


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SHAPES, st.sampled_from(FOLDS), st.sampled_from(["f8", "f4", "i2", "?", "u1"]), st.booleans(), st.data())
def test_small(engine, shape, name, dtype, keepdims, data):
    axes = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    if name == "argmax":
        axes, keepdims = axes[0], False
    if name in ("ptp",) and dtype == "?":
        dtype = "f8"
    keywords = {"axis": axes} if name == "argmax" else {"axis": axes, "keepdims": keepdims}
    values = numpy.random.default_rng(3).integers(-2, 3, shape).astype(dtype)
    with gamelan.options(distribute_from=0):
        ours = gamelan.array(values)
        result = getattr(gamelan, name)(ours, **keywords)
        compared(result, numpy.asarray(getattr(numpy, name)(values, **keywords)))


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize(
    "program",
    [
        lambda np, x: x.reshape(-1, 2, 1, 2).sum((0, 2)),
        lambda np, x: x.reshape(-1, 2, 1, 2).sum((0, 2), keepdims=True),
        lambda np, x: x.reshape(-1, 1, 4).sum((0, 1)),
        lambda np, x: x.reshape(1, -1, 1, 4).sum((0, 1, 2)),
        lambda np, x: x.reshape(-1, 4)[:, None, :].sum(1) * 2,
        lambda np, x: x.reshape(-1, 4)[:, None, ::-1].sum((1, 2)),
        lambda np, x: x.reshape(-1, 4).T[:, None, :].sum((1, 2)),
        lambda np, x: np.squeeze(x.reshape(-1, 1, 4, 1).sum(3)).sum(0),
        lambda np, x: x.reshape(-1, 1, 4, 1).prod((1, 3)),
        lambda np, x: (x * x).reshape(-1, 1, 4)[::-3].sum((0, 1)),
        lambda np, x: x.reshape(4, 1, -1).mean(axis=(1, 2)),
        lambda np, x: abs(x.reshape(4, 1, -1)).max(axis=(1, 2), keepdims=True),
        lambda np, x: x.reshape(-1, 1).sum(1).sum(),
        lambda np, x: x.reshape(-1, 4)[:, None, :].var((0, 1)),
    ],
)
def test_ordinary_sizes(engine, program, dtype):
    values = (numpy.random.default_rng(5).standard_normal(300_004) * 3).astype(dtype)
    result, expected = numpy.asarray(program(gamelan, gamelan.array(values))), program(numpy, values)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    numpy.testing.assert_allclose(result, expected, rtol=1e-3 if dtype == "f4" else 1e-9, atol=1e-3 if dtype == "f4" else 1e-9)


def test_a_fold_over_unit_axes_alone_is_a_copy(engine):
    values = numpy.array([[-0.0, 0.0, numpy.nan, -numpy.inf, 5e-324]] * 40_000)
    with gamelan.options(distribute_from=1000):
        ours = gamelan.array(values)
        copied = ours[:, None, :].max(1)
        assert _core.is_ours(copied) and copied._b is not ours._b
        numpy.testing.assert_array_equal(numpy.asarray(copied).view("u8"), values.view("u8"))
        assert ours[:, None, :].any(1).dtype == bool
        numpy.testing.assert_array_equal(ours[:, None, :].any(1), values != 0)
        ours[0, 0] = 3  # the copy is another array
        assert numpy.asarray(copied)[0, 0] == 0
