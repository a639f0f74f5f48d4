# SPDX-License-Identifier: BSD-3-Clause
"""copy, deepcopy and pickle of everything that a program may hold: functions are themselves again, arrays lie as they lay,
streams of random numbers go on where they stood, each for itself."""

import copy
import inspect
import pickle

import numpy
import pytest

import gamelan
import oracle
from oracle import check_all

_AGAIN = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "old pickle": lambda value: pickle.loads(pickle.dumps(value, 0)),
          "copy": copy.copy, "deepcopy": copy.deepcopy}  # fmt: skip


def _functions():
    """Public functions of ours, with those of NumPy that they stand for."""
    for path in ("", "linalg", "fft", "lib.stride_tricks", "char", "testing", "array_api"):
        ours, theirs = gamelan, numpy
        for name in filter(None, path.split(".")):
            ours, theirs = getattr(ours, name), getattr(theirs, name, None)
        for name in sorted(vars(ours) if theirs is None else vars(theirs)):
            value = getattr(ours, name, None)
            if not name.startswith("_") and callable(value) and not inspect.ismodule(value):
                yield f"{path}.{name}", value, value if theirs is None else getattr(theirs, name)


@pytest.mark.parametrize("how", ["pickle", "copy", "deepcopy"])
def test_functions_are_themselves(how):
    again = _AGAIN[how]

    def is_same(value):
        oracle.count()
        try:
            return again(value) is value
        except Exception:
            return False

    wrong = [name for name, ours, theirs in _functions() if is_same(theirs) and not is_same(ours)]
    assert not wrong


def test_ufuncs_within_others():
    held = {"add": gamelan.add, "all": [gamelan.sin, gamelan.divmod, gamelan.modf]}
    for again in _AGAIN.values():
        assert again(held)["add"] is gamelan.add and again(held)["all"][1] is gamelan.divmod


ARRAYS = """
    x
    x[::2]
    x.T
    x[3:, 1]
    x[::2].T
    x > 7
    x * 1j
    x[2, 3]
    x.sum()
    x[2:3, 3]
    np.zeros((4, 5), order='F')
    np.zeros((0, 3))
    np.array(7.5)
    np.broadcast_to(x[0], (3, 7))
    x.view('u1')
    [x, x]
    {'a': x}
"""


@pytest.mark.parametrize("how", _AGAIN)
@pytest.mark.parametrize("fixture", ["engine", "mixed"])
def test_arrays(request, fixture, how):
    request.getfixturevalue(fixture)

    def program(np, line):
        value = eval(line, {"np": np, "x": np.arange(35.0).reshape(5, 7)})
        again = _AGAIN[how](value)
        if isinstance(value, dict):
            return again["a"]
        if isinstance(value, list):
            return again, (again[0] is again[1])
        if value.ndim and value.size and how != "copy":
            again[...] = again + 1
        return again, value, again.flags.f_contiguous, again.flags.c_contiguous

    check_all((line, lambda np, line=line: program(np, line)) for line in map(str.strip, ARRAYS.strip().splitlines()))


def test_views_become_arrays_of_their_own(engine):
    x = gamelan.arange(20.0)
    held = {"all": x, "part": x[3:]}
    for again in (pickle.loads(pickle.dumps(held)), copy.deepcopy(held)):
        again["all"][:] = 0
        assert again["part"].sum() == x[3:].sum() and again["part"].is_distributed


@pytest.mark.parametrize("how", _AGAIN)
@pytest.mark.parametrize("make", ["default_rng(3)", "RandomState(3)", "Generator(np.random.PCG64(3))"])
def test_streams_go_on_each_for_itself(engine, how, make):
    stream = eval(f"np.random.{make}", {"np": gamelan})
    stream.normal(size=5)
    again = _AGAIN[how](stream)
    assert type(again) is type(stream)
    expected = stream.normal(size=8).tolist()
    assert again.normal(size=8).tolist() == expected and stream.normal() == again.normal()


@pytest.mark.parametrize("how", _AGAIN)
def test_dtypes_and_classes(how):
    for value in (
        gamelan.dtype("f4"),
        gamelan.float32,
        gamelan.ndarray,
        gamelan.random.Generator,
        gamelan.linalg.LinAlgError,
        gamelan.newaxis,
    ):
        assert _AGAIN[how](value) == value
    assert _AGAIN[how](gamelan.s_[3:4, ...]) == (slice(3, 4), Ellipsis)
    assert _AGAIN[how](gamelan.poly1d([1, 2]))(3) == 5
