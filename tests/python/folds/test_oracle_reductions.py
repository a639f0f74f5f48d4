# SPDX-License-Identifier: BSD-3-Clause
"""Folds and running folds against NumPy: every dtype, axis and layout, nothing, one, NaN, rounding."""

import itertools

import numpy
import pytest

from operands import DTYPES, cube
from oracle import check_all

AXES = [None, 0, 1, -1, (0, 2), (1, -1), (0, 1, 2), ()]


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean"])
def test_reductions(engine, name):
    def programs():
        for dtype in DTYPES:
            data = cube(dtype).astype(dtype)
            for axis in AXES:
                yield f"{name} {dtype} {axis}", lambda np: getattr(np.array(data), name)(axis=axis)
            for layout, view in {"reversed": lambda a: a[::-1, :, ::-2], "transposed": lambda a: a.T, "strided": lambda a: a[1::2, ::4],
                                 "column": lambda a: a[:, 2, 3], "row": lambda a: a[1, 2], "broadcast": lambda a: a[:, :1] + a}.items():  # fmt: skip
                for axis in (None, 0, -1):
                    yield (
                        f"{name} {dtype} {layout} {axis}",
                        lambda np: getattr(np, name)(view(np.array(data)), axis=axis, keepdims=axis == 0),
                    )

    check_all(programs())


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all"])
def test_reductions_of_nothing_and_of_one(engine, name):
    def programs():
        for dtype in ("bool", "int8", "uint32", "int64", "float16", "float64", "complex64"):
            for shape, axis in itertools.product([(0,), (0, 3), (3, 0), (2, 0, 4), (), (1,), (1, 1)], [None, 0, -1, 1]):
                yield f"{name} {dtype} {shape} {axis}", lambda np: getattr(np, name)(np.ones(shape, dtype), axis=axis)

    check_all(programs())


def test_reduction_dtype_out_and_nan(engine):
    data = cube("float64")
    with_nan = numpy.where(data == 1, numpy.nan, data)
    whole = cube("int16")

    def into(np, name, dtype, axis):
        result = np.zeros((5, 7), dtype)
        returned = getattr(np, name)(np.array(data), axis=axis, out=result)
        return [returned is result, result]

    def programs():
        for name in ("sum", "max", "min", "mean", "prod"):
            for axis in AXES:
                yield f"nan {name} {axis}", lambda np: getattr(np, name)(np.array(with_nan), axis=axis)
            for dtype, axis in itertools.product(("float64", "float32", "int32", "complex128"), (1, -2)):
                yield f"out {name} {dtype} {axis}", lambda np: into(np, name, dtype, axis)
        for name, dtype in itertools.product(
            ("sum", "prod", "mean"), ("int8", "uint16", "float32", "float64", "complex128", bool)
        ):
            yield f"dtype {name} {dtype}", lambda np: getattr(np, name)(np.array(whole), axis=0, dtype=dtype)
        for name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or"):
            yield f"{name}.reduce", lambda np: getattr(np, name).reduce(np.array(data))
            yield f"{name}.reduce all", lambda np: getattr(np, name).reduce(np.array(data), axis=None)
            yield f"{name}.outer", lambda np: getattr(np, name).outer(np.array(data[0, 0]), np.array(data[0]))

    check_all(programs())


@pytest.mark.parametrize("count", [1, 2, 7, 64, 1000, 4096, 65537])
def test_sums_of_rounded_numbers(engine, count):
    draw = numpy.random.RandomState(count)
    real = draw.standard_normal(count)

    def programs():
        for dtype in ("float32", "float64", "complex128", "float16"):
            data = (real * (1 + 0.5j) if dtype[0] == "c" else real).astype(dtype)
            yield f"sum {dtype}", lambda np: np.array(data).sum()
            yield f"mean {dtype}", lambda np: np.array(data)[::-1].mean()
            yield f"max {dtype}", lambda np: np.array(data).max()

    check_all(programs())


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean"])
def test_reductions_in_many_steps(engine, name):
    """So many reduction blocks that their partials are folded by a tree of steps."""
    draw = numpy.random.RandomState(7)
    row = draw.randint(0, 3, 20_000_003, "u1") if name != "prod" else (draw.randint(0, 10**7, 20_000_003) == 5) + numpy.uint8(1)

    def programs():
        for what, view in {
            "row": lambda a: a,
            "reversed": lambda a: a[::-1],
            "stepped": lambda a: a[1:-1].reshape(-1, 3)[:, 1:],
        }.items():
            yield f"{name} {what}", lambda np: getattr(view(np.array(row)), name)()
        for shape, axis in {
            (1000, 20_000): None,
            (10_000_000, 2): 0,
            (2, 10_000_000): 1,
            (4, 5_000_000): (0, 1),
            (5000, 2, 2000): (0, 2),
        }.items():
            size = numpy.prod(shape)
            yield f"{name} {shape} {axis}", lambda np: getattr(np.array(row[:size]).reshape(shape), name)(axis=axis)

    check_all(programs())


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "bitwise_or"])
def test_running_folds(engine, name):
    def into(np, data, dtype):
        result = np.zeros(data.shape, dtype)
        getattr(np, name).accumulate(np.array(data), axis=1, out=result)
        return result

    def programs():
        for dtype in ("bool", "int8", "uint32", "int64", "float32", "float64", "complex64"):
            if name == "bitwise_or" and dtype[0] in "fc":
                continue
            data = cube(dtype).astype(dtype)
            for axis in (0, 1, 2, -1, 3, None):
                yield f"{name}.accumulate {dtype} {axis}", lambda np: getattr(np, name).accumulate(np.array(data), axis=axis)
            yield f"{name}.accumulate {dtype} reversed", lambda np: getattr(np, name).accumulate(np.array(data)[::-1, ::2].T)
            yield f"{name}.accumulate {dtype} nothing", lambda np: getattr(np, name).accumulate(np.zeros((0, 3), dtype))
            yield f"{name}.accumulate {dtype} 0-d", lambda np: getattr(np, name).accumulate(np.zeros((), dtype))
            yield f"{name}.accumulate {dtype} out", lambda np: into(np, data, dtype)
        yield (
            f"{name}.accumulate dtype",
            lambda np: getattr(np, name).accumulate(np.arange(500), dtype="i2" if name == "add" else None),
        )

    check_all(programs())


def test_subtract_reduce(engine):
    def programs():
        for dtype in ("bool", "int8", "uint16", "int64", "float64", "complex128"):
            data = cube(dtype).astype(dtype)
            for axis in (0, 1, -1, (1,), None, (0, 1), 3):
                yield f"{dtype} {axis}", lambda np: np.subtract.reduce(np.array(data), axis=axis)
                yield f"{dtype} {axis} keepdims", lambda np: np.subtract.reduce(np.array(data), axis=axis, keepdims=True)
            yield f"{dtype} flat", lambda np: np.subtract.reduce(np.array(data).ravel(), axis=None)
            yield f"{dtype} nothing", lambda np: np.subtract.reduce(np.zeros((0, 3), dtype))

    check_all(programs())
