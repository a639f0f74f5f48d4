# SPDX-License-Identifier: BSD-3-Clause
"""New arrays: from shapes, rules and data."""

import copy
import pickle

import numpy
import pytest

import gamelan
from gamelan._promotion import NAMES
from oracle import check


@pytest.mark.parametrize("expression", [
    "np.zeros(3)", "np.zeros((2, 3), 'i4')", "np.zeros(())", "np.zeros((0, 4))", "np.zeros(-1)", "np.zeros((2, -1))", "np.zeros(2.5)",
    "np.array(numpy.ones((1, 3, 1)), order='F').strides", "np.array(numpy.ones((1, 3, 1)), order='K').strides",
    "np.array(numpy.ones((1, 3)), order='F').strides", "np.array(numpy.ones((3, 1)).T).strides", "np.array(numpy.ones((2, 1, 3)).T).strides",
    "np.zeros((2, 3), order='F')", "np.zeros(3, order='X')", "np.ones((2, 2), '?')", "np.full((2, 3), 7)", "np.full(3, 2.5, 'i4')",
    "np.full((2, 3), [1, 2, 3])", "np.full(2, 1j)", "np.full((2, 2), np.arange(2))", "np.zeros_like(np.arange(3))",
    "np.ones_like(np.arange(3), dtype='f4', shape=(2, 2))", "np.full_like(np.arange(3.0), 2.7)", "np.empty_like(np.zeros((2, 3))).shape",
    "np.zeros_like([1, 2])", "np.empty((2, 3)).dtype", "np.zeros(3, 'M8[s]')",
    "np.arange(5)", "np.arange(2, 9, 2)", "np.arange(9, 2, -3)", "np.arange(5, 2)", "np.arange(0.5, 3, 0.3)", "np.arange(3, dtype='f4')",
    "np.arange(0, 1, 0.1)", "np.arange(10, dtype='i1')", "np.arange(1, 2, 0)", "np.arange(np.arange(4).sum())", "np.arange(-3, 3.5)",
    "np.arange(1e20, 1e20 + 1)", "np.arange(2, dtype='?')", "np.arange(3, dtype='c16')", "np.arange('a')",
    "np.linspace(0, 1, 5)", "np.linspace(0, 1)", "np.linspace(2, -3, 7, endpoint=False)", "np.linspace(0, 10, 4, dtype='i4')",
    "np.linspace(0, 1, 1)", "np.linspace(0, 1, 0)", "np.linspace(0, 1, -1)", "np.linspace(1, 1, 3)", "np.linspace(0, 1j, 3)",
    "np.linspace(0, 1, 5, retstep=True)[1]", "np.linspace(0, 5e-324, 4)", "np.linspace(0, 1, 3, dtype='f4')",
    "np.eye(3)", "np.eye(3, 4, 1)", "np.eye(4, 3, -2, 'i4')", "np.eye(2, k=5)", "np.eye(2, k=-5)", "np.identity(3)", "np.eye(0)",
    "np.diag([1, 2, 3])", "np.diag(np.arange(3.0), 1)", "np.diag(np.arange(3), -2)", "np.diag(np.arange(9).reshape(3, 3))",
    "np.diag(np.arange(8).reshape(2, 4), 1)", "np.diag(np.zeros((2, 2, 2)))", "np.meshgrid(np.arange(3), np.arange(2))",
    "np.meshgrid(np.arange(3), np.arange(2.0), indexing='ij')", "np.meshgrid([1, 2], [3], sparse=True)", "np.indices((2, 3))",
    "np.fromfunction(lambda i, j: i + 2 * j, (2, 3))",
    "np.array([1, 2])", "np.array([[1.5], [2]])", "np.array(5)", "np.array([])", "np.array([1, 2], 'f4', ndmin=3)", "np.array('x')",
    "np.array([np.arange(3), np.arange(3.0)])", "np.array([np.arange(3).sum(), 4])", "np.array([1, 'x'])", "np.array([[1, 2], [3]], dtype=float)",
    "np.asarray(np.arange(3), 'f4')", "np.array(np.arange(3)).sum()", "np.ascontiguousarray(np.arange(6).reshape(2, 3).T)",
    "np.array([True, False])", "np.array([1, 2.5, 3j])", "np.array(range(4))", "np.copy(np.arange(3))",
])  # fmt: skip
def test_like_numpy(engine, expression):
    check(lambda np: eval(expression, {"np": np, "numpy": numpy}), expression, exact=True)


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None, "f", "k", b"F", "x", 1], ids=repr)
@pytest.mark.parametrize(
    "source", ["a", "a.T", "a.transpose(1, 0, 2)", "a[::-1, :, ::2]", "a[0, 0, 0:0]", "a.sum()", "a * 1j", "a > 5"]
)
def test_copies_lie_in_the_order_asked_for(engine, source, order):
    def program(np):
        a = np.arange(24.0).reshape(2, 3, 4)
        made = eval(source, {"a": a}).copy(order)
        return made, made.dtype, made.flags.c_contiguous, made.flags.f_contiguous, made.ravel("K")

    check(program, f"{source}.copy({order!r})", exact=True)


@pytest.mark.parametrize("source", NAMES)
def test_astype(engine, source):
    for target in NAMES:
        check(lambda np: np.arange(5).astype(source).astype(target), f"{source} -> {target}", exact=True)
    check(lambda np: np.arange(5).astype(source).astype("i1", casting="safe"))


def test_copies_are_copies(engine):
    def program(np):
        a = np.arange(4.0)
        b, c, d = a.copy(), np.array(a), a.astype(float)
        e, f = np.asarray(a), a.astype(float, copy=False)
        a[0] = 99
        return b, c, d, e, f, e is a

    check(program)


def test_data_go_up_and_come_back(engine):
    data = numpy.random.rand(30, 40)[::2, ::-3]
    assert numpy.array_equal(gamelan.array(data), data)
    back = numpy.asarray(gamelan.array(data))
    assert not back.flags.writeable, "a write to a gathered copy would vanish"
    assert numpy.array_equal(gamelan.array(data.astype(">f4")), data.astype("f4"))


def test_gathering_is_bounded(engine):
    a = gamelan.zeros((100, 100))
    with gamelan.options(gather_limit=9_999):
        for bring in (lambda: numpy.asarray(a), a.tolist, lambda: pickle.dumps(a)):
            with pytest.raises(ValueError, match="gather_limit"):
                bring()


def test_pickle_and_copy(engine):
    a = gamelan.arange(6.0).reshape(2, 3)
    for twin in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert isinstance(twin, gamelan.ndarray) and numpy.array_equal(twin, a)


def test_what_the_engines_cannot_hold_stays_here(engine):
    for dtype in ("O", "U3", "M8[s]", "g", [("x", "f8")], ">f8"):
        for make in (
            lambda np: np.zeros(3, dtype),
            lambda np: np.empty_like(np.zeros(3), dtype=dtype),
            lambda np: np.full(3, 0, dtype),
        ):  # noqa: B023
            made = make(gamelan)
            assert not made.is_distributed and made.dtype == make(numpy).dtype and made.shape == (3,)
    check(lambda np: np.zeros(3).astype("O") + 1)
    check(lambda np: np.array(["b", "a"] * 3)[::-1] == "a")


def test_options():
    with pytest.raises(AttributeError, match="no option"):
        gamelan.config.no_such_option = 1
    with gamelan.options(gather_limit=5):
        assert gamelan.config.gather_limit == 5
    assert gamelan.config.gather_limit == 1 << 24 and "GAMELAN_GATHER_LIMIT" in repr(gamelan.config)


def test_missing_names_say_so():
    assert gamelan.memmap is numpy.memmap and not hasattr(gamelan, "no_such_name")
    with pytest.raises(NotImplementedError, match="gamelan.random.mtrand"):
        gamelan.random.mtrand
    with pytest.raises(AttributeError):
        gamelan.no_such_name


@pytest.mark.parametrize("shape", [1e6, (1e3, 1e3), "ab", [3, [2]], (3, None), ...], ids=repr)
def test_a_shape_that_is_none_is_refused_in_numpys_words(engine, shape):
    with pytest.raises(TypeError) as expected:
        numpy.zeros(shape)
    with pytest.raises(TypeError) as got:
        gamelan.zeros(shape)
    assert str(got.value) == str(expected.value)
