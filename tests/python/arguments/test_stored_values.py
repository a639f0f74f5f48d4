# SPDX-License-Identifier: BSD-3-Clause
"""Data of Python that are written into arrays, by every function that writes: converted, or refused, as NumPy does."""

import pytest

from oracle import check_all

_WRITES = """
np.put(a, [0, 2], V)
a.put([0, 2], V)
a.__setitem__(slice(0, 2), V)
a.__setitem__([0, 2], V)
a.flat.__setitem__(slice(0, 2), V)
a.flat.__setitem__([0, 2], V)
a.flat.__setitem__(1, V)
setattr(a, 'flat', V)
a.itemset(1, V)
np.copyto(a, V)
np.copyto(a, V, casting='unsafe')
np.fill_diagonal(a.reshape(2, 2), V)
np.putmask(a, a > 2, V)
np.place(a, a > 2, V)
np.put_along_axis(a, A([0, 2]), V, 0)
"""
_MAKES = ["np.insert(a, 1, V)", "np.full_like(a, V)", "np.choose(a > 2, [a, V])"]
_VALUES = [
    "1j",
    "1.5",
    "-1",
    "300",
    "'3'",
    "'a'",
    "[1, 2j]",
    "[1, 2, 3]",
    "numpy.complex128(2)",
    "A([7.5, 8])",
    "A(1j)",
    "[A(1), 2]",
    "True",
]


def _program(line, value, dtype, is_write):
    def program(np):
        a = np.array([1, 2, 3, 4], dtype)
        result = eval(line, {"np": np, "A": np.array, "a": a, "V": eval(value, {"numpy": __import__("numpy"), "A": np.array})})
        return a if is_write else result

    return program


@pytest.mark.parametrize("dtype", ["f8", "u1"])
def test_what_becomes_of_a_value(engine, dtype):
    # Of a list that holds an array NumPy converts each item, and we the array that they make; text makes arrays of text;
    # the error of many values for one element is another one for every dtype.
    left_out = {("np.putmask(a, a > 2, V)", "[A(1), 2]"), ("np.place(a, a > 2, V)", "[A(1), 2]"),
                ("np.choose(a > 2, [a, V])", "'3'"), ("np.choose(a > 2, [a, V])", "'a'"),
                *(("a.itemset(1, V)", value) for value in _VALUES if value[0] == "[" or value == "A([7.5, 8])")}  # fmt: skip
    lines = [(line, True) for line in _WRITES.strip().splitlines()] + [(line, False) for line in _MAKES]
    check_all([(f"{line} of {value}", _program(line, value, dtype, is_write))
               for line, is_write in lines for value in _VALUES if (line, value) not in left_out])  # fmt: skip
