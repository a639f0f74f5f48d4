# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are here meet arrays on the engines, in NumPy's functions and in ours: values as NumPy's, never a read of
memory that does not exist, and nothing large brought here to find out that it does not fit."""

import numpy
import pytest

import gamelan as np
from gamelan import _core
from oracle import error_class


@pytest.fixture
def both(mixed):
    """Small arrays here, with a value, a view and a mask of large ones; of gamelan and of NumPy."""

    def make(m):
        large = m.arange(20.0)
        return m, m.zeros(3), (large + 1).sum(), (large + 1)[:3], (large - 1)[:3] > 0

    return make(np), make(numpy)


CALLS = [
    lambda m, n, here, value, view, mask: m.full_like(here, value),
    lambda m, n, here, value, view, mask: n.full_like(here, value),
    lambda m, n, here, value, view, mask: here ** m.array([value, value, value]),
    lambda m, n, here, value, view, mask: here ** [float(value)] * 3,
    lambda m, n, here, value, view, mask: n.add(here, value),
    lambda m, n, here, value, view, mask: here + view,
    lambda m, n, here, value, view, mask: m.where(mask, here, view),
    lambda m, n, here, value, view, mask: n.result_type(here, view),
    lambda m, n, here, value, view, mask: n.result_type(value, numpy.float32(1)),
    lambda m, n, here, value, view, mask: n.can_cast(view, "f4"),
    lambda m, n, here, value, view, mask: m.result_type(view, view),
    lambda m, n, here, value, view, mask: m.common_type(view, here),
    lambda m, n, here, value, view, mask: m.min_scalar_type(view),
    lambda m, n, here, value, view, mask: n.shape(view),
    lambda m, n, here, value, view, mask: view == None,  # noqa: E711
    lambda m, n, here, value, view, mask: view != None,  # noqa: E711
    lambda m, n, here, value, view, mask: here == None,  # noqa: E711
    lambda m, n, here, value, view, mask: mask**2,
    lambda m, n, here, value, view, mask: m.clip(view, numpy.nan, 2),
    lambda m, n, here, value, view, mask: view.sum(axis=(0, 0)),
    lambda m, n, here, value, view, mask: m.isposinf(view + 1j),
    lambda m, n, here, value, view, mask: m.matmul(m.ones((4, 4)), m.ones((4, 4)), out=m.zeros((4, 4), int)),
    lambda m, n, here, value, view, mask: m.dot(m.ones((4, 4)), m.ones((4, 4)), out=m.zeros((4, 4), "f4")),
    lambda m, n, here, value, view, mask: m.concatenate([m.ones(10), m.ones(10)], out=m.zeros(20, int)),
    lambda m, n, here, value, view, mask: m.random.default_rng(1).standard_normal(20, dtype="i4"),
    lambda m, n, here, value, view, mask: m.full(20, numpy.nan, dtype=int),
    lambda m, n, here, value, view, mask: 2 ** -m.arange(20),
    lambda m, n, here, value, view, mask: m.arange(1, 21) ** (m.arange(20) - 3),
    lambda m, n, here, value, view, mask: m.arange(1, 21) ** m.arange(20).astype("u1"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", range(len(CALLS)))
def test_as_numpy(both, call):
    def run(arguments):
        m, *values = arguments
        try:
            return CALLS[call](m, numpy, *values), None
        except Exception as error:
            return None, error

    (actual, raised), (expected, wanted) = map(run, both)
    if wanted is not None:
        assert isinstance(raised, error_class(wanted)), (raised, wanted)
        return
    assert raised is None, repr(raised)
    if isinstance(expected, (numpy.ndarray, numpy.generic)):
        assert actual.dtype == expected.dtype and numpy.array_equal(
            numpy.asarray(actual), expected, equal_nan=expected.dtype.kind == "f"
        )
    else:
        assert actual == expected


FORWARDED = [
    "m.sort(x)",
    "m.std(x)",
    "m.linalg.solve(m.eye(3), x)",
    "m.fft.fft(x)",
    "m.cross(x, x)",
    "m.unique(x)",
    "m.linalg.norm(x)",
    "m.flip(x.sum(keepdims=True).reshape(()))",
]


@pytest.mark.parametrize("code", FORWARDED)
def test_numpys_other_functions_take_small_arrays(mixed, code):
    actual = eval(code, {"m": np, "x": np.array([3.0, 1, 2])})
    expected = eval(code, {"m": numpy, "x": numpy.array([3.0, 1, 2])})
    assert numpy.array_equal(numpy.asarray(actual), expected)
    if expected.ndim:
        assert isinstance(actual, np.ndarray)


def test_and_refuse_large_ones_by_name(mixed):
    with pytest.raises(NotImplementedError, match="gamelan.asmatrix "):
        np.asmatrix(np.ones(20))
    with pytest.raises(NotImplementedError, match="gamelan.char.upper"):
        np.char.upper(np.ones(20))
    with pytest.raises(AttributeError):
        np.no_such_name
    assert hasattr(np, "sort") and np.matrix is numpy.matrix and np.recarray is numpy.recarray


def test_flat_takes_a_distributed_value(both):
    for m, here, _, view, _ in both:
        here.flat = view
        assert here.tolist() == [1, 2, 3]


def test_where_of_numpys_ufunc_is_not_read_as_a_proxy(both):
    for m, here, _, _, mask in both:
        written = numpy.add(here, 1, where=mask)
        assert [one for one, taken in zip(numpy.asarray(written), numpy.asarray(mask)) if taken] == [1]
        assert float(numpy.add.reduce(here, where=mask, initial=5)) == 5


def test_copyto_of_a_small_target(both):
    for m, here, _, view, mask in both:
        m.copyto(here, view, where=mask)
        assert here.tolist() == [0, 0, 3]


def test_a_small_target_that_does_not_fit_fetches_nothing(engine):
    with np.options(distribute_from=10):
        small, large = np.zeros(3), np.ones(1000)
        np.sync()
        before = _core.stats()["fetch_bytes"]
        with pytest.raises(ValueError, match="could not be broadcast together"):
            small += large
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            np.multiply(large, large, out=small)
        assert _core.stats()["fetch_bytes"] == before
