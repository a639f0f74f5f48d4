# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of argument_kinds.py are made of: operands by name, and the classes whose objects may stand where a
plain number, tuple or array is meant. A program finds all of it in `names(np)`."""

import collections
import decimal
import enum
import fractions

import numpy

import gamelan


class Index:
    """An object that is a whole number, and nothing else."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return int(self.value)


class Float:
    """An object that becomes a float, and nothing else."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)


class Whole(int):
    pass


class Real(float):
    pass


class Text(str):
    pass


class List(list):
    pass


class Tuple(tuple):
    pass


class Own(numpy.ndarray):
    pass


class Sequence:
    """Has a length and elements; no list."""

    def __init__(self, items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Holder:
    """Becomes an array by its `__array__`."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return numpy.asarray(self.array, dtype)


def Enumerated(value):
    return enum.IntEnum("Numbers", {"this": int(value)}).this


def Named(items):
    """The items as a namedtuple."""
    items = tuple(items)
    return collections.namedtuple("Named", [f"f{number}" for number in range(len(items))])(*items)


def read_only(array):
    array.flags.writeable = False
    return array


# What each name holds: an expression over `n`, NumPy. Numbers are small and exact, so that sums are.
DATA = {
    "x": "n.arange(12).reshape(3, 4) * 0.75 - 2",
    "y": "n.arange(12).reshape(3, 4) * 5 % 7 + 0.5",
    "i": "n.arange(12).reshape(3, 4) * 5 % 7 - 2",
    "j": "n.arange(12).reshape(3, 4) * 7 % 5 + 1",
    "b": "n.arange(12).reshape(3, 4) % 3 > 0",
    "d": "n.arange(12).reshape(3, 4) % 4 < 2",
    "c": "n.arange(12).reshape(3, 4) * (0.5 + 0.25j) - 2",
    "t": "n.arange(24).reshape(2, 3, 4) * 5 % 11 - 3.5",
    "a": "n.arange(24).reshape(2, 3, 4) * 7 % 13",
    "v": "n.array([0.5, -1.25, 3.0, 2.5, -0.75, 1.5])",
    "w": "n.array([1.5, 0.25, 2.0, 4.5, 1.25, 3.5])",
    "s": "n.array([-2.0, -0.5, 0.75, 1.0, 2.5, 4.0])",
    "k": "n.array([0, 2, 1, 2, 0, 1])",
    "l": "n.array([7, 3, 5, 1, 3, 9])",
    "p": "n.array([3, 0, 5, 1, 4, 2])",
    "m": "n.array([True, False, True, True, False, True])",
    "u": "n.array([3, 200, 17, 128, 255, 64], 'u1')",
    "q": "n.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 5.0]])",
    "g": "n.array([[1.0, 2.5, -1.0], [0.25, 3.0, 2.0], [1.5, -2.0, 0.5]])",
    "h": "n.array([1.5, -2.0, 0.75])",
    "z": "n.array(2.5)",
}


def names(np):
    """The names that a program finds, for `np` NumPy or gamelan."""

    def here(data):
        """An array of the module that lives in this process whatever its size."""
        with gamelan.options(distribute_from=10**9):
            return np.array(data)

    return {"np": np, "n": numpy, "here": here, "inf": numpy.inf, "nan": numpy.nan, **_CLASSES}


_CLASSES = {
    each.__name__: each
    for each in (Index, Float, Whole, Real, Text, List, Tuple, Own, Sequence, Holder, Enumerated, Named, read_only)
}
_CLASSES |= {"Fraction": fractions.Fraction, "Decimal": decimal.Decimal}
