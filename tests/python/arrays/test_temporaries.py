# SPDX-License-Identifier: BSD-3-Clause
"""The memory of a temporary becomes that of the next result, and no array changes that anybody can see."""

import ctypes
import functools
import itertools
import operator
import weakref

import numpy
import pytest

import gamelan

SIZE = 40_000  # of float64: above the size from which temporaries are looked for
EXPRESSIONS = """
2.5 * v + w; v + 2.5 * w; (v + w) * (v - w); -(v * w) - w; 1 / (1 + v * v); (v - w) / (w + 3); ((1.1 * v + 2.2) * v - 3.3) * v;
2 - v * w; (v + 1) + (w + 1); v * v + (v + w)[::1]; (v * 2)[::-1] + w; abs(v - w) + w; (v + w) + k; (k + k) + v; (k * 2) - 1.5; (k + 1) / k;
(k & 3) | (k ^ 5); ~(k + 1); (v > w) & (w > 0); ((v > w) | (v < 1)) ^ (w > 1); (f + 1.5) * 2; f * f + v; c * 2 + v; (v + 1) * 1j + c;
(m + 1) * m[0]; m[0] * (m + 1); (m * 2) + m.T; (m * 2).T + m; (m + 1) + m[:, :1]; m[:1] + (m[0] * 2); (v * 2) % w; (v + 1) ** 2; (v + 3) // (w + 2); c * (c + v); (c + v) * c; (c * 2) / (v + 1) - c; v / (c + 1); (c + 1) * 2j; -(c + 1) * c;
(v - w) ** 2; (v - w) ** 2.0 + v; (f - 1) ** 2; (k - 50) ** 2; (c * 2) ** 2; v ** 2 + (v ** 2) ** 2; (v + w) ** 3; (v + w) ** (k * 0 + 2); (v + 1) ** -2
""".replace("\n", "").split(";")  # fmt: skip


def operands():
    random = numpy.random.default_rng(3)
    return {"v": random.random(SIZE), "w": random.random(SIZE), "k": random.integers(1, 99, SIZE), "m": random.random((200, 200)),
            "f": random.random(2 * SIZE).astype("f4"), "c": random.random(SIZE) + 1j} | {"f": random.random(SIZE).astype("f4")}  # fmt: skip


@pytest.mark.parametrize("expression", [text.strip() for text in EXPRESSIONS])
def test_no_operand_changes(expression):
    with gamelan.options(distribute_from=10**9):
        theirs = operands()
        before = {name: value.copy() for name, value in theirs.items()}
        ours = {name: gamelan.array(value) for name, value in theirs.items()}
        result = eval(expression, ours)
        expected = eval(expression, theirs)
        assert type(result) is gamelan.ndarray and result.dtype == expected.dtype
        numpy.testing.assert_array_equal(result, expected)
        for name, value in before.items():
            numpy.testing.assert_array_equal(ours[name], value, err_msg=name)


@pytest.mark.parametrize(
    "expression", ["v * 2 + w", "w + v * 2", "2.0 * (v + w)", "1 - v * w", "-(v + w)", "(v + 1) - (w + 1)", "(v - w) ** 2"]
)
def test_a_temporary_is_used_again(expression):
    """What NumPy's allocator holds while the expression runs: one array of the size, not two."""
    tracemalloc = pytest.importorskip("tracemalloc")
    with gamelan.options(distribute_from=10**9):
        names = {"v": gamelan.ones(SIZE), "w": gamelan.ones(SIZE)}
        code = compile(expression, "expression", "eval")
        eval(code, names)
        tracemalloc.start()
        try:
            eval(code, names)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    most = 2 if expression.startswith("(v + 1)") else 1
    assert peak < (most + 0.5) * 8 * SIZE


def test_an_array_that_c_code_holds_alone_is_left_alone():
    add = ctypes.pythonapi.PyNumber_Add
    add.restype, add.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    with gamelan.options(distribute_from=10**9):
        v = gamelan.ones(SIZE)
        held = v * 2  # has one reference, this name's, which the call does not know
        total = add(id(held), v)
        assert float(total[0]) == 3 and float(held[0]) == 2 and total is not held


def test_a_power_that_c_code_asks_for_changes_nothing():
    power = ctypes.pythonapi.PyNumber_Power
    power.restype, power.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    with gamelan.options(distribute_from=10**9):
        held = gamelan.full(SIZE, 3.0)
        squared = power(id(held), 2, None)
        assert float(squared[0]) == 9 and float(held[0]) == 3 and squared is not held


def test_functions_of_python_that_add_change_nothing():
    with gamelan.options(distribute_from=10**9):
        parts = [gamelan.full(SIZE, float(number)) for number in range(4)]
        for total in (sum(parts), functools.reduce(operator.add, parts), list(itertools.accumulate(parts))[-1]):
            assert float(total[5]) == 6
        for number, part in enumerate(parts):
            assert float(part[7]) == number
        steps = [float(total[0]) for total in itertools.accumulate(part * 1 for part in parts)]
        assert steps == [0, 1, 3, 6]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "neg", "abs"])
def test_a_tuple_that_holds_the_operands_keeps_them(name):
    """A call with `*operands` passes the tuple's own items, of which it has the only reference."""
    with gamelan.options(distribute_from=10**9):
        count = 1 if name in ("neg", "abs") else 2
        for function in (getattr(operator, name), getattr(gamelan.ndarray, f"__{name}__")):
            operands = (gamelan.ones(SIZE) * -2.5, gamelan.ones(SIZE))[:count]
            function(*operands)
            assert float(operands[0][0]) == -2.5
            rows = [(gamelan.ones(SIZE) * -2.5, gamelan.ones(SIZE))[:count]]
            list(itertools.starmap(function, rows))
            assert float(rows[0][0][0]) == -2.5
            if count == 2:
                again = functools.partial(function, gamelan.ones(SIZE) * -2.5)
                assert float(again(2.0)[0]) == float(again(2.0)[0])


def test_an_error_leaves_the_operands():
    with gamelan.options(distribute_from=10**9), numpy.errstate(all="raise"):
        v = gamelan.zeros(SIZE)
        with pytest.raises(FloatingPointError):
            (v + 1) / v
        with pytest.raises(ValueError, match="could not be broadcast"):
            (v + 1) + gamelan.ones(3)
        assert not v.any()


def test_what_python_holds_for_others_is_left_alone():
    with gamelan.options(distribute_from=10**9):
        add_one = functools.partial(operator.add, gamelan.ones(SIZE) * 1.0)
        assert [float(add_one(1.0)[0]) for _ in range(3)] == [2, 2, 2]
        counter = itertools.count(gamelan.zeros(SIZE) * 1.0, 1.0)
        assert [float(next(counter)[0]) for _ in range(3)] == [0, 1, 2]
        items = [gamelan.ones(SIZE) * 1.0]
        items.sort(key=lambda array: float(operator.neg(array)[0]))
        assert float(items[0][0]) == 1
        assert (
            float(max((gamelan.ones(SIZE) * number for number in (2, 1)), key=lambda array: float(operator.neg(array)[0]))[0])
            == 1
        )
        held = weakref.WeakValueDictionary()

        def named(array):
            held["x"] = array
            return array

        total = named(gamelan.ones(SIZE) * 1.0) + 1
        assert float(total[0]) == 2


def test_numbers_that_no_double_holds():
    with gamelan.options(distribute_from=10**9):
        v = gamelan.ones(SIZE)
        for number in (10**30, -(2**63), 2**63, 2**53 + 1, -(2**53) - 1):
            numpy.testing.assert_array_equal((v * 1) + number, numpy.ones(SIZE) + number)
