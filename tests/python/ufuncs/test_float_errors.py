# SPDX-License-Identifier: BSD-3-Clause
"""Floating-point errors of the engines: the same warnings as NumPy's, word by word, and none that NumPy would not give.
Programs are machine code on odd numbers of ranks and interpreted on even ones (engines.py)."""

import io
import warnings

import numpy
import pytest

import gamelan
import oracle

LENGTH = 37  # uneven on any number of ranks
SPECIAL = {
    "zero": 0.0,
    "negative": -2.5,
    "infinity": numpy.inf,
    "NaN": numpy.nan,
    "denormal": 5e-310,
    "huge": 1.5e308,
    "plain": 1.5,
}
PARTS = ("zero", "negative", "NaN", "huge", "plain")
UNARY = (
    "sqrt log log2 log10 log1p exp exp2 expm1 sinh cosh tanh sin cos tan arcsin arccos arctan arcsinh arccosh arctanh reciprocal square "
    "cbrt absolute negative floor rint sign isnan signbit rad2deg"
).split()
BINARY = "add subtract multiply divide floor_divide remainder fmod hypot power maximum less arctan2 copysign".split()


@pytest.fixture(autouse=True)
def real_engines(ranks, engine):
    if ranks == 0:
        pytest.skip("the model meets no errors")


def told(program, module, **state):
    """What a program's errors are told as: categories and messages."""
    with (
        warnings.catch_warnings(record=True) as given,
        numpy.errstate(**{"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn", **state}),
    ):
        warnings.simplefilter("always")
        value = program(module)  # kept: what nobody can read is not computed
        gamelan.sync()
        del value
    return {(each.category, str(each.message)) for each in given}


def check(what, program, **state):
    oracle.count()
    expected, actual = told(program, numpy, **state), told(program, gamelan, **state)
    return (
        []
        if actual == expected
        else [f"{what}: {sorted(text for _, text in actual)}, NumPy {sorted(text for _, text in expected)}"]
    )


def among_others(value, dtype, place=17):
    """An array of harmless numbers with one that is not."""
    values = numpy.linspace(0.25, 0.75, LENGTH).astype(dtype)
    with numpy.errstate(all="ignore"):
        values[place] = numpy.asarray(value).astype(dtype)
    return values


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_one(dtype):
    wrong = []
    for name in UNARY:
        for what, value in SPECIAL.items():
            values = among_others(value, dtype)
            wrong += check(f"{name} of {what}", lambda np: getattr(np, name)(np.asarray(values)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_two(dtype):
    wrong = []
    for name in BINARY:
        for left in PARTS:
            for right in PARTS if name != "power" else ("zero", "negative", "plain"):
                x, y = among_others(SPECIAL[left], dtype), among_others(SPECIAL[right], dtype)
                wrong += check(f"{name} of {left} and {right}", lambda np: getattr(np, name)(np.asarray(x), np.asarray(y)))
    assert not wrong, "\n".join(wrong)


PLAIN = numpy.linspace(0.5, 2, LENGTH)
ZERO, HUGE, NAN = (among_others(value, "f8") for value in (0, 1.7e308, numpy.nan))
GRID = numpy.pad(numpy.full((9, 11), 2.0), 1)
HOLE = numpy.where(numpy.arange(143).reshape(11, 13) == 60, 0, GRID)


def in_place(function, *arrays):
    def program(np):
        changed = [np.array(each) for each in arrays]
        return function(np, *changed), changed

    return program


RARE = numpy.where(numpy.arange(500_000) % 2, 1.5, -2.5)  # more tiles than are computed again
RARE[-1] = 0


def at_the_third_time(np):
    x = np.array(PLAIN)
    x *= 1e100
    x *= 1e200
    x *= 1e200
    return x


PROGRAMS = {
    "guarded by where": lambda np: np.where(np.asarray(ZERO) != 0, 1 / np.asarray(ZERO), 0),
    "guarded by where=": in_place(lambda np, x: np.divide(1, x, out=np.zeros(LENGTH), where=x != 0), ZERO),
    "edges outside": lambda np: 1 / np.asarray(GRID)[1:-1, 1:-1],
    "edges outside, of a chain": lambda np: np.log(np.asarray(GRID)[1:-1, 1:-1] * 2) / np.asarray(GRID)[1:-1, 1:-1],
    "a hole inside": lambda np: np.log(np.asarray(HOLE)[1:-1, 1:-1] * 2),
    "a step": lambda np: 1 / np.asarray(HOLE)[::2, ::-3],
    "transposed": lambda np: 1 / (np.asarray(HOLE).T + np.zeros((13, 11))),
    "by a number": lambda np: np.asarray(PLAIN) / 0,
    "0 / 0 and 1 / 0": lambda np: np.asarray(ZERO).round() / 0,
    "power -1": lambda np: np.asarray(ZERO) ** -1,
    "root": lambda np: (np.asarray(ZERO) - 0.5) ** 0.5,
    "two of a chain": lambda np: np.log(np.asarray(ZERO)) + np.sqrt(-np.asarray(PLAIN)),
    "the second of a pair": lambda np: np.asarray(HUGE) * 0.9 + np.asarray(HUGE),
    "the first of a pair": lambda np: np.asarray(HUGE) * 3 + np.asarray(PLAIN),
    "infinity made, then taken off": lambda np: np.asarray(HUGE) * 3 - np.asarray(HUGE) * 3,
    "nothing": lambda np: np.sqrt(np.asarray(PLAIN)) / np.asarray(PLAIN) + np.exp(-np.asarray(PLAIN)) * 3,
    "NaN goes through": lambda np: np.log(np.asarray(NAN)) + np.arcsin(np.asarray(NAN)) * np.asarray(NAN) < 1,
    "divided in place": in_place(lambda np, x, y: x.__itruediv__(y), PLAIN, ZERO),
    "multiplied in place": in_place(lambda np, x: x.__imul__(1e10), HUGE),
    "logarithm in place": in_place(lambda np, x: np.log(x, out=x), ZERO),
    "the inside in place": in_place(lambda np, x: x[1:-1, 1:-1].__itruediv__(x[1:-1, 1:-1]), GRID),
    "a hole inside, in place": in_place(lambda np, x: np.log(x[1:-1, 1:-1], out=x[1:-1, 1:-1]), HOLE),
    "a hole inside, divided by in place": in_place(lambda np, x, y: x[1:-1, 1:-1].__itruediv__(y[1:-1, 1:-1]), GRID, HOLE),
    "one over a hole, added to columns": in_place(lambda np, x, y: x[:, 1:].__iadd__(1 / y[:, 1:]), GRID, HOLE),
    "zeros beside columns in place": in_place(lambda np, x, y: x[:, 1:-1].__iadd__(1 / y[:, 1:-1]), HOLE + 1, GRID + (GRID == 0)),
    "a root after work in place": in_place(lambda np, x, y: (x.__iadd__(2), np.sqrt(y) + 1), PLAIN, -PLAIN),
    "work in place before a logarithm": in_place(lambda np, x, y: (x.__imul__(2), np.log(y) + x), PLAIN, ZERO),
    "multiplied by a root in place": in_place(lambda np, x, y: x[1:].__imul__(np.sqrt(y[1:])), PLAIN, -PLAIN),
    "a root and an overflow in place": in_place(lambda np, x, y: x.__imul__(np.sqrt(y) * 0 + 1e10), HUGE, ZERO - 0.1),
    "a root of what is divided in place": in_place(lambda np, x, y: x.__itruediv__(np.sqrt(y) * 0), PLAIN, -PLAIN),
    "the same overflow twice, once in place": in_place(lambda np, x, y: (x.__imul__(1e10), y * 1e11), HUGE, HUGE),
    "0 / 0 in place before a root": in_place(lambda np, x, y: (x.__itruediv__(x), np.sqrt(y) + 1), ZERO, -PLAIN),
    "a root after NaN in place": in_place(lambda np, x, y: (x.__iadd__(2), np.log(y) + 1), PLAIN, -PLAIN),
    "the same overflow at the third time": at_the_third_time,
    "a rare error behind a frequent one": lambda np: 1 / np.asarray(RARE) + np.sqrt(np.asarray(RARE)),
    "NaN to integers": lambda np: np.asarray(NAN).astype(int),
    "NaN to bytes": lambda np: np.asarray(NAN).astype("i1"),
    "too large for integers": lambda np: (np.asarray(PLAIN) * 1e30).astype("i8"),
    "too large for int32": lambda np: (np.asarray(PLAIN) * 1e10).astype("i4"),
    "large, to uint64": lambda np: (np.asarray(PLAIN) * 9e18).astype("u8"),
    "negative to uint8": lambda np: (-np.asarray(PLAIN)).astype("u1"),
    "to float32": lambda np: np.asarray(HUGE).astype("f4"),
    "assigned to integers": in_place(lambda np, x: x.__setitem__(slice(None), np.asarray(NAN)), numpy.zeros(LENGTH, int)),
    "a sum": lambda np: np.asarray(HUGE * 0 + 1e308).sum(),
    "a sum of rows": lambda np: np.sum(np.full((5, 7), 1e308), axis=1),
    "a harmless sum": lambda np: (np.asarray(PLAIN) * 2).sum(),
    "a product": lambda np: np.full(LENGTH, 1e200).prod(),
    "a sum of quotients": lambda np: (1 / np.asarray(ZERO)).sum(),
    "the largest of NaN": lambda np: np.asarray(NAN).max(),
    "halves": lambda np: np.full(LENGTH, 300, "f2") * np.full(LENGTH, 300, "f2"),
    "halves by zero": lambda np: np.full(LENGTH, 3, "f2") / np.zeros(LENGTH, "f2"),
    "complex sum": lambda np: np.full(LENGTH, 1.7e308 + 1j) + np.full(LENGTH, 1.7e308 + 1j),
    "complex product": lambda np: np.full(LENGTH, 1e200 + 1j) * np.full(LENGTH, 1e200 + 1j),
    "complex by zero": lambda np: np.full(LENGTH, 1 + 1j) / 0,
    "integers, truly divided": lambda np: np.arange(1, LENGTH) / 0,
}


def test_programs():
    wrong = [line for what, program in PROGRAMS.items() for line in check(what, program)]
    assert not wrong, "\n".join(wrong)


def test_underflow_is_told_when_asked_for():
    tiny = among_others(1e-300, "f8")
    wrong = []
    for state in ("warn", "ignore"):
        for program in (
            lambda np: np.asarray(tiny) * 1e-100,
            lambda np: np.exp(np.asarray(PLAIN) * -1000),
            lambda np: np.asarray(PLAIN) * 2,
        ):
            wrong += check(state, program, under=state)
    assert not wrong, "\n".join(wrong)


def test_a_warning_names_its_line():
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        x = gamelan.asarray(ZERO)
        y = x + 1
        z = y / x
        here = warning_line() - 1
        y = y + z
        gamelan.sync()
    assert [(each.filename, each.lineno, each.category) for each in given] == [(__file__, here, RuntimeWarning)]


def warning_line():
    import inspect

    return inspect.currentframe().f_back.f_lineno


def test_a_line_warns_once():
    globals().pop("__warningregistry__", None)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("default")
        for _ in range(5):
            x = gamelan.asarray(PLAIN) / 0
            gamelan.sync()
        y = gamelan.asarray(PLAIN) / 0
        gamelan.sync()
        assert x[0] == y[0]
    assert len(given) == 2


def test_reading_a_value_writes_no_name():
    names = {"np": gamelan, "data": PLAIN, "__name__": "a_module", "name": "", "value": 0}
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("default")
        exec(
            "x = np.asarray(data) / 0\nfor name, value in globals().items():\n    str(value)\nfor _ in range(3):\n    str(np.log(np.asarray(data) * 0))\n",
            names,
        )
    assert "__warningregistry__" not in names and len(given) == 2


def test_the_state_is_that_of_the_line():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = gamelan.asarray(PLAIN)
        with numpy.errstate(divide="ignore"):
            w = x / 0
        gamelan.sync()
        with numpy.errstate(divide="raise"):
            y = x / 0
            here = warning_line() - 1
            z = x + 1
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide") as raised:
            gamelan.sync()
        assert raised.value.line == here
    assert numpy.isinf(w).all() and numpy.isinf(y).all() and z.tolist() == (PLAIN + 1).tolist()  # as NumPy would have gone on


def test_the_state_of_a_line_behind_work_in_place():
    x, y = gamelan.array(PLAIN), gamelan.asarray(-PLAIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x += 2
        with numpy.errstate(invalid="ignore"):
            z = gamelan.sqrt(y) + 1
        gamelan.sync()
        with numpy.errstate(invalid="ignore"):
            x += 2
        with numpy.errstate(invalid="raise"):
            z = gamelan.sqrt(y) + 1
        with pytest.raises(FloatingPointError, match="invalid value encountered in sqrt"):
            gamelan.sync()
        huge = gamelan.array(HUGE)
        with numpy.errstate(over="raise"):
            huge *= 1e10
        with numpy.errstate(over="ignore"):
            z = gamelan.array(HUGE) * 1e10
        with pytest.raises(FloatingPointError, match="overflow encountered in multiply"):
            gamelan.sync()
        del z


def test_the_line_of_work_in_place():
    """Each line of several in place that may be at fault is told apart, and what its errstate says."""
    x = gamelan.array(PLAIN)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        x *= 1e100
        x *= 1e200
        x *= 1e200
        here = warning_line() - 1
        gamelan.sync()
    assert [each.lineno for each in given] == [here]
    x = gamelan.array(PLAIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with numpy.errstate(over="raise"):
            x *= 1e200
        with numpy.errstate(over="ignore"):
            x *= 1e200
        gamelan.sync()
        x = gamelan.array(PLAIN)
        with numpy.errstate(over="ignore"):
            x *= 1e200
        with numpy.errstate(over="raise"):
            x *= 1e200
        with pytest.raises(FloatingPointError, match="overflow encountered in multiply"):
            gamelan.sync()


def test_a_number_that_is_cast_warns_at_the_users_line():
    x = gamelan.array(PLAIN.astype("f4"))
    with warnings.catch_warnings(record=True) as given, numpy.errstate(over="warn"):
        warnings.simplefilter("always")
        x[gamelan.arange(LENGTH) > 5] = 1e200
        here = warning_line() - 1
    assert [(each.filename, each.lineno, str(each.message)) for each in given] == [
        (__file__, here, "overflow encountered in cast")
    ]
    with numpy.errstate(over="raise"), pytest.raises(FloatingPointError):
        x[gamelan.arange(LENGTH) > 5] = 1e200


@pytest.mark.parametrize("to", ["i1", "u1", "i2", "u2", "i4", "i8"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_any_element_that_does_not_fit_is_told(dtype, to):
    """Also one that fills no vector, and where elements do not lie side by side."""
    wrong = []
    for length in (1, 3, 15, 33, 131):
        for place in {0, length // 2, length - 1}:
            values = numpy.ones(length, dtype)
            values[place] = numpy.inf
            wrong += check(f"{length} {place}", lambda np: np.array(values).astype(to))
            wrong += check(f"{length} {place} backwards", lambda np: np.array(values)[::-1].astype(to))
            wrong += check(f"{length} {place} maximum", lambda np: np.array(values).astype(to).max())
    assert not wrong, "\n".join(wrong[:8])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_products_tell_of_their_elements_alone(dtype):
    wrong = []
    for value in (numpy.finfo(dtype).max, numpy.inf):
        for length in (33, 300, 22_020):
            values = numpy.full(length, value, dtype)
            wrong += check(f"{length} times {value}", lambda np: np.array(values).prod())
            wrong += check(f"{length} times {value} in rows", lambda np: np.array(values).reshape(3, -1)[:, 1:].prod(1))
    assert not wrong, "\n".join(wrong)


def test_calls_and_logs(capfd):
    heard, log = [], io.StringIO()
    x = gamelan.asarray(PLAIN)
    with numpy.errstate(divide="call", call=lambda *what: heard.append(what)):
        called = x / 0
    with numpy.errstate(divide="log", call=log):
        logged = x / 1 / 0
    with numpy.errstate(divide="print"):
        printed = x / 2 / 0
    gamelan.sync()
    assert called[0] == logged[0] == printed[0]
    assert heard == [("divide by zero", 1)]
    assert log.getvalue() == "Warning: divide by zero encountered in divide\n"


def test_steps_of_ours_are_not_told():
    x = numpy.array([1.0, 0, 3] * 5)
    for program in (
        lambda np: np.nan_to_num(np.asarray(x)),
        lambda np: np.sinc(np.asarray(x)),
        lambda np: np.std(np.asarray(x)),
        lambda np: np.corrcoef(np.asarray(x), np.asarray(x[::-1].copy())),
        lambda np: np.average(np.asarray(x), weights=np.asarray(x)),
    ):
        assert told(program, gamelan) == set()
