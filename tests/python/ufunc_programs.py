# SPDX-License-Identifier: BSD-3-Clause
"""Programs of one line about universal functions, and the arrays that they name: `A` makes an array of the module under
test, `at` calls a ufunc's method of that name and returns its target."""

import numpy

from oracle import check_all

_special = [0.0, -0.0, 1.5, -2.5, numpy.inf, -numpy.inf, numpy.nan]
NAMES = {
    "x": numpy.array(_special + [5e-324, 1e300, -3e-310, 0.5, 1, 2, 3, 4, 7.999999999]),
    "x32": numpy.array(_special + [1e-45, 1e38, -3e-40, 0.5, 1, 2, 3, 4, 7.999999999], "f4"),
    "x16": numpy.array(_special + [6e-8, 65504, -3e-5, 0.5, 1, 2, 3, 4, 7.999], "f2"),
    "ii": numpy.arange(-8, 8),
    "m": numpy.arange(16) % 3 != 0,
    "z": numpy.arange(20.0),
    "M": numpy.arange(21.0).reshape(7, 3),
    "C": numpy.arange(60).reshape(3, 4, 5),
    "v5": numpy.array([1.5, 2, 3, -4, 5]),
    "big": numpy.arange(12.0).reshape(3, 4) + 1,
    "small": numpy.arange(4.0) + 1,
    "mb": numpy.arange(12).reshape(3, 4) % 2 == 1,
    "ib": numpy.arange(12) % 4,
    "numpy": numpy,
}


def at(np, name, target, indices, *operands):
    getattr(np, name).at(target, indices, *operands)
    return target


def check_programs(text):
    """Checks every line of a text: the same values, dtypes, shapes and classes of errors as NumPy's."""
    check_all([(line, _program(line)) for line in map(str.strip, text.strip().splitlines())])


def _program(line):
    return lambda np: eval(line, {**NAMES, "np": np, "A": lambda data: np.array(data), "at": at})
