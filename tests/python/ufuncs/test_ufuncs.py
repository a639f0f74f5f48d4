# SPDX-License-Identifier: BSD-3-Clause
"""Every element-wise row of the op table against NumPy: all dtypes, scalars of every class, outputs, errors."""

import numpy
import pytest

import gamelan
from gamelan import _core
from gamelan._promotion import NAMES, TABLE
from oracle import check

ELEMENTWISE = [row for row in TABLE.values() if row["kind"] in ("unary", "binary") and row["name"] != "copy"]
SCALARS = [True, 0, 1, -1, 127, 200, 300, -200, 40000, 2**33, -(2**40), 2**63, 0.5, -2.0, 1e10, 1e300, float("inf"), 1 + 2j]


def values(np, dtype, seed, count=7):
    """Numbers of a dtype that are harmless in every function: no overflow of a cast, exponents not negative."""
    draw = numpy.random.RandomState(seed)
    if dtype == "bool":
        data = draw.rand(count) < 0.5
    elif dtype[0] in "iu":
        data = draw.randint(0, 7, count)
    else:
        data = draw.rand(count) * 0.9 + 0.05
        if dtype[0] == "c":
            data = data + 1j * draw.rand(count)
    return np.array(data.astype(dtype))


@pytest.mark.parametrize("name", [row["name"] for row in ELEMENTWISE if row["arity"] == 1])
def test_unary(engine, name):
    for dtype in NAMES:
        check(lambda np: getattr(np, name)(values(np, dtype, 1)), f"{name} {dtype}")


@pytest.mark.parametrize("name", [row["name"] for row in ELEMENTWISE if row["arity"] == 2])
def test_binary_of_every_dtype_with_itself(engine, name):
    for dtype in NAMES:
        check(lambda np: getattr(np, name)(values(np, dtype, 1), values(np, dtype, 2)), f"{name} {dtype}")


@pytest.mark.parametrize("name", ["add", "divide", "bitwise_and", "less"])
@pytest.mark.parametrize("left", NAMES)
def test_binary_of_two_dtypes(engine, name, left):
    for right in NAMES:
        check(
            lambda np: getattr(np, name)(values(np, left, 1), values(np, right, 2) + values(np, right, 3)),
            f"{name} {left} {right}",
        )


@pytest.mark.parametrize("dtype", NAMES)
def test_scalars_promote_by_value(engine, dtype):
    for scalar in SCALARS:
        for name in ("add", "less"):
            check(lambda np: getattr(np, name)(values(np, dtype, 1), scalar), f"{name} {dtype} {scalar!r}")
            check(lambda np: getattr(np, name)(scalar, values(np, dtype, 1)), f"{name} {scalar!r} {dtype}")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32", "float64", "complex64"])
def test_zero_dim_arrays_promote_by_value(engine, dtype):
    for scalar in (1, 300, -1, 1.5, 1e300):
        check(lambda np: values(np, dtype, 1) + np.array(scalar), f"{dtype} {scalar!r}")
        check(lambda np: np.array(scalar) * np.array(2, dtype), f"0-d {dtype} {scalar!r}")


def test_numpy_scalars(engine):
    for scalar in (numpy.float32(0.1), numpy.int8(-3), numpy.uint64(2**63), numpy.complex64(1j), numpy.bool_(True)):
        check(lambda np: values(np, "float32", 1) + scalar)
        check(lambda np: scalar * values(np, "int16", 1))


@pytest.mark.parametrize("expression", [
    "a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "a ** 2", "a ** 0.5", "a ** -1", "a ** b", "2 ** a", "2 - a",
    "-a", "+a", "abs(a)", "~(a > b)", "(a > b) & (a < 1)", "(a > b) | (a < 1)", "(a > b) ^ (a < 1)", "a == b", "a != b",
    "divmod(a, b)", "1 // b", "a @ b", "[1.0] * a", "a + (1, 2, 3, 4, 5, 6, 7)", "a < 1 + 2j", "a + None", "a + 'x'",
])  # fmt: skip
def test_operators(engine, expression):
    check(lambda np: eval(expression, {"a": values(np, "float64", 1), "b": values(np, "float64", 2)}), expression)


def test_in_place(engine):
    def program(np):
        a, b = values(np, "float64", 1), values(np, "int8", 2)
        view = a[1:-1]
        a += b
        view *= 2
        a[::2] -= 1
        a /= 3
        a **= 2
        return a, view, b

    check(program)


def test_overlapping_in_place(engine):
    def program(np):
        a = np.arange(10.0)
        a[1:] += a[:-1]
        a[:-1] = a[1:]
        a[::-1] -= a
        a[2:7] = a[5:0:-1]
        return a

    check(program)


@pytest.mark.parametrize("program", [
    lambda np: values(np, "int64", 1).__iadd__(0.5),
    lambda np: values(np, "uint8", 1).__isub__(values(np, "float32", 1)),
    lambda np: np.add(np.zeros(3), np.zeros(4)),
    lambda np: np.add(np.zeros((2, 3)), np.zeros((3, 2))),
    lambda np: np.zeros(3).__iadd__(np.zeros((2, 3))),
    lambda np: np.subtract(np.zeros(3, bool), np.zeros(3, bool)),
    lambda np: np.negative(np.zeros(3, bool)),
    lambda np: np.bitwise_and(np.zeros(3), 1),
    lambda np: np.sqrt(np.zeros(3), dtype="i4"),
    lambda np: np.add(1, 2, 3, 4),
    lambda np: np.arange(3) ** -1,
    lambda np: np.add(np.broadcast_to(np.zeros(1), (3,)), 1, out=np.broadcast_to(np.zeros(1), (3,))),
    lambda np: np.add(np.zeros(3), 1, out=np.zeros((2, 3))),
])  # fmt: skip
def test_errors_and_odd_shapes(engine, program):
    check(program)


def test_out_and_dtype(engine):
    def program(np):
        a = np.arange(6.0).reshape(2, 3)
        out = np.empty((2, 3), "f4")
        same = np.multiply(a, 2, out=out)
        np.add(a, 1, a)
        return out, same is out, a, np.add(a, 1, dtype="f4"), np.add(a, 1, out=np.zeros((2, 3), "i4"), casting="unsafe")

    check(program)


def test_where(engine):
    for left, right in (("float32", "int64"), ("int8", "uint8"), ("bool", "complex64")):
        check(lambda np: np.where(values(np, "bool", 3), values(np, left, 1), values(np, right, 2)))
    check(lambda np: np.where(np.arange(3)[:, None] > 1, 1, np.arange(4.0)))
    check(lambda np: np.where([True, False], 1.5, np.array([1, 2], "f4")))


def test_numpy_functions_come_to_us(engine):
    a = gamelan.arange(5.0)
    for result in (numpy.add(a, 1), numpy.arange(5) * a, numpy.float64(2) * a, numpy.sin(a), numpy.add.outer(a, a), numpy.sum(a)):
        assert isinstance(result, (gamelan.ndarray, numpy.number)) and result.is_distributed
    target = numpy.zeros(5)
    target += a
    assert numpy.array_equal(target, numpy.arange(5.0))
    assert numpy.add(a, 1, out=target) is target and target[4] == 5


def test_ufunc_objects(engine):
    assert gamelan.add.nin == 2 and gamelan.add.identity == 0 and "numpy.add" in gamelan.add.__doc__
    check(lambda np: np.add.reduce(np.arange(6).reshape(2, 3)))
    check(lambda np: np.maximum.reduce(np.arange(6).reshape(2, 3), axis=1, keepdims=True))
    check(lambda np: np.multiply.outer(np.arange(3), np.arange(4.0)))
    check(lambda np: np.add.accumulate(np.arange(6)))
    check(lambda np: np.add.reduceat(np.arange(6), [0, 4, 1]))


def test_mixed_small_and_distributed(mixed):
    def program(np):
        small, large = np.arange(3.0), np.arange(12.0).reshape(4, 3)
        result = large + small
        small[0] = 99  # the operand was taken when it was recorded
        large += small
        small += large[0]
        return result, large, small, large[:, :1] * small, np.arange(9.0)[:, None] + small

    check(program)


def test_small_results_of_small_operands_stay(mixed):
    assert not (gamelan.arange(9) + 1).is_distributed
    assert (gamelan.arange(10) + 1).is_distributed
    assert gamelan.arange(10)[:2].is_distributed, "locality belongs to the base"
    assert (gamelan.arange(4)[:, None] + gamelan.arange(3)).is_distributed
    assert _core.threshold() == 10


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_division_by_a_power_of_two_has_numpys_bits(engine, dtype):
    """The planner multiplies instead, where that gives the same bits."""
    limits = numpy.finfo(dtype)
    special = [
        0.0,
        -0.0,
        numpy.inf,
        -numpy.inf,
        numpy.nan,
        limits.max,
        limits.tiny,
        limits.smallest_subnormal,
        3 * limits.smallest_subnormal,
    ]
    data = numpy.concatenate([special, numpy.random.RandomState(3).randn(100)]).astype(dtype)
    with numpy.errstate(all="ignore"):
        for exponent in (limits.minexp - 1, limits.minexp, -3, 0, 1, 2, limits.maxexp - 2, limits.maxexp - 1):
            for divisor in (data.dtype.type(2) ** exponent, data.dtype.type(-2) ** exponent):
                got = numpy.asarray(gamelan.array(data) / divisor)
                assert got.tobytes() == (data / divisor).tobytes(), divisor
