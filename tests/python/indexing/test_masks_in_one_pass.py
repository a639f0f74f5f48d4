# SPDX-License-Identifier: BSD-3-Clause
"""x[mask] and x[mask] = values against NumPy: one pass over the mask and the elements, at sizes of many chunks, however they lie."""

import itertools

import numpy
import pytest

from oracle import check, check_all

LENGTHS, LONG = (1, 9, 4097), 150_001
LAYOUTS = {
    "whole": lambda a: a,
    "every second": lambda a: a[::2],
    "backwards": lambda a: a[::-1],
    "without its ends": lambda a: a[1:-1],
    "as columns": lambda a: a[: a.size // 3 * 3].reshape(-1, 3),
    "transposed": lambda a: a[: a.size // 3 * 3].reshape(-1, 3).T,
}


def masks(size):
    random = numpy.random.RandomState(size)
    runs = numpy.arange(size) // 1000 % 3 == 1
    return {
        "at random": random.random_sample(size) < 0.5,
        "few": random.random_sample(size) < 0.01,
        "in runs": runs,
        "all but the last": numpy.arange(size) < size - 1,
        "none": numpy.zeros(size, bool),
        "all": numpy.ones(size, bool),
    }


@pytest.mark.parametrize("dtype", ["f8", "?", "i2", "c16"])
def test_get_and_set(puts, dtype):
    def programs():
        of_long = [(LONG, (how, LAYOUTS[how])) for how in ("whole", "backwards", "transposed")]
        for length, (how, layout) in [*itertools.product(LENGTHS, LAYOUTS.items()), *of_long]:
            data = numpy.random.RandomState(length).randint(-9, 9, length).astype(dtype)
            shape = layout(data).shape
            for kind, mask in masks(layout(data).size).items():

                def program(np, mask=mask.reshape(shape)):
                    a, m = np.array(data), np.array(mask)
                    b = a.copy()
                    picked = layout(a)[m]
                    layout(b)[m] = picked[::-1]
                    layout(b)[::-1][mask] = picked  # the mask is NumPy's
                    return picked, b

                yield f"{length} {dtype} {how} {kind}", program

    check_all(programs())


def test_change_what_a_mask_picks(puts):
    x = numpy.random.RandomState(3).standard_normal(100_003)

    def program(np):
        a = np.array(x)
        a[a > 0.5] += 1
        a[a < 0] = -(a[a < 0] ** 2)
        a[a > 1] = a[: (a > 1).sum()].copy()
        return a, a[a > 0.25].sum(), np.extract(a > 0.1, a)

    check(program)


def test_masks_of_themselves(puts):
    """The target is the mask, or the mask and the values are other parts of it: all is read before anything is written. (NumPy
    may read what it has just written, so it gets copies.)"""
    x = numpy.random.RandomState(5).random_sample(70_001) < 0.4

    def program(np):
        apart = numpy.copy if np is numpy else lambda part: part
        a, b, c = np.array(x), np.array(x), np.array(x)
        a[a] = np.arange(a.sum()) % 2 == 0
        b[1:][apart(b[:-1])] = np.arange(b[:-1].sum()) % 3 == 0
        c[apart(c[::-1])] = apart(c[: c.sum()])
        return a, b, c

    check(program, exact=True)


def test_errors(puts):
    def programs():
        for count in (0, 2, 3, 5000):
            yield f"{count} values", lambda np: np.arange(9000).__setitem__(np.arange(9000) % 3 == 0, np.ones(count))
        yield "a mask of other extents", lambda np: np.arange(9000)[np.ones(8999, bool)]
        yield "an empty mask", lambda np: np.arange(9000)[np.ones(0, bool)]
        yield "a row for two axes", lambda np: np.ones((90, 100))[np.ones(9000, bool)]

    check_all(programs())


def test_overlapping_views_tell_nothing_of_the_whole(engine):
    """What is known of the numbers of a view with as many elements as its base, some of them twice, is not known of the base."""

    def program(np):
        as_strided = np.lib.stride_tricks.as_strided
        flags, numbers = np.array(numpy.arange(12) < 6), np.array(numpy.arange(10))
        twice = np.ones((2, 6))[as_strided(flags, (2, 6), (1, 1))]
        picked = np.arange(10)[as_strided(numbers, (2, 5), (8, 8))]
        return twice, picked, np.arange(12)[flags], np.histogram(numbers, 5)[0], np.unique(numbers), np.bincount(numbers)

    check(program)
