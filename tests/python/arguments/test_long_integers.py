# SPDX-License-Identifier: BSD-3-Clause
"""Integers of Python that no engine's integer holds: NumPy makes objects of them, which distributed arrays are not; what is
assigned is converted to the dtype of the target, as NumPy converts it."""

import numpy
import pytest

import gamelan
from gamelan._imported_numpy import NUMBERS_ARE_WEAK
from oracle import check

_ASSIGNED = [2**63, -(2**63), 2**64 - 1, 2**64, 10**40, -(10**40), 10**400]


@pytest.mark.parametrize("value", _ASSIGNED)
@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint8", "float64", "float32", "complex128", "bool"])
def test_a_long_integer_is_assigned_as_numpy_assigns_it(engine, value, dtype):
    def of(np, set_it):
        array = np.zeros(3, dtype)
        set_it(array)
        return array

    check(lambda np: of(np, lambda array: array.__setitem__(0, value)), f"a[0] = {value}")
    check(lambda np: of(np, lambda array: array.__setitem__(slice(None), value)), f"a[:] = {value}")
    check(lambda np: of(np, lambda array: array.fill(value)), f"a.fill({value})")


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 10**400])
def test_what_numpy_computes_with_objects_is_refused_by_the_name_of_their_dtype(engine, value):
    if NUMBERS_ARE_WEAK:  # then NumPy computes with no objects
        check(lambda np: np.ones(3) + value)
        check(lambda np: value * np.ones(3, int))
        check(lambda np: (np.ones(3, int) < value, np.ones(3, "u1") == value, value >= np.ones(3, "i8")))
        check(lambda np: numpy.maximum(np.ones(3), value))
        return
    array = gamelan.ones(3)
    for program in (
        lambda: array + value,
        lambda: value * array,
        lambda: numpy.maximum(array, value),
        lambda: gamelan.where(array > 0, value, 0),
    ):
        with pytest.raises(NotImplementedError, match="object (arrays|values)"):
            program()
