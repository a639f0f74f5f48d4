# SPDX-License-Identifier: BSD-3-Clause
"""A small part of a distributed array takes a dtype that the engines lack: it comes here first. And dates in ranges."""

import numpy
import pytest

import gamelan
from oracle import check, check_all

_DTYPES = ("M8[D]", "m8[s]", "g", "G", "U5", "S3", "O", ">f8", ">i4", [("a", "f8")], "V8")


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
def test_a_small_part_is_converted(mixed, dtype):
    def data(np):
        return np.arange(40.0).reshape(10, 4)

    check_all(
        (f"{part} {dtype}", lambda np, part=part: eval(part, {"x": data(np), "np": np, "d": dtype}))
        for part in (
            "x[1].astype(d)",
            "x[:2, 1].astype(d)",
            "x[:3, ::2].T.astype(d)",
            "x[2:2].astype(d)",
            "np.array(x[1], d)",
            "x[1, 2].astype(d)",
            "x[1].astype(d, casting='safe')",
            "x[1].astype('i8').astype(d)",
            "x[:2, 1].view(d)",
            "x[1].view(d)",
            "x[1].astype('i8').view(d)",
            "x[1, ::2].view(d)",
            "x[1].view(d).shape",
        )
    )


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
def test_a_large_one_comes_here_within_the_limit(mixed, dtype):
    x = gamelan.arange(40.0)
    assert not x.astype(dtype).is_distributed
    with gamelan.options(gather_limit=39), pytest.raises(ValueError, match="gather_limit"):
        x.astype(dtype)


def test_a_small_view_of_another_dtype_is_a_copy_that_says_so(mixed):
    x = gamelan.arange(40)
    view = x[:3].view("M8[s]")
    assert not view.is_distributed and not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    part = x[:3]
    with pytest.raises(NotImplementedError, match="not supported"):
        part.dtype = "M8[s]"  # in place it would be another array


@pytest.mark.parametrize("dtype", ["M8[D]", "M8[s]", "m8[s]"])
def test_ranges_of_dates(mixed, dtype):
    check_all(
        (call, lambda np, call=call: eval(call, {"np": np, "d": dtype, "D": numpy.datetime64}))
        for call in (
            "np.arange(5, dtype=d)",
            "np.arange(5, None, 2, dtype=d)",
            "np.arange(None, 5, dtype=d)",
            "np.arange(0, 5, dtype=d)",
            "np.arange(1, 9, 2, d)",
            "np.arange(D('2020-01-05'))",
            "np.arange(D('2020-01-01'), D('2020-01-05'))",
            "np.arange(D('2020-01-01'), D('2020-01-05'), dtype=d)",
        )
    )
    if dtype[0] == "M":
        check(lambda np: np.arange(50, dtype=dtype))
