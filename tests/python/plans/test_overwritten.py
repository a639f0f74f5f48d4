# SPDX-License-Identifier: BSD-3-Clause
"""The zeros with which a call begins are not written where it then copies something over all of them."""

import gamelan as np
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import check

WHOLE = {
    "roll": lambda np, u, w: np.roll(u, 1, 0),
    "roll, flat": lambda np, u, w: np.roll(u, 5),
    "roll of two axes": lambda np, u, w: np.roll(u, (3, -2), (0, 1)),
    "concatenate": lambda np, u, w: np.concatenate([u, w, u]),
    "columns beside each other": lambda np, u, w: np.hstack([u, w]),
    "stack": lambda np, u, w: np.stack([u, w]),
    "stack along the last axis": lambda np, u, w: np.stack([u, w], -1),
    "append": lambda np, u, w: np.append(u, w),
    "with nothing": lambda np, u, w: np.concatenate([u[:0], u, w[:0]]),
    "other dtypes": lambda np, u, w: np.concatenate([u.astype("i4"), w]),
}


@pytest.mark.parametrize("name", WHOLE)
def test_no_zeros_are_written(engine, ranks, name):
    u = numpy.random.default_rng(0).random((211, 307))
    check(lambda np: WHOLE[name](np, np.asarray(u), np.asarray(u) * 2), name)
    if not ranks:
        return
    a = np.asarray(u)
    np.sync()
    text = np.explain(WHOLE[name](np, a, a))
    assert "written" in text and "constant" not in text, text


def test_zeros_that_stay_are_written(engine, ranks):
    u = numpy.random.default_rng(0).random((211, 307))

    def by_hand(np):
        """Statements of the user's: an interrupt may end between any two."""
        a = np.asarray(u)
        x = np.zeros(422)
        x[:211] = a[:, 0]
        x[211:] = a[:, 1]
        y = np.zeros(422)
        y[::2] = a[:, 0]
        z = np.zeros((3, 211))
        z[0] = 1
        z[1:2] = a[:, 2]
        return x, y, z, np.pad(a, 2), np.pad(a, ((1, 0), (0, 3)), constant_values=7), np.tril(a), np.diag(a[0])

    check(by_hand)
    if ranks:
        x = np.zeros(422)
        x[:211] = 1
        x[211:] = 2
        assert np.explain(x).count("constant 0") == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=6),
    st.integers(0, 2),
    st.integers(-9, 9),
    st.sampled_from(["f8", "i2", "c16", "?"]),
)
def test_parts_of_any_size(engine, lengths, axis, shift, dtype):
    shape = [5, 7, 3]
    parts = []
    for k, length in enumerate(lengths):
        shape[axis] = length
        parts.append(numpy.random.default_rng(k).integers(0, 9, shape).astype(dtype))

    def program(np):
        joined = np.concatenate([np.asarray(part) for part in parts], axis)
        return joined, np.roll(joined, shift, axis), np.roll(joined, shift), np.stack([joined, joined[::-1]], axis)

    check(program)
