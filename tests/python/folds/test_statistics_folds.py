# SPDX-License-Identifier: BSD-3-Clause
"""sum, prod, min, max, any and all with where, initial, dtype and out, against NumPy; arrays here and on the engines mixed."""

import itertools

import numpy
import pytest

import gamelan
from operands import cube
from oracle import check, check_all

MASK = numpy.arange(210).reshape(5, 6, 7) % 3 > 0
WHERES = {
    "cube": MASK,
    "row": MASK[0, 0],
    "column": MASK[:, :1, :1],
    "nothing": False,
    "everything": True,
    "numbers": MASK.astype("i4"),
}


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all"])
def test_where_and_initial(engine, name):
    def programs():
        for dtype, (what, where), axis in itertools.product(
            ("bool", "int8", "float32", "float64", "complex128"), WHERES.items(), (None, 1, (0, 2))
        ):
            data = cube(dtype)
            initials = [{}] if name in ("any", "all") else [{}, {"initial": 1}, {"initial": None}]
            for initial in initials:
                yield (
                    f"{dtype} {what} {axis} {initial}",
                    lambda np: getattr(np, name)(np.array(data), axis, where=where, **initial),
                )
                yield (
                    f".{dtype} {what} {axis} {initial}",
                    lambda np: getattr(np.array(data), name)(axis=axis, where=np.array(where), **initial),
                )
        if name not in ("any", "all"):
            for shape, axis in itertools.product([(0, 3), (3, 0), (0,)], (None, 0, -1)):
                yield f"nothing {shape} {axis}", lambda np: getattr(np, name)(np.ones(shape), axis, initial=2.5)
            yield "not castable", lambda np: getattr(np, name)(np.array(cube("i4")), initial="a")

    check_all(programs())


def test_operands_of_both_kinds(mixed):
    """Arrays of 10 elements or more are distributed: masks and outputs may be on the other side."""

    def into(np, out):
        result = np.sum(np.arange(24.0).reshape(4, 6), axis=1, out=out)
        return [result is out, out]

    def programs():
        yield "mask here", lambda np: np.sum(np.arange(24).reshape(4, 6), 0, where=numpy.arange(6) > 2)
        yield "array here", lambda np: np.mean(np.arange(6.0), where=numpy.arange(6) > 2)
        yield "output here", lambda np: into(np, np.zeros(4))
        yield "weights here", lambda np: np.average(np.arange(24.0).reshape(4, 6), 0, numpy.arange(1, 5))
        yield "table here", lambda np: np.searchsorted([1, 2, 9], np.arange(12))
        yield "values here", lambda np: np.searchsorted(np.arange(12), [3, 40])
        yield (
            "weights of bins",
            lambda np: np.bincount(numpy.arange(6), np.arange(6)) if np is numpy else np.bincount(np.arange(6), np.arange(6)),
        )
        yield "interp", lambda np: np.interp(np.arange(20.0), [1, 5, 9], [2, 4, 8])
        yield "interp there", lambda np: np.interp([1.5, 2], np.arange(20.0), np.arange(20) ** 2)
        yield "convolve", lambda np: np.convolve(np.arange(20.0), [1, 2, 3])
        yield "histogram", lambda np: np.histogram(np.arange(20.0), [1, 2, 5], weights=numpy.arange(20))
        yield "cov", lambda np: np.cov(np.arange(24.0).reshape(4, 6), [1, 2, 3, 4, 5, 7])
        yield "quantile", lambda np: np.quantile(np.arange(24.0), np.linspace(0, 1, 15))

    check_all(programs())


def test_small_arrays_are_numpys(ranks):
    with gamelan.options(distribute_from=2**40):
        for name in ("mean", "var", "median", "cumsum", "ptp"):
            check(lambda np: getattr(np, name)(np.arange(12.0).reshape(3, 4), axis=0), name, exact=True)
        out = gamelan.zeros(4)
        assert gamelan.std(gamelan.ones((3, 4)), axis=0, out=out) is out
