# SPDX-License-Identifier: BSD-3-Clause
"""Folds over axes, and what a 0-d result does when Python asks it for a number."""

import math

import numpy
import pytest

import gamelan
from gamelan._promotion import NAMES
from oracle import check, check_all

FOLDS = ["sum", "prod", "min", "max", "mean", "any", "all"]


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("dtype", NAMES)
def test_dtypes(engine, fold, dtype):
    def program(np):
        a = (np.arange(24) % 5 + 1).astype(dtype).reshape(2, 3, 4)
        return getattr(np, fold)(a), getattr(a, fold)(1), getattr(a[:, ::-1, 1:], fold)((0, 2), keepdims=True)

    check(program, f"{fold} {dtype}")


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("axis", [None, 0, -1, 2, (0, 1), (-1, 0), (), 3, -4, (0, 0), 1.5], ids=repr)
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(engine, fold, axis, keepdims):
    check(lambda np: getattr(np, fold)(np.arange(1.0, 25.0).reshape(2, 3, 4), axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1,), ()], ids=repr)
def test_empty(engine, fold, shape):
    check(lambda np: getattr(np.ones(shape), fold)())
    check(lambda np: getattr(np.ones(shape), fold)(axis=0))


def test_nan_and_lexicographic_order(engine):
    check(lambda np: np.array([1, numpy.nan, 3]).max())
    check(lambda np: np.array([1, numpy.nan, 3]).min())
    check(lambda np: np.array([1 + 2j, 1 + 3j, 0.5]).max())


def test_dtype_and_out(engine):
    def program(np):
        a = np.arange(6, dtype="i2").reshape(2, 3)
        out = np.zeros(3)
        same = a.sum(0, out=out)
        return (
            a.sum(dtype="f4"),
            a.mean(dtype="f4"),
            a.prod(0, dtype="u8"),
            same is out,
            out,
            (a > 1).sum(),
            (a > 1).sum(dtype=bool),
        )

    check(program)
    check(lambda np: np.arange(3).sum(out=np.zeros(2)))
    check(lambda np: np.arange(3.0).reshape(1, 3).sum(0, out=np.zeros(3, "i4")))


def test_a_result_acts_as_a_number(engine):
    def program(np):
        s = np.arange(5.0).sum()
        i = np.arange(5).sum()
        return (
            float(s), int(s), bool(s), complex(s), s.item(), round(s), round(s / 3, 2), f"{s:.3f} {i:d} {s}", str(s), repr(s), s == 10,
            s > 3 and "yes", math.sqrt(s), [s < 11, not s], {10.0: "found"}[s], hash(i) == hash(10), list(range(i)), s.shape, s.ndim,
        )  # fmt: skip

    check(program)


def test_values_are_kept_until_written(engine):
    a = gamelan.arange(4.0)
    s = a.sum()
    assert float(s) == 6
    before = gamelan.stats()["sent_batches"]
    assert float(s) == 6 and int(s) == 6
    assert gamelan.stats()["sent_batches"] == before
    s += 1
    assert float(s) == 7
    with pytest.raises(TypeError, match="ArrayType"):
        gamelan.add(s, 1, out=s)  # a value, as NumPy's scalar, is no place to write to


def test_truth_of_many(engine):
    check(lambda np: bool(np.arange(3)))
    check(lambda np: bool(np.array([1])))
    check(lambda np: float(np.arange(3)))
    check(lambda np: int(np.array([[3.7]])))
    check(lambda np: hash(np.arange(3)))


def test_convergence_loop(engine):
    def program(np):
        x, steps = np.full(8, 2.0), 0
        while ((x * x - 2) ** 2).max() > 1e-20:
            x = (x + 2 / x) / 2
            steps += 1
        return steps, x

    check(program)


def test_arguments_that_are_nearly_right(engine):
    data = numpy.arange(1.0, 10.0).reshape(3, 3)
    folds = ("sum", "max", "any", "mean", "std", "ptp", "median", "argmax", "cumsum", "nancumprod", "nansum")
    others = {"concatenate": "[x, x]", "clip": "x, 2, 3", "around": "x", "dot": "x, x", "outer": "x, x", "take": "x, [1]", "choose": "x > 2, [x, x]",
              "compress": "x[0] > 1, x", "einsum": "'ij,jk', x, x", "stack": "[x, x]", "matmul": "x, x", "add.reduce": "x", "add.accumulate": "x"}  # fmt: skip

    def programs():
        for out in ("3", "[1.0]", "numpy.zeros((7, 9))"):
            for name, operands in [*((fold, "x") for fold in folds), *others.items()]:
                if name != "median" or out[0] != "n":  # NumPy broadcasts it
                    yield (
                        f"{name} {out}",
                        lambda np: eval(f"np.{name}({operands}, out={out})", {"np": np, "numpy": numpy, "x": np.array(data)}),
                    )
        for name in (*folds, "count_nonzero", "average", "nanvar", "nanmin"):
            yield f"{name} along a list", lambda np: getattr(np, name)(np.array(data), axis=[0, 1])
        yield "outer into NumPy's array", lambda np: np.outer(np.arange(2.0), np.arange(3.0), out=numpy.zeros((2, 3)))
        yield "no whole number of decimals", lambda np: np.around(np.array(data), 1.0)
        yield "edges that fall", lambda np: np.histogram_bin_edges(np.array(data), np.array([2.0, 1.0]))
        yield "no whole number of tiles", lambda np: np.tile(np.array(data), 0.5)
        yield "no whole number of powers", lambda np: np.vander(np.array(data[0]), 2.0)
        yield "a float of Python's as an index", lambda np: (np.take(np.array(data), 2.0), np.take(np.array(data), True))
        yield "a float of NumPy's as an index", lambda np: np.take(np.array(data), numpy.array([2.0]))
        yield "flags unwrapped", lambda np: np.unwrap(np.array(data) > 4, axis=0)
        for name in ("i0", "nan_to_num", "sinc"):
            yield f"{name} of a list", lambda np: getattr(np, name)([np.array(data), np.array(data)])

    check_all(programs())


@pytest.mark.parametrize("shape", [(4, 1000), (1013, 457), (1000, 4), (3, 1, 50), (200, 8, 8), (1, 5000), (5, 0), (0, 5)])
def test_several_of_one_array_some_where_their_partials_lie(engine, shape):
    """Sums of rows are folded into the result itself, casts are not; and results are written again in the same batch."""

    def program(np):
        a = np.asarray(numpy.random.default_rng(6).integers(-9, 9, shape) / 8)  # sums are exact in float32, too
        axes = tuple(range(1, len(shape)))
        sums, kept = a.sum(axis=axes), a.sum(axis=axes, keepdims=True)
        single, truths, columns = a.sum(axis=axes, dtype="f4"), (a > 0).any(axis=axes), a.sum(axis=0)
        before = sums + 1
        sums += single
        sums[::2] *= 3
        return [sums, kept, single, truths, columns, before, a - kept]

    check(program)
