# SPDX-License-Identifier: BSD-3-Clause
"""Of which large arrays a pass asks for elements ahead: of all, if it reads one at several places, such as the rows of a stencil."""

import re

import gamelan as np
import numpy
import pytest

import oracle

ROWS, COLUMNS = 300, 2050  # 4.7 MiB


@pytest.fixture
def array(engine, ranks):
    if not ranks:
        pytest.skip("the model has no plans")
    made = np.asarray(numpy.random.default_rng(7).random((ROWS * ranks, COLUMNS)))
    np.sync()
    return made


def asked_ahead(result):
    """Where the operands begin of which something is asked for ahead, in the order of the program."""
    return re.findall(r"load @(\d+) as float64 asked for ahead", np.explain(result))


def laplacian(a):
    return a[1:-1, 1:-1] * 4 - a[:-2, 1:-1] - a[2:, 1:-1] - a[1:-1, :-2] - a[1:-1, 2:]


def test_the_last_row_of_a_stencil(array):
    assert asked_ahead(laplacian(array)) == ["2"]  # a[2:]
    long = array.reshape(-1, 5 * COLUMNS)
    assert asked_ahead(laplacian(long)) == ["2"]
    assert asked_ahead(laplacian(long[::-1])) == []


def test_a_sum_over_a_stencil(array):
    assert asked_ahead((laplacian(array) ** 2).sum()) == ["2"]


def test_what_is_read_beside_a_stencil(array):
    other = array + 1.0
    np.sync()
    assert len(asked_ahead(laplacian(array) * other[1:-1, 1:-1])) == 2
    assert len(asked_ahead(laplacian(array) * other[-2:0:-1, 1:-1])) == 1, "one of them is read backwards"
    assert asked_ahead(array * other) == [], "the processor finds these by itself"
    assert len(asked_ahead(laplacian(array) * laplacian(other))) == 2


@pytest.mark.parametrize(
    "of",
    [
        lambda a: a * 2 + 1,  # read once
        lambda a: a.reshape(-1, 5 * COLUMNS) + a.reshape(-1, 5 * COLUMNS)[::-1],  # once forwards
        lambda a: laplacian(a[:40] + 1),  # small
        lambda a: laplacian(a[:, :1000]),  # half of each row would be asked for in vain
    ],
    ids=["once", "backwards", "small", "parts of rows"],
)
def test_what_is_not(array, of):
    assert asked_ahead(of(array)) == []


def test_values(array):
    def program(np):
        a = np.asarray(numpy.random.default_rng(7).random((1100, COLUMNS)))
        results = []
        for _ in range(3):  # in machine code, too
            results += [laplacian(a), (laplacian(a[::-1]) * a[1:-1, 1:-1]).sum(axis=0), laplacian(a[:, 7:-1].T)]
            a = a + 1.0
        return results

    oracle.check(program)
