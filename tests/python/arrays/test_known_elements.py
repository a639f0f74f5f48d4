# SPDX-License-Identifier: BSD-3-Clause
"""Elements that a loop picks one by one: those that were fetched ahead are NumPy's scalars, until somebody writes the array."""

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import check

VIEWS = {
    "whole": lambda a: a,
    "rows backwards": lambda a: a[::-1],
    "part": lambda a: a[3:, 1:-2],
    "transposed": lambda a: a.T,
    "steps": lambda a: a[::3, ::-2],
    "a column": lambda a: a[:, 2],
    "a row": lambda a: a[5],
    "another axis": lambda a: a[:, None],
    "repeated": lambda a: a[None].T,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["f8", "i2", "?", "c16"])
def test_loops_over_elements(engine, view, dtype):
    values = numpy.random.default_rng(0).integers(0, 99, (40, 11)).astype(dtype)

    def program(np):
        a = np.array(values)
        x = VIEWS[view](a)
        found = []
        for turn in range(3):
            for place in list(numpy.ndindex(*x.shape))[:: 1 + turn]:
                key = place[0] if x.ndim == 1 else place
                found.append((x[key].item(), x[tuple(k - n for k, n in zip(place, x.shape))].item()))
            a[7, 3] = turn + 50  # what was fetched is no more what is there
            a[0] = 1
        return found

    check(program)


def test_what_such_an_element_is(engine):
    def program(np):
        a = np.arange(100.0)
        for i in range(20):
            float(a[i])
        element = a[30]
        a[30] = -1.0
        kinds = [
            type(element).__mro__[1].__name__,
            element.dtype,
            element.shape,
            float(element),
            float(a[30]),
            float(a[numpy.int64(31)]),
        ]
        return [*kinds, a[True].shape, a[30,].shape, a[..., 30].shape, a[:31][-1].item()]

    check(program)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.integers(-13, 13), st.tuples(st.integers(-13, 13), st.integers(-5, 5)), st.just(2**70)), max_size=12)
)
def test_indices_inside_and_outside(engine, keys):
    values = numpy.arange(48.0).reshape(12, 4)

    def program(np):
        a, found = np.array(values), []
        for i in range(12):
            float(a[i, 0])
        for key in keys:
            for x in (a, a[:, 1]):
                try:
                    found.append(numpy.asarray(x[key]))
                except IndexError as error:
                    found.append(str(error))
        return found

    check(program)
