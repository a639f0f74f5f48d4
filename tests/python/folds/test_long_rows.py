# SPDX-License-Identifier: BSD-3-Clause
"""Reductions over the first axes of tables with long rows: of pieces of rows where they lie, and where ranks hold whole rows."""

import numpy
import pytest

import gamelan as np
from operands import scattered
from oracle import check_all

# Rows longer than what is folded at once, and as many ranks as rows, or nearly.
SHAPES = {(10, 40_004): 0, (3, 60_001): 0, (90, 4003): 0, (5, 7, 9001): (0, 1), (4, 3, 20_001): 0, (2, 150_001): 0}
PARTS = {
    "whole": lambda a: a,
    "a piece of each row": lambda a: a[..., 5:-7],
    "few columns": lambda a: a[..., 3:8],
    "one column": lambda a: a[..., 11:12],
    "every other row": lambda a: a[::2, ..., 1:],
    "rows backwards": lambda a: a[::-1, ..., 2:],
    "backwards": lambda a: a[..., ::-1],
    "every third column": lambda a: a[..., 1::3],
    "broadcast": lambda a: numpy.broadcast_to(a[:1], a.shape)
    if isinstance(a, numpy.ndarray)
    else np.broadcast_to(a[:1], a.shape),
}
FOLDS = {
    "sum": lambda np, a, axis: a.sum(axis),
    "max": lambda np, a, axis: a.max(axis),
    "min": lambda np, a, axis: a.min(axis),
    "mean": lambda np, a, axis: a.mean(axis),
    "any": lambda np, a, axis: (a > 8).any(axis),
    "true values": lambda np, a, axis: np.count_nonzero(a, axis=axis),
    "computed": lambda np, a, axis: (a * 2 + 1).sum(axis),
    "moments": lambda np, a, axis: np.var(a, axis=axis),
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i2", "?", "c16"])
def test_of_long_rows(engine, dtype):
    def programs():
        for shape, axis in SHAPES.items():
            values = scattered(shape, dtype)
            flat = values.ravel()
            held = {numpy: values, np: np.array(values)}  # made once: the log keeps its elements
            vectors = {numpy: flat, np: np.array(flat)}
            for what, part in PARTS.items():
                for name, fold in FOLDS.items():
                    if name in ("any", "moments") and dtype in ("?", "c16"):
                        continue
                    if name == "moments" and what == "broadcast":  # ours is 0, NumPy's is what was rounded
                        continue
                    yield f"{name} of {what} of {shape}", lambda np: fold(np, part(held[np]), axis)
            if dtype == "c16":
                yield f"real of {shape}", lambda np: held[np].real[..., 3:].sum(axis)
            yield f"of a vector as {shape}", lambda np: vectors[np].reshape(shape).sum(axis)
            yield f"of a computed vector as {shape}", lambda np: (vectors[np] + vectors[np]).reshape(shape).sum(axis)

    check_all(programs())


@pytest.mark.parametrize("shape", [(300, 20, 3), (40, 500, 3), (60, 31, 70)])
def test_kept_axes_with_gaps(engine, shape):
    values = scattered(shape, "f8")

    def programs():
        for axis in (0, (0, 1), 1):
            yield f"every other of {axis}", lambda np: np.array(values)[:, ::2, :].sum(axis)
            yield f"backwards {axis}", lambda np: np.array(values)[::-1, ::-3, 1:].max(axis)
            yield f"standard deviation {axis}", lambda np: np.nan_to_num(np.array(values))[:, ::2, 1:].std(axis)

    check_all(programs())


def test_several_of_one_pass(engine):
    x, y = scattered((10, 40_004), "f8"), scattered((40_004, 10), "f8")
    check_all(
        [("two", lambda np: (lambda a, b: (a.sum(0), b.T.sum(0), a[:, 3:].max(0), (a + b.T).min(0)))(np.array(x), np.array(y)))]
    )


def test_a_temporary_that_is_looked_at_in_two_forms(engine):
    """Its layout must suit both."""

    def program(np):
        e = np.exp(-np.arange(9216.0) / 1000)
        return e.reshape(12, -1).sum(0), e.reshape(12, 2, -1).max(2), e.reshape(8, 3, -1).sum((0, 1))

    check_all([("both", program)])


def test_what_is_summed_may_be_kept(engine):
    def program(np):
        x = np.arange(400_040.0)
        rows = (x * 3).reshape(10, -1)
        sums = rows.sum(0)
        more = rows + sums
        return sums, rows, more, more.max(0), x.reshape(10, -1).sum(0) + rows[0]

    check_all([("kept", program)])


def test_all_ranks_fold_few_rows(engines_only, ranks):
    """All reduction blocks would be one rank's."""
    x = np.arange(400_040.0)
    np.sync()
    plan = np.explain(x.reshape(10, -1).sum(0))
    assert f"blocks 1x40004 on 1x{ranks} ranks" in plan
