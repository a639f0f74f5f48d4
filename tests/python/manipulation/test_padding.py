# SPDX-License-Identifier: BSD-3-Clause
"""pad against NumPy: every mode, wide and narrow rims, every dtype and layout; and windows that overlap."""

import itertools

import numpy
import pytest

import gamelan
from operands import DTYPES, LAYOUTS, cube, right
from oracle import check, check_all

MODES = {
    "constant": [{}, {"constant_values": 3}, {"constant_values": ((1, 2),)}, {"constant_values": [[1, 2], [3, 4], [5, 6]]}],
    "edge": [{}], "empty": [], "linear_ramp": [{}, {"end_values": 5}, {"end_values": (2, -4)}],
    "maximum": [{}, {"stat_length": 2}], "minimum": [{"stat_length": (1, 3)}], "mean": [{}, {"stat_length": ((2, 1),)}],
    "median": [{}, {"stat_length": 2}, {"stat_length": 3}], "reflect": [{}, {"reflect_type": "odd"}],
    "symmetric": [{}, {"reflect_type": "odd"}], "wrap": [{}],
}  # fmt: skip
WIDTHS = [0, 1, (2, 1), ((1, 0), (0, 2), (3, 3)), 9, ((0, 20), (13, 0), (7, 8))]


@pytest.mark.parametrize("mode", MODES)
def test_modes(engine, mode):
    data = (numpy.arange(24) * 7 % 11 - 3.25).reshape(2, 3, 4)

    def programs():
        for keywords, width, dtype in itertools.product(MODES[mode], WIDTHS, ("f8", "i4")):
            yield f"{mode} {width} {keywords} {dtype}", lambda np: np.pad(np.array(data.astype(dtype)), width, mode, **keywords)
            if dtype == "f8":
                yield f"{mode} {width} {keywords} transposed", lambda np: np.pad(np.array(data)[::-1].T, width, mode, **keywords)

    check_all(programs())


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(engine, dtype):
    def programs():
        for mode, (what, layout) in itertools.product(
            ("constant", "edge", "reflect", "symmetric", "wrap", "maximum"), LAYOUTS.items()
        ):
            yield f"{mode} {dtype} {what}", lambda np: np.pad(layout(np.array(right(dtype))), 2, mode)
        if dtype not in ("bool", "float16", "complex64"):
            for mode in ("mean", "median", "linear_ramp"):
                yield f"{mode} {dtype}", lambda np: np.pad(np.array(cube(dtype)), (1, 3), mode)

    check_all(programs())


@pytest.mark.parametrize("expression", [
    "np.pad(a, -1)", "np.pad(a, 1.5)", "np.pad(a, (1, 2, 3))", "np.pad(a, 1, 'no such mode')", "np.pad(a, 1, 'edge', constant_values=1)",
    "np.pad(a, ((1, 1),))", "np.pad(a, [[1], [2], [0]])", "np.pad(a[:0], 1, 'edge')", "np.pad(a[:0], ((0, 0), (1, 1), (0, 0)), 'wrap')",
    "np.pad(a[:0], 2)", "np.pad(a, 1, 'maximum', stat_length=0)", "np.pad(a, 1, 'mean', stat_length=-1)", "np.pad(a, 1, constant_values=1.9)",
    "np.pad(a[:1], 3, 'reflect')", "np.pad(a[:, :1], 3, 'symmetric')", "np.pad(a[0, 0, 0], 0)", "np.pad(a, 2, 'empty')[2:-2, 2:-2, 2:-2]",
    "np.pad(np.array([1.0, np.nan, 2.0]), 2, 'median')", "np.pad(np.array([3, np.nan]), 2, 'minimum')", "np.pad(a, 1, mode='constant', bogus=3)",
    "np.pad(a, {1: (2, 1), -1: 3})", "np.pad(a, {})", "np.pad(a, {3: 1})", "np.pad(a, {0: 1.5})", "np.size(a, 1)", "np.size(a, (0, 2))", "np.size(a, 3)",
])  # fmt: skip
def test_arguments(engine, expression):
    check(lambda np: eval(expression, {"np": np, "a": np.arange(24).reshape(2, 3, 4)}), expression)


def test_a_function_as_mode_is_refused_by_name(engine):
    with pytest.raises(NotImplementedError, match="pad"):
        gamelan.pad(gamelan.arange(3), 1, lambda row, width, axis, keywords: None)


WINDOWS = [
    "windows(a, 3, 0)", "windows(a, 2, -1)", "windows(a, (2, 3))", "windows(a, (2, 2), (0, 1))", "windows(a, (2, 2), (1, 1))", "windows(a, 9)",
    "windows(a, 7, 1)", "windows(a, -1, 0)", "windows(a, 3, 5)", "windows(a, 3, 0).mean(-1)", "windows(a[::2, ::-1], 2, 1)", "windows(a, 3, 0)[1:, 2] * 2",
    "windows(a, 2, 1).max(axis=(0, 2))", "np.sort(windows(a, 3, 1), -1)", "windows(a, 3, 1) @ np.arange(3.0)", "windows(a[0], 0)",
    "windows(a, 3, 0, writeable=True).shape", "strided(a, (3, 3), (8, 16))", "strided(a[0], (2, 2), (0, 8))", "strided(a, (2, 2))", "strided(a)",
    "strided(a[::-1], (4,), (-8,))", "strided(a, (0, 3), (8, 8))", "np.broadcast_to(strided(a, (4,), (8,)), (2, 4)).sum()",
]  # fmt: skip


def test_without_axes_here_and_there(mixed):
    for expression in ("np.pad(np.array(2.5), 1)", "np.pad(np.array(3), ((1, 2),), 'edge')"):
        check(lambda np: eval(expression, {"np": np}), expression)


@pytest.mark.parametrize("expression", WINDOWS)
def test_windows(engine, expression):
    def program(np):
        tricks = np.lib.stride_tricks
        return eval(
            expression,
            {"np": np, "windows": tricks.sliding_window_view, "strided": tricks.as_strided, "a": np.arange(30.0).reshape(5, 6)},
        )

    check(program, expression)


def test_windows_write_through_and_stay_inside(engine):
    def program(np):
        a = np.zeros(10)
        np.lib.stride_tricks.as_strided(a, (3, 2), (24, 8))[...] = 1
        return a

    check(program)
    strided = gamelan.lib.stride_tricks.as_strided
    a = gamelan.arange(10.0)
    for shape, strides in (((11,), (8,)), ((2,), (-8,)), ((2, 9), (16, 8))):
        with pytest.raises(ValueError, match="leave the memory"):
            strided(a, shape, strides)
    with pytest.raises(ValueError, match="read-only"):
        strided(a, (3, 3), (8, 8))[...] = 1
    check(lambda np: np.lib.stride_tricks.sliding_window_view(np.arange(9), 3).__setitem__(0, 1))
