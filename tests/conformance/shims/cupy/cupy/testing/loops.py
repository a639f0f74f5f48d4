# SPDX-License-Identifier: BSD-3-Clause
"""Decorators that run a test for many dtypes or orders, one after the other, and say at which one it failed. A test that
skips one of them goes on with the next."""

import functools
import inspect
import itertools
import unittest

import numpy
import pytest

_FLOATS, _COMPLEX = ("e", "f", "d"), ("F", "D")
_SIGNED, _UNSIGNED = ("b", "h", "i", "l", "q"), ("B", "H", "I", "L", "Q")
_SKIPPED = (pytest.skip.Exception, unittest.SkipTest)


def given_arguments(function, wrapper, *names):
    """The wrapper with the function's signature less the arguments that the wrapper gives."""
    functools.update_wrapper(wrapper, function)
    del wrapper.__wrapped__
    signature = inspect.signature(function)
    wrapper.__signature__ = signature.replace(parameters=[each for key, each in signature.parameters.items() if key not in names])
    return wrapper


def _for_rows(rows, names):
    """Runs a test for every row of values of the named arguments."""

    def decorate(function):
        def wrapper(*arguments, **keywords):
            skipped = []
            for row in rows:
                given = dict(zip(names, row))
                try:
                    function(*arguments, **{**keywords, **given})  # of two loops over one name the inner one counts
                except _SKIPPED as reason:
                    skipped.append(reason)
                except Exception as error:
                    error.args = (f"{', '.join(f'{name} = {value}' for name, value in given.items())}: {error}",)
                    raise
            if skipped and len(skipped) == len(rows):
                raise skipped[0]

        return given_arguments(function, wrapper, *names)

    return decorate


def _types(letters):
    return [numpy.dtype(letter).type for letter in letters]


def _all_types(no_float16=False, no_bool=False, no_complex=False):
    left_out = ("e",) * no_float16 + ("?",) * no_bool + _COMPLEX * no_complex
    return _types(letter for letter in (*_FLOATS, *_SIGNED, *_UNSIGNED, "?", *_COMPLEX) if letter not in left_out)


def for_dtypes(dtypes, name="dtype"):
    """Runs a test for every dtype."""
    return _for_rows([(each,) for each in _types(dtypes)], [name])


def for_all_dtypes(name="dtype", **left_out):
    """Runs a test for every dtype but those left out."""
    return for_dtypes(_all_types(**left_out), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """Runs a test for every real floating dtype."""
    return for_dtypes(_FLOATS[1 if no_float16 else 0 :], name)


def for_complex_dtypes(name="dtype"):
    """Runs a test for every complex dtype."""
    return for_dtypes(_COMPLEX, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """Runs a test for every integer dtype, bool too unless it is left out."""
    return for_dtypes(_SIGNED + _UNSIGNED + (() if no_bool else ("?",)), name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Runs a test for dtypes under several names: through all tuples, or each name through all dtypes at its own pace."""
    types = _types(types)
    rows = list(itertools.product(types, repeat=len(names))) if full else [
        tuple(types[(place * (1 + 2 * turn) + turn) % len(types)] for turn in range(len(names))) for place in range(len(types))]  # fmt: skip
    return _for_rows(rows, names)


def for_all_dtypes_combination(names=("dtype",), full=None, **left_out):
    """As for_dtypes_combination, of every dtype but those left out."""
    return for_dtypes_combination(_all_types(**left_out), names, full)


def for_orders(orders, name="order"):
    """Runs a test for every memory order."""
    return _for_rows([(order,) for order in orders], [name])


def for_CF_orders(name="order"):
    """Runs a test for C and Fortran order."""
    return for_orders([None, "C", "F"], name)
