# SPDX-License-Identifier: BSD-3-Clause
"""ufunc.at, reduceat and folds from the left over long rows: many equal indices, every engine with a part of them, exact."""

import numpy
import pytest

import gamelan
from gamelan._promotion import TABLE
from gamelan._ufunc_methods import _at
from gamelan._ufuncs._odd_comparisons import COMPARISONS
from oracle import check

SEEDS = range(3)


def _draw(seed, count, positions, dtype):
    draw = numpy.random.RandomState(seed)
    index = draw.randint(-positions, positions, count)
    return index, draw.randint(-9, 9, count).astype(dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum"])
def test_at_with_repeated_indices(engine, name, dtype):
    for seed, positions in zip(SEEDS, (5, 700, 40_000)):
        index, values = _draw(seed, 20_011, positions, dtype)
        if name == "multiply":
            values = numpy.sign(values.real).astype(dtype)  # products stay in range

        def program(np):
            target = np.ones(positions, dtype)
            getattr(np, name).at(target, np.array(index), np.array(values))
            return target

        check(program, f"{name} {dtype} seed {seed}", exact=True)


def test_at_with_rows(engine):
    index, values = _draw(7, 900, 40, "int64")

    def program(np):
        rows = np.array(numpy.multiply.outer(values, numpy.arange(13)))
        target = np.zeros((40, 13), "int64")
        np.add.at(target, np.array(index), rows)
        np.subtract.at(target.T, np.array(index[:13] % 13), rows[:13, :1] * np.ones(40, "int64"))
        np.multiply.at(target, (np.array(index), np.array(index % 13)), 2)
        return target

    check(program, exact=True)


def test_the_order_is_that_of_the_index(engine):
    """Operations that do not commute: every element sees its values in their order, whoever holds them."""
    index, values = _draw(3, 5000, 50, "int64")

    def program(np):
        target = np.ones(50, "int64")
        for name in ("left_shift", "floor_divide", "subtract"):
            getattr(np, name).at(target, np.array(index), np.array(numpy.abs(values) % 5 + 1))
        return target

    check(program, exact=True)


_OF_INTEGERS = [
    row["name"]
    for row in TABLE.values()
    if row["kind"] in ("unary", "binary")
    and row["result"] == "same"
    and row["types"] in ("all", "integer", "integer_or_bool", "numeric", "real")
    and row["name"] != "copy"
]


@pytest.mark.parametrize("dtype", ["int8", "uint16"])
@pytest.mark.parametrize("name", _OF_INTEGERS)
def test_at_of_narrow_integers_and_wide_values(engine, name, dtype):
    """Where the narrow dtype does not give the same as the wider one, which is cut at the end, no index comes twice."""
    index, values = _draw(5, 300, 60, "int32" if dtype == "uint16" else "int16")
    if not _at._is_modular(name):
        index, values = numpy.arange(60)[::-1], values[:60]
    operands = () if TABLE[name]["arity"] == 1 else (numpy.abs(values * 77) if name == "power" else values * 77,)

    def program(np):
        target = np.array(numpy.arange(60).astype(dtype))
        getattr(np, name).at(target, np.array(index), *map(np.array, operands))
        return target

    check(program, f"{name} {dtype}", exact=True)


def test_properties_of_ops_come_from_the_table():
    assert {name for name in _OF_INTEGERS if TABLE[name]["arity"] == 2 and _at._is_modular(name)} == {
        *("add", "subtract", "multiply"),
        *("bitwise_and", "bitwise_or", "bitwise_xor"),
    }
    assert COMPARISONS == {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def test_reduceat_of_many_slices(engine):
    draw = numpy.random.RandomState(5)
    data = draw.randint(-99, 99, 6007)
    starts = draw.randint(0, 6007, 300)
    rows = draw.randint(-99, 99, (500, 7))
    for name in ("add", "maximum", "subtract", "bitwise_xor"):
        for chosen in (starts, numpy.sort(starts), numpy.arange(0, 6007, 50)):
            check(lambda np: getattr(np, name).reduceat(np.array(data), np.array(chosen)), f"{name} seed 5", exact=True)
        check(lambda np: getattr(np, name).reduceat(np.array(rows), starts[:40] % 500), f"{name} rows", exact=True)
        check(lambda np: getattr(np, name).reduceat(np.array(rows.T), starts[:40] % 500, axis=1), f"{name} columns", exact=True)


def test_folds_from_the_left_of_long_rows(engine):
    data = numpy.random.RandomState(2).randint(1, 4, (2003, 5))
    for name in ("floor_divide", "remainder", "subtract", "fmod"):
        for axis in (0, 1):
            check(lambda np: getattr(np, name).reduce(np.array(data * 1000), axis=axis), f"{name} {axis}", exact=True)
            check(lambda np: getattr(np, name).accumulate(np.array(data * 1000), axis=axis), f"{name} {axis}", exact=True)
    check(lambda np: np.divide.reduce(np.array(data.ravel() / 2.0)), "divide", exact=True)


def test_a_large_index_writes_to_a_small_target(mixed):
    small = gamelan.zeros(4)
    plain = numpy.zeros(4)
    index = gamelan.arange(40) % 4
    for target in (small, plain):
        gamelan.add.at(target, index, gamelan.arange(40.0))
        assert not isinstance(target, gamelan.ndarray) or not target.is_distributed
        assert numpy.asarray(target).tolist() == [180.0, 190.0, 200.0, 210.0]
    numpy.add.at(plain, index, 1)
    assert plain.tolist() == [190.0, 200.0, 210.0, 220.0]


def test_what_is_here_only_says_so(engine):
    with pytest.raises(NotImplementedError, match="divide.accumulate"):
        gamelan.divide.accumulate(gamelan.arange(3.0))
    with pytest.raises(TypeError, match="isnat"):
        gamelan.isnat(gamelan.arange(3))
    assert all(isinstance(getattr(gamelan, name), gamelan.ufunc) for name in ("add", "modf", "frexp", "divmod", "ldexp"))


def test_every_ufunc_of_numpy_is_there(engine):
    theirs = {name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc)}
    ours = {name for name in theirs if isinstance(gamelan.__dict__.get(name), gamelan.ufunc)}
    functions = {"isnat", "matmul", "matvec", "vecdot", "vecmat", "bitwise_count"}
    assert theirs - ours == functions & theirs, "functions of that name"


def test_results_without_axes_are_values(engine):
    """As NumPy's scalars: `+=` binds the name to a new one."""
    x = gamelan.array(2.5)
    for value in (gamelan.add(x, 1, dtype="f4"), gamelan.modf(x)[0], gamelan.clip(x, 0, 1), gamelan.fmax.reduce(gamelan.ones(3))):
        other = value
        other += 1
        assert float(other) == float(value) + 1
