# SPDX-License-Identifier: BSD-3-Clause
"""What CuPy's tests take of cupy.testing: decorators that run a test for many dtypes, on NumPy and on the module under test,
and compare; arrays to test with. Written from how the tests use them."""
import functools
import inspect
import itertools
import sys

import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_almost_equal, assert_array_equal, assert_warns  # noqa: F401

import cupy

_FLOATS, _COMPLEX = ("e", "f", "d"), ("F", "D")
_SIGNED, _UNSIGNED = ("b", "h", "i", "l", "q"), ("B", "H", "I", "L", "Q")


def _dtypes(no_float16=False, no_bool=False, no_complex=False):
    letters = [*_FLOATS, *_SIGNED, *_UNSIGNED, "?", *_COMPLEX]
    left_out = ("e",) * no_float16 + ("?",) * no_bool + _COMPLEX * no_complex
    return [numpy.dtype(letter).type for letter in letters if letter not in left_out]


def _without(function, wrapper, *names):
    """The wrapper with the function's signature less the arguments that the wrapper gives."""
    functools.update_wrapper(wrapper, function)
    del wrapper.__wrapped__
    signature = inspect.signature(function)
    wrapper.__signature__ = signature.replace(parameters=[each for key, each in signature.parameters.items() if key not in names])
    return wrapper


def _for_each(values, name):
    def decorate(function):
        def wrapper(*arguments, **keywords):
            for value in values:
                try:
                    function(*arguments, **keywords, **{name: value})
                except Exception as error:
                    error.args = (f"{name} = {value}: {error}",)
                    raise

        return _without(function, wrapper, name)

    return decorate


def for_dtypes(dtypes, name="dtype"):
    """Runs a test for every dtype."""
    return _for_each([numpy.dtype(each).type for each in dtypes], name)


def for_all_dtypes(name="dtype", **left_out):
    """Runs a test for every dtype but those left out."""
    return _for_each(_dtypes(**left_out), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """Runs a test for every real floating dtype."""
    return for_dtypes(_FLOATS[1 if no_float16 else 0 :], name)


def for_complex_dtypes(name="dtype"):
    """Runs a test for every complex dtype."""
    return for_dtypes(_COMPLEX, name)


def for_signed_dtypes(name="dtype"):
    """Runs a test for every signed integer dtype."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    """Runs a test for every unsigned integer dtype."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """Runs a test for every integer dtype, bool too unless it is left out."""
    return for_dtypes(_SIGNED + _UNSIGNED + (() if no_bool else ("?",)), name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Runs a test for every dtype under each name; each name runs through them at its own pace, or through all tuples."""
    types = list(types)
    rows = list(itertools.product(types, repeat=len(names))) if full else [
        tuple(types[(place * (1 + 2 * turn) + turn) % len(types)] for turn in range(len(names))) for place in range(len(types))]  # fmt: skip

    def decorate(function):
        def wrapper(*arguments, **keywords):
            for row in rows:
                function(*arguments, **keywords, **dict(zip(names, row)))

        return _without(function, wrapper, *names)

    return decorate


def for_all_dtypes_combination(names=("dtype",), full=None, **left_out):
    """As for_dtypes_combination, of every dtype but those left out."""
    return for_dtypes_combination(_dtypes(**left_out), names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    """As for_dtypes_combination, of integers."""
    return for_dtypes_combination([numpy.dtype(each).type for each in _SIGNED + _UNSIGNED + (() if no_bool else ("?",))], names, full)


def for_orders(orders, name="order"):
    """Runs a test for every memory order."""
    return _for_each(orders, name)


def for_CF_orders(name="order"):
    """Runs a test for C and Fortran order."""
    return _for_each([None, "C", "F"], name)


def _outcome(function, arguments, keywords, name, module):
    try:
        return function(*arguments, **keywords, **{name: module}), None
    except Exception as error:
        return None, error


def _compared(compare, name="xp", type_check=True, accept_error=False):
    def decorate(function):
        def wrapper(*arguments, **keywords):
            expected, refused = _outcome(function, arguments, keywords, name, numpy)
            actual, error = _outcome(function, arguments, keywords, name, cupy)
            if refused is not None:
                if accept_error is not False and error is not None:
                    return
                raise refused
            if error is not None:
                raise error
            _compare(actual, expected, compare, type_check)

        return _without(function, wrapper, name)

    return decorate


def _compare(actual, expected, compare, type_check):
    if isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected):
            _compare(one, other, compare, type_check)
        return
    actual, expected = numpy.asarray(actual), numpy.asarray(expected)
    if type_check:
        assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, NumPy {expected.dtype}"
    assert actual.shape == expected.shape, f"shape {actual.shape}, NumPy {expected.shape}"
    compare(actual, expected)


def numpy_cupy_array_equal(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, **_):
    """Both modules give equal arrays."""
    return _compared(assert_array_equal, name, type_check, accept_error)


def numpy_cupy_allclose(rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, **_):
    """Both modules give arrays that differ by a tolerance at most; it may depend on the dtype."""

    def tolerance(given, dtype):
        if not isinstance(given, dict):
            return given
        return given.get(dtype.type, given.get("default", 1e-7))

    def compare(actual, expected):
        relative = max(tolerance(rtol, expected.dtype), 1e-6 if expected.dtype.char in "fF" else 2e-3 if expected.dtype.char == "e" else 1e-12)
        assert_allclose(actual, expected, relative, tolerance(atol, expected.dtype))

    return _compared(compare, name, type_check, accept_error)


def numpy_cupy_array_almost_equal(decimal=6, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, **_):
    """Both modules give arrays equal to so many decimals."""
    return _compared(lambda actual, expected: assert_array_almost_equal(actual, expected, decimal), name, type_check, accept_error)


def numpy_cupy_equal(name="xp", **_):
    """Both modules give equal objects."""

    def decorate(function):
        def wrapper(*arguments, **keywords):
            expected, refused = _outcome(function, arguments, keywords, name, numpy)
            actual, error = _outcome(function, arguments, keywords, name, cupy)
            if refused or error:
                raise refused or error
            assert actual == expected, f"{actual!r}, NumPy {expected!r}"

        return _without(function, wrapper, name)

    return decorate


def shaped_arange(shape, xp=None, dtype=numpy.float32, order="C"):
    """1, 2, 3, ... in a shape; of bool every other one."""
    dtype = numpy.dtype(dtype)
    values = numpy.arange(1, int(numpy.prod(shape)) + 1, 1)
    values = values % 2 == 0 if dtype.kind == "b" else values + values * 1j if dtype.kind == "c" else values
    return (xp or cupy).array(values.astype(dtype).reshape(shape), order=order)


def shaped_reverse_arange(shape, xp=None, dtype=numpy.float32):
    """As shaped_arange, the largest first."""
    dtype = numpy.dtype(dtype)
    values = numpy.arange(int(numpy.prod(shape)), 0, -1)
    values = values % 2 == 0 if dtype.kind == "b" else values + values * 1j if dtype.kind == "c" else values
    return (xp or cupy).array(values.astype(dtype).reshape(shape))


def shaped_random(shape, xp=None, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """Numbers of [0, scale), the same for every module."""
    state, dtype = numpy.random.RandomState(seed), numpy.dtype(dtype)
    if dtype.kind == "b":
        values = state.randint(2, size=shape)
    else:
        values = numpy.asarray(state.random_sample(shape)) * scale
        if dtype.kind == "c":
            values = values + 1j * numpy.asarray(state.random_sample(shape)) * scale
    return (xp or cupy).array(numpy.asarray(values).astype(dtype), order=order)


def product(parameters):
    """Every combination of the values of a dict."""
    return [dict(zip(parameters, row)) for row in itertools.product(*parameters.values())]


def product_dict(*parameters):
    """Every combination of dicts of several lists."""
    return [functools.reduce(lambda one, other: {**one, **other}, row) for row in itertools.product(*parameters)]


def parameterize(*rows):
    """One class of tests for every dict, whose items are its attributes."""

    def decorate(cls):
        names = vars(sys.modules[cls.__module__])
        for number, row in enumerate(rows):
            name = f"{cls.__name__}_param_{number}"
            names[name] = type(name, (cls,), {**row, "__module__": cls.__module__})
        cls.__test__ = False
        for number in range(len(rows)):
            names[f"{cls.__name__}_param_{number}"].__test__ = True
        return cls

    return decorate


def with_requires(*requirements):
    """Tests of another version of NumPy are not run."""
    from packaging.requirements import Requirement

    met = all(Requirement(each).name.lower() != "numpy" or numpy.__version__ in Requirement(each).specifier for each in requirements)
    return pytest.mark.skipif(not met, reason=f"needs {', '.join(requirements)}")


def multi_gpu(count):
    """There is none."""
    return pytest.mark.skip(reason="about processors that this is not")


gpu = pytest.mark.filterwarnings("default")
slow = pytest.mark.skip(reason="arrays of many gigabytes")


class NumpyAliasTestBase:
    """Tests that two functions are one; of no use here."""

    __test__ = False


NumpyAliasBasicTestBase = NumpyAliasValuesTestBase = AssertFunctionIsCalled = NumpyAliasTestBase
