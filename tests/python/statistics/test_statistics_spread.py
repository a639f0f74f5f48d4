# SPDX-License-Identifier: BSD-3-Clause
"""mean, average, ptp, var, std and the folds that leave NaNs out, against NumPy: dtypes, axes, views, options."""

import itertools

import numpy
import pytest

import gamelan
from operands import cube
from oracle import check_all

AXES = [None, 0, -1, (0, 2), (1, -1), (0, 1, 2)]
VIEWS = {
    "reversed": lambda a: a[::-1, :, ::-2],
    "transposed": lambda a: a.T,
    "column": lambda a: a[:, 2, 3],
    "0-d": lambda a: a[1, 2, 3, ...],
    "nothing": lambda a: a[:0],
    "no lines": lambda a: a[:, :0],
}
NAN_FOLDS = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanmedian"]


def with_nans(dtype):
    data = cube(dtype) * 1.25
    data = data.astype(dtype)
    if data.dtype.kind in "fc":
        data[data == data[0, 0, 1]] = numpy.nan
        data[2, 3] = numpy.nan  # a line of nothing else
    return data


@pytest.mark.parametrize("name", ["mean", "var", "std", "ptp"])
def test_folds(engine, name):
    def programs():
        for dtype in ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"):
            data = cube(dtype)
            for axis in AXES:
                yield f"{name} {dtype} {axis}", lambda np: getattr(np, name)(np.array(data), axis)
                yield f".{name} {dtype} {axis} keepdims", lambda np: getattr(np.array(data), name)(axis, keepdims=True)
            for what, view in VIEWS.items():
                yield f"{name} {dtype} {what}", lambda np: getattr(np, name)(view(np.array(data)))
                yield f"{name} {dtype} {what} 0", lambda np: getattr(np, name)(view(np.array(data)), axis=0)
        for axis in (3, -4, (0, 0), 1.5):
            yield f"{name} {axis}", lambda np: getattr(np, name)(np.array(cube("f8")), axis)

    check_all(programs())


def test_where_ddof_dtype_and_out(engine):
    data = cube("float64") + numpy.arange(7)
    mask = numpy.arange(210).reshape(5, 6, 7) % 3 > 0

    def into(np, name, **options):
        out = np.zeros((5, 7), "f4")
        result = getattr(np, name)(np.array(data), axis=1, out=out, **options)
        return [result is out, out]

    def programs():
        for name, axis in itertools.product(("var", "std"), AXES):
            for ddof in (0, 1, 2.5, 1000):
                yield f"{name} {axis} ddof={ddof}", lambda np: getattr(np, name)(np.array(data), axis, ddof=ddof)
        for name, axis in itertools.product(("mean", "var", "std"), AXES):
            yield f"{name} {axis} where", lambda np: getattr(np, name)(np.array(data), axis, where=np.array(mask))
            yield f"{name} {axis} where row", lambda np: getattr(np, name)(np.array(data), axis, keepdims=True, where=mask[0, 0])
        for name, dtype in itertools.product(("mean", "var", "std"), ("float32", "float64", "complex128", "int32")):
            yield f"{name} {dtype}", lambda np: getattr(np, name)(np.array(data), 1, dtype=dtype)
        for name in ("mean", "var", "std", "ptp"):
            yield f"{name} out", lambda np: into(np, name)

    check_all(programs())


def test_average(engine):
    data = cube("float64") + numpy.arange(7)

    def programs():
        for axis, dtype in itertools.product((None, 0, 1, -1), ("int32", "float32", "float64", "complex64")):
            values = data.astype(dtype)
            weights = numpy.arange(210.0).reshape(5, 6, 7)
            yield f"{axis} {dtype}", lambda np: np.average(np.array(values), axis, returned=True)
            yield f"{axis} {dtype} weights", lambda np: np.average(np.array(values), axis, np.array(weights), returned=True)
            if axis is not None:
                yield (
                    f"{axis} row",
                    lambda np: np.average(np.array(values), axis, numpy.arange(1, values.shape[axis] + 1), returned=True),
                )
        yield "zero", lambda np: np.average(np.array(data), weights=np.zeros(data.shape))
        yield "shapes", lambda np: np.average(np.array(data), weights=np.ones(3))
        yield "length", lambda np: np.average(np.array(data), 0, weights=np.ones(3))

    check_all(programs())


@pytest.mark.parametrize("name", NAN_FOLDS)
def test_nan_folds(engine, name):
    def programs():
        for dtype in ("bool", "int16", "float32", "float64", "complex128"):
            if name == "nanmedian" and dtype == "complex128":
                continue
            data = with_nans(dtype)
            for axis in AXES:
                yield f"{name} {dtype} {axis}", lambda np: getattr(np, name)(np.array(data), axis)
                yield f"{name} {dtype} {axis} keepdims", lambda np: getattr(np, name)(np.array(data), axis=axis, keepdims=True)
            for what, view in VIEWS.items():
                yield f"{name} {dtype} {what}", lambda np: getattr(np, name)(view(np.array(data)))
        yield f"{name} all NaN", lambda np: getattr(np, name)(np.array(numpy.full((3, 4), numpy.nan)), 1)

    check_all(programs())


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
def test_nan_extremes_with_keywords(engine, name):
    def programs():
        for dtype in ("int16", "float16", "float32", "float64", "complex64"):
            data = with_nans(dtype)
            for axis in AXES:
                for initial in (True, 2.5, numpy.nan, None):
                    yield f"{name} {dtype} {axis} {initial}", lambda np: getattr(np, name)(np.array(data), axis, initial=initial)
                for where in (True, cube("i4") % 3 > 0):
                    yield (
                        f"{name} {dtype} {axis} where",
                        lambda np: getattr(np, name)(np.array(data), axis, initial=1, where=np.array(where)),
                    )
                yield f"{name} {dtype} {axis}", lambda np: getattr(np, name)(np.array(data), axis=axis)

            def into(np):
                out = np.zeros(data.shape[1:], dtype)
                return getattr(np, name)(np.array(data), 0, out) is out, out

            yield f"{name} {dtype} out", into
            yield f"{name} {dtype} nothing", lambda np: getattr(np, name)(np.array(data)[:0], 0)

    check_all(programs())


def test_other_nan_functions(engine):
    data = with_nans("float64")
    data[2, 3] = 1

    def programs():
        for name, axis in itertools.product(("nanargmin", "nanargmax"), (None, 0, 2, -2)):
            yield f"{name} {axis}", lambda np: getattr(np, name)(np.array(data), axis)
            yield f"{name} {axis} int", lambda np: getattr(np, name)(np.array(cube("i4")), axis, keepdims=True)
            yield f"{name} {axis} all NaN", lambda np: getattr(np, name)(np.array(with_nans("f8")), axis)
        for name, axis in itertools.product(("nancumsum", "nancumprod"), (None, 0, -1)):
            yield f"{name} {axis}", lambda np: getattr(np, name)(np.array(data), axis)
            yield f"{name} {axis} f4", lambda np: getattr(np, name)(np.array(cube("i4")), axis, dtype="f4")
        for ddof in (1, 5, 6, 7):
            yield f"nanvar ddof={ddof}", lambda np: np.nanvar(np.array(data), 1, ddof=ddof)
        for axis in (None, 0, (0, 1)):
            yield f"count_nonzero {axis}", lambda np: np.asarray(np.count_nonzero(np.array(cube("i8")), axis))
            yield f"count_nonzero {axis} keepdims", lambda np: np.count_nonzero(np.array(cube("?")), axis, keepdims=True)

    check_all(programs())


def test_corrections_and_means_that_are_given(engine):
    """Parameters of NumPy 2."""
    data, there = with_nans("float64"), with_nans("float64")[0]
    where_known = gamelan.array(there)
    for name in ("nanvar", "nanstd"):
        ours, theirs = getattr(gamelan, name), getattr(numpy, name)
        assert numpy.allclose(ours(gamelan.array(data), 1, correction=2), theirs(data, 1, ddof=2), equal_nan=True)
        mean = numpy.nanmean(there, 0, keepdims=True)
        assert numpy.allclose(ours(where_known, 0, mean=mean), theirs(there, 0))
        assert numpy.allclose(ours(gamelan.array([3, 5]), mean=3.0), 2.0 if name == "nanvar" else 2.0**0.5)
        with pytest.raises(ValueError, match="simultaneously"):
            ours(where_known, ddof=1, correction=1)
