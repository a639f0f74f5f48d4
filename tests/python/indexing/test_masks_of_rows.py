# SPDX-License-Identifier: BSD-3-Clause
"""x[mask] and x[mask] = values of rows against NumPy: masks along the first axes, or along a later one, of arrays that lie in any
order, at sizes of one chunk and of many."""

import numpy
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from oracle import check, check_all

LAYOUTS = {
    "whole": lambda a: a,
    "columns of a wider array": lambda a: a[:, 1:-1],
    "every second row": lambda a: a[::2],
    "backwards": lambda a: a[::-1, ::-1],
    "every second column": lambda a: a[:, ::2],
    "transposed": lambda a: a.T,
}
SHAPES = [(9, 3), (4097, 4), (30_011, 5), (2049, 40), (100_003, 1), (7, 3000)]


def masks(size):
    random = numpy.random.RandomState(size)
    return {
        "half": random.random_sample(size) < 0.5,
        "few": random.random_sample(size) < 0.01,
        "most": random.random_sample(size) < 0.97,
        "in runs": numpy.arange(size) // 1000 % 3 == 1,
        "all but the last": numpy.arange(size) < size - 1,
        "none": numpy.zeros(size, bool),
        "all": numpy.ones(size, bool),
    }


def data(shape, dtype):
    return numpy.random.RandomState(sum(shape)).randint(-9, 9, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "?", "i2", "c16"])
def test_get_and_set(puts, dtype):
    def programs():
        for shape in SHAPES:
            x = data(shape, dtype)
            for how, layout in LAYOUTS.items():
                if 0 in layout(x).shape:
                    continue
                for kind, mask in masks(len(layout(x))).items():

                    def program(np, x=x, layout=layout, mask=mask):
                        a, m = np.array(x), np.array(mask)
                        picked = layout(a)[m]
                        b, c, d = a.copy(), a.copy(), a.copy()
                        layout(b)[m] = picked[::-1]
                        layout(c)[mask] = 1  # the mask is NumPy's
                        layout(d)[m] = np.arange(layout(d).shape[1]) % 2
                        return picked, np.compress(m, layout(a), axis=0), b, c, d

                    yield f"{shape} {dtype} {how} {kind}", program

    check_all(programs())


def test_along_a_later_axis(puts):
    def programs():
        for shape in [(9, 3), (3001, 20), (5, 9000), (40, 30, 50)]:
            x = data(shape, "f8")
            for axis in range(1, len(shape)):
                for kind, mask in masks(shape[axis]).items():

                    def program(np, x=x, axis=axis, mask=mask):
                        a, m = np.array(x), np.array(mask)
                        key = (slice(None),) * axis + (m,)
                        b, c = a.copy(), a[::-1].copy()
                        b[key] += 1
                        c[key] = 3
                        return a[key], a[::-1][key], a.take(np.flatnonzero(m)[::-1], axis), b, c

                    yield f"{shape} axis {axis} {kind}", program

    check_all(programs())


def test_a_mask_of_several_axes(puts):
    x = data((30, 101, 7), "f8")

    def program(np):
        a = np.array(x)
        m = a[:, :, 3] > 0
        b, c, d, e = a.copy(), a.copy(), a.copy(), a.transpose(1, 0, 2).copy()
        b[m] = -b[m]
        c[m] = np.arange(7)
        d[m] = 0.5
        e.transpose(1, 0, 2)[m] = a[m]  # the axes of the mask are no axis of memory
        return a[m], a[m, 2], a[m][:, 1], a[3, m[3]], b, c, d, e

    check(program, exact=True)


def test_one_value_for_all(puts):
    """A number, one that lives on the engines, a row, a row of the array itself, and one of another dtype."""
    x = data((20_003, 6), "f4")

    def program(np):
        a = np.array(x)
        m = a[:, 0] > 2
        results = []
        for value in (7, 2.5, a.max(), a[5], a[5].copy(), np.arange(6), a[3:4], [1, 2, 3, 4, 5, 6]):
            b = a.copy()
            b[m] = value
            results.append(b)
        c = a.copy()
        c[c[:, 1] < 0] = c[7]
        c[1:][c[:-1, 2] == 3] = 9
        return results, c

    check(program, exact=True)


def test_masks_of_themselves(puts):
    x = data((70_001, 2), "i8") > 2

    def program(np):
        apart = numpy.copy if np is numpy else lambda part: part
        a, b, c, d = np.array(x), np.array(x), np.array(x), np.array(x)
        a[apart(a[:, 0])] = True
        b[1:][apart(b[:-1, 1])] = apart(b[: b[:-1, 1].sum()])
        c[:30_000][apart(c[40_000:70_000, 0])] = False
        d[:30_000, 0][apart(d[40_000:70_000, 1])] = apart(d[30_000 : 30_000 + d[40_000:70_000, 1].sum(), 0])
        return a, b, c, d

    check(program, exact=True)


def test_groups(engine):
    """What notebooks do with groups of rows."""
    x, labels = data((40_001, 4), "f8"), numpy.random.RandomState(2).randint(0, 5, 40_001)

    def program(np):
        a, k = np.array(x), np.array(labels)
        y = np.where(a[:, 1] > 7, np.nan, a[:, 1])
        means = np.array([a[k == j].mean(0) for j in range(5)])
        spread = [(a[k == j] - means[j]).std() for j in range(5)]
        last, filled = a[~np.isnan(y)], a.copy()
        filled[np.isnan(y)] = means[0]
        return means, spread, [y[k == j].size for j in range(7)], last, filled, np.delete(a, np.flatnonzero(k == 2), axis=0)

    check(program)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=strategies.integers(1, 40),
    rest=strategies.lists(strategies.integers(1, 4), max_size=2),
    step=strategies.sampled_from([1, 2, -1, -3]),
    seed=strategies.integers(0, 1000),
    density=strategies.sampled_from([0.0, 0.2, 0.8, 1.0]),
)
def test_small_shapes(engine, rows, rest, step, seed, density):
    random = numpy.random.RandomState(seed)
    x = random.randint(-9, 9, (rows, *rest)).astype("f8")
    mask = random.random_sample(len(x[::step])) < density

    def program(np):
        a, m = np.array(x), np.array(mask)
        b, c = a.copy(), a.copy()
        b[::step][m] = b[::step][m] * 2
        c[::step][m] = -1
        return a[::step][m], b, c, np.nonzero(m), np.argwhere(a > 2)

    check(program, exact=True)


def test_errors(puts):
    def programs():
        ones = numpy.ones((9000, 3))
        odd = numpy.arange(9000) % 3 == 0
        for shape in [(2, 3), (3000, 2), (5000, 3), (1, 3000, 3), (2, 3000, 3)]:
            yield f"values of {shape}", lambda np, shape=shape: np.array(ones).__setitem__(np.array(odd), np.ones(shape))
        yield "a mask of other extents", lambda np: np.array(ones)[np.ones(8999, bool)]
        yield "an empty mask", lambda np: np.array(ones)[np.ones(0, bool)]
        yield "a mask of two axes", lambda np: np.array(ones)[np.ones((9000, 2), bool)]
        yield "too many axes", lambda np: np.array(ones)[np.ones((9000, 3, 1), bool)]
        yield "no columns", lambda np: np.ones((9000, 0))[np.array(odd)]
        yield "complex numbers", lambda np: np.array(ones).__setitem__(np.array(odd), 1j)

    check_all(programs())
