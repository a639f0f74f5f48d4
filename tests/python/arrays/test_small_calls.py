# SPDX-License-Identifier: BSD-3-Clause
"""Calls that go to NumPy's function at once give what the Python function gives: value, class, dtype, error."""

import warnings

import numpy
import pytest

import gamelan
from gamelan import _core
from gamelan._small import _small_calls


def functions():
    for name in sorted(_small_calls._GROWTH):
        module, _, last = name.rpartition(".")
        call = getattr(getattr(gamelan, module) if module else gamelan, last, None)
        if getattr(call, "_numpys", None) is not None:
            yield name, call


FUNCTIONS = dict(functions())
IGNORE_OUT = ("fft.hfft",)  # in NumPy 2.0 to 2.4, whose result is right and whose `out` stays as it was


def arguments():
    """Tuples of arguments and keywords; a function refuses some of them, then both ways must."""
    random = numpy.random.default_rng(5)
    a, b, k = (gamelan.array(each) for each in (random.random(6), random.random(6), random.integers(0, 3, 6)))
    square = random.random((4, 4))
    m = gamelan.array(square @ square.T + numpy.eye(4))
    c, empty, mask = m[0] + 1j * m[1], gamelan.zeros((0, 3)), a > 0.5
    yield from (((x,), {}) for x in (a, k, m, c, empty, mask, m[:, ::-1], m.T, gamelan.array(2.5), a[:3]))
    yield from (
        ((x, y), {})
        for x, y in (
            (a, b),
            (m, m),
            (m, m[0]),
            (m[0], m),
            (a, k),
            (k, a),
            (a, 2),
            (m, 1),
            (a, m),
            (m, 50),
            (m, (0, 1)),
            (a, numpy.ones(6)),
            (numpy.ones(6), a),
        )
    )
    yield from (
        ((m,), keywords)
        for keywords in (
            {"axis": 0},
            {"axis": -1, "keepdims": True},
            {"axis": (0, 1)},
            {"axis": 7},
            {"out": gamelan.zeros(4), "axis": 0},
            {"dtype": "f4"},
            {"nonsense": 1},
        )
    )
    yield from (
        ((x, y, z), {})
        for x, y, z in (
            (mask, a, b),
            (a, 0.2, 0.5),
            (a, 1, 99.0),
            (m, 0, 1),
            (k, [0, 1], [5, 6]),
            ("i,i", a, b),
            (m, k[:4] * 0, 0),
            (a, 2, 1.0),
            (a, a, b),
        )
    )
    yield from (((x,), {}) for x in ([a, b], (a, k), [m, m], [m, a], [a, [1, 2]], []))
    yield ("ij,jk", m, m), {}
    yield (a, [2, 4]), {}
    yield from ((given, {}) for given in ((3,), (0,), (-1,), ((2, 3),), ([2, 3],), (True,), (numpy.int64(3),), (2.0,), ("3",)))
    yield from (
        (given, {})
        for given in (
            (3, 2),
            (3, 0.5),
            ((2, 2), 1),
            (3, None),
            (1, 8, 3),
            (0, 1.0, 0.25),
            (8, 1, -2.5),
            (0, 5, 0),
            (0, 1, 5, False),
        )
    )
    yield from (
        (given, {"dtype": dtype})
        for given in ((3,), (1, 5), ([1, 2.5],), (m,))
        for dtype in ("i2", float, numpy.dtype("?"), None)
    )
    yield from (((3,), keywords) for keywords in ({"order": "F"}, {"like": None}, {"nonsense": 1}, {"dtype": "nonsense"}))
    yield from (((0, 1), keywords) for keywords in ({"num": 5}, {"num": 3, "endpoint": False}, {"num": -1}, {"retstep": True}))
    yield from (((x,), {}) for x in ([1, 2.5], (1, 2), [[1, 2], [3, 4]], [1, "a"], [None], [1j, True], [[1], [2, 3]], [2**70]))
    yield from (((a, times), {}) for times in (0, (2,), [2, 1], numpy.int64(2), -1, 2.5))
    yield (m, 2), {"axis": 1}
    yield ([m, m],), {"axis": 1}


def outcome(function, given, keywords):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = function(*given, **keywords)
        except Exception as error:
            return type(error), None
    return [str(each.message) for each in told if each.category is RuntimeWarning], result


def require_same(direct, general, what):
    assert type(direct) is type(general), what
    if isinstance(direct, (tuple, list)):
        assert len(direct) == len(general), what
        for one, other in zip(direct, general):
            require_same(one, other, what)
    elif isinstance(direct, numpy.ndarray):
        assert (direct.dtype, direct.shape) == (general.dtype, general.shape), what
        assert direct.flags.writeable == general.flags.writeable, what
        numpy.testing.assert_array_equal(direct, general, err_msg=what)
    else:
        numpy.testing.assert_equal(direct, general, err_msg=what)


def copied(value):
    if isinstance(value, numpy.ndarray):
        return value.copy()
    return {key: copied(each) for key, each in value.items()} if isinstance(value, dict) else value


def plain(value):
    if isinstance(value, numpy.ndarray):
        return numpy.array(value)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return type(value)(map(plain, value)) if isinstance(value, (tuple, list)) else value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_ways_are_the_same(name):
    call = FUNCTIONS[name]
    with gamelan.options(distribute_from=10**6):
        for given, keywords in arguments():
            if "out" in keywords and name in IGNORE_OUT:
                continue
            what = f"{name}{given, keywords}"
            others = copied(keywords)
            told, direct = outcome(call, given, keywords)
            told_too, general = outcome(call.__wrapped__, given, others)
            if isinstance(told, type):  # then the error is the one that NumPy raises
                assert told in (told_too, outcome(call._numpys, plain(given), plain(keywords))[0]), what
                continue
            assert told == told_too, what
            if name != "empty":  # whose elements nobody has set
                require_same(direct, general, what)
            for key in keywords:
                require_same(keywords[key], others[key], what)


def test_every_name_of_the_table_is_a_function_that_users_call():
    missing = [name for name in _small_calls._GROWTH if name not in FUNCTIONS]
    theirs = [name for name in missing if not hasattr(getattr(numpy, name.rpartition(".")[0], numpy), name.rpartition(".")[2])]
    assert missing == theirs


def test_an_output_is_returned_itself():
    with gamelan.options(distribute_from=10**6):
        m, out = gamelan.ones((3, 4)), gamelan.zeros(4)
        assert gamelan.sum(m, axis=0, out=out) is out and out.tolist() == [3, 3, 3, 3]
        assert gamelan.ravel(out).base is out or gamelan.ravel(out) is out
        theirs = numpy.zeros(4)
        assert gamelan.sum(m, axis=0, out=theirs) is theirs and theirs.tolist() == [3, 3, 3, 3]


def test_arguments_that_only_newer_versions_of_numpy_have():
    with gamelan.options(distribute_from=10**6):
        x, square = gamelan.array([3.0, 1.0, 3.0]), gamelan.eye(2)
        assert gamelan.reshape(x, shape=(3, 1)).shape == (3, 1)
        assert gamelan.unique(x, sorted=True).tolist() == [1, 3]
        assert gamelan.linalg.pinv(square, None).tolist() == square.tolist()


def test_a_view_shares_the_memory():
    with gamelan.options(distribute_from=10**6):
        m = gamelan.zeros((3, 4))
        view = gamelan.transpose(m)
        view[1, 2] = 5
        assert m[2, 1] == 5 and type(view) is gamelan.ndarray and view.base is m


def test_large_results_and_operands_are_not_numpys(engine):
    with gamelan.options(distribute_from=100):
        a = gamelan.ones(60)
        assert gamelan.concatenate([a, a])._b is not None
        assert gamelan.outer(a, a)._b is not None
        assert gamelan.concatenate([a[:40], a[:40]])._b is None
        assert gamelan.sum(gamelan.ones(200))._b is not None
        assert (gamelan.ones((9, 9)) @ gamelan.ones((9, 9)))._b is None
        assert (gamelan.ones((50, 1)) @ gamelan.ones((1, 50)))._b is not None
        assert type(_core.threshold()) is int


def test_a_shape_says_how_large_a_result_is(engine):
    with gamelan.options(distribute_from=100):
        a = gamelan.ones(60)
        before = _core.stats()["host_ops"]
        assert gamelan.zeros_like(a, shape=200).shape == (200,)
        assert gamelan.full_like(a, 2.5, shape=(20, 10)).shape == (20, 10)
        assert gamelan.zeros_like(a, "i4").dtype == "i4" and _core.stats()["host_ops"] > before


def test_numbers_say_how_large_a_new_array_is(engine):
    with gamelan.options(distribute_from=100):
        for make in (
            lambda n: gamelan.zeros(n * n),
            lambda n: gamelan.ones((n, n)),
            lambda n: gamelan.empty([n, n]),
            lambda n: gamelan.full((n, n), 2.5, "f4"),
            lambda n: gamelan.eye(n),
            lambda n: gamelan.eye(n, n),
            lambda n: gamelan.identity(n),
            lambda n: gamelan.arange(n * n),
            lambda n: gamelan.arange(1, n * n, 0.5),
            lambda n: gamelan.linspace(0, 1, n * n),
            lambda n: gamelan.linspace(0.0, 2, num=n * n),
            lambda n: gamelan.array([[1.5] * n] * n),
            lambda n: gamelan.repeat(gamelan.ones(n), n),
            lambda n: gamelan.tile(gamelan.ones(n), (n, 1)),
        ):
            small, large = make(5), make(20)
            assert type(small) is gamelan.ndarray and small.flags.writeable and small._b is None
            assert large._b is not None and large.dtype == small.dtype
        assert gamelan.zeros((2**40, 0)).shape == (2**40, 0)
        with pytest.raises((ValueError, MemoryError)):
            gamelan.zeros((2**40, 2**40))


def test_asarray_gives_an_array_of_ours_itself(engine):
    with gamelan.options(distribute_from=100):
        a, theirs = gamelan.arange(4.0), numpy.arange(4.0)
        assert gamelan.asarray(a) is a and gamelan.asarray(a, dtype=float) is a and gamelan.asarray(a, dtype="f4").dtype == "f4"
        assert gamelan.array(a) is not a and not numpy.shares_memory(gamelan.array(a), a)
        assert numpy.shares_memory(gamelan.asarray(theirs), theirs) and type(theirs) is numpy.ndarray
        large = gamelan.ones(200)
        assert gamelan.asarray(large) is large


def test_an_output_of_ours_by_name(engine):
    with gamelan.options(distribute_from=100):
        a, out = gamelan.arange(4.0), gamelan.zeros(4)
        assert gamelan.add(a, 1, out=out) is out and out.tolist() == [1, 2, 3, 4]
        assert gamelan.exp(a, out=a) is a and a[0] == 1
        large, target = gamelan.ones(200), gamelan.zeros(200)
        assert gamelan.multiply(large, 3, out=target) is target and float(target[7]) == 3
        with pytest.raises(TypeError):
            gamelan.add(a, 1j, out=out)
        with pytest.raises(ValueError):
            gamelan.add(a, 1, out=gamelan.zeros(3))


def test_an_array_of_arrays_has_memory_of_its_own(engine):
    with gamelan.options(distribute_from=100):
        a, b = gamelan.arange(4.0), gamelan.arange(4)
        both = gamelan.array([a, b])
        assert type(both) is gamelan.ndarray and both.flags.owndata and both.dtype == "f8"
        both[0] = 7
        assert a.tolist() == [0, 1, 2, 3]
        assert gamelan.array([a] * 30)._b is not None  # as large as what lives on the engines
        objects = gamelan.array([a, a], dtype=object)
        assert objects.dtype == object and objects.shape == (2, 4)
        with pytest.raises(ValueError):
            gamelan.array([a, a[:2]])


def test_dot_writes_into_an_output_wherever_it_is():
    a, b = gamelan.arange(6.0).reshape(3, 2), gamelan.arange(8.0).reshape(2, 4)
    with gamelan.options(distribute_from=0):
        there = gamelan.zeros((3, 4))
    for out in (gamelan.zeros((3, 4)), there):
        assert a.dot(b, out=out) is out
        assert numpy.array_equal(numpy.asarray(out), numpy.asarray(a) @ numpy.asarray(b))
