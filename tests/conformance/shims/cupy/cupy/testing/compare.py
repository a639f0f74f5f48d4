# SPDX-License-Identifier: BSD-3-Clause
"""Decorators that run a test on NumPy and on the module under test and compare what it returns: values, dtype, shape, and,
where the test asks for it, the order in memory. When NumPy raises, the test says whether that is what it is about."""

import numpy
from numpy import testing
from numpy.testing import assert_warns  # noqa: F401

import cupy

from .loops import given_arguments

# The last bits of functions are not NumPy's: of whole numbers of single precision, and of half.
_LEAST_TOLERANCE = {"e": 2e-3, "f": 1e-6, "F": 1e-6}


def _outcome(function, arguments, keywords, name, module):
    try:
        return function(*arguments, **keywords, **{name: module}), None
    except Exception as error:
        return None, error


def _on_both(check, name, accept_error=False):
    """Runs a test on both; `check` compares what it returns. `accept_error`: classes that both may raise, True for any."""
    accepted = {True: Exception, False: ()}.get(accept_error, accept_error)

    def decorate(function):
        def wrapper(*arguments, **keywords):
            expected, refused = _outcome(function, arguments, keywords, name, numpy)
            actual, error = _outcome(function, arguments, keywords, name, cupy)
            if isinstance(refused, accepted) and isinstance(error, accepted):
                return
            if refused or error:
                raise refused or error
            check(actual, expected)

        return given_arguments(function, wrapper, name)

    return decorate


def _check_arrays(compare, type_check, same_strides=False, same_contiguity=False):
    """A check of arrays, also inside sequences."""

    def check(actual, expected):
        if isinstance(expected, (list, tuple)):
            assert len(actual) == len(expected), f"{len(actual)} results, NumPy {len(expected)}"
            for one, other in zip(actual, expected):
                check(one, other)
            return
        if isinstance(expected, numpy.ndarray):
            if same_strides:
                assert actual.strides == expected.strides, f"strides {actual.strides}, NumPy {expected.strides}"
            if same_contiguity:
                for flag in ("c_contiguous", "f_contiguous"):
                    assert getattr(actual.flags, flag) or not getattr(expected.flags, flag), f"not {flag}, NumPy's is"
        actual, expected = numpy.asarray(actual), numpy.asarray(expected)
        if type_check:
            assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, NumPy {expected.dtype}"
        assert actual.shape == expected.shape, f"shape {actual.shape}, NumPy {expected.shape}"
        compare(actual, expected)

    return check


def numpy_cupy_array_equal(name="xp", type_check=True, accept_error=False, strides_check=False):
    """Both give equal arrays."""
    return _on_both(_check_arrays(testing.assert_array_equal, type_check, same_strides=strides_check), name, accept_error)


def numpy_cupy_allclose(rtol=1e-7, atol=0, name="xp", type_check=True, accept_error=False, contiguous_check=True):
    """Both give arrays that differ by a tolerance at most, which may depend on the dtype, and are contiguous where NumPy's are."""

    def compare(actual, expected):
        relative = rtol.get(expected.dtype.type, rtol["default"]) if isinstance(rtol, dict) else rtol
        testing.assert_allclose(actual, expected, max(relative, _LEAST_TOLERANCE.get(expected.dtype.char, 0)), atol)

    return _on_both(_check_arrays(compare, type_check, same_contiguity=contiguous_check), name, accept_error)


def numpy_cupy_array_almost_equal(decimal=6, name="xp", type_check=True, accept_error=False):
    """Both give arrays equal to so many decimals."""

    def compare(actual, expected):
        testing.assert_array_almost_equal(actual, expected, decimal)

    return _on_both(_check_arrays(compare, type_check), name, accept_error)


def numpy_cupy_equal(name="xp"):
    """Both give equal objects."""

    def check(actual, expected):
        assert actual == expected, f"{actual!r}, NumPy {expected!r}"

    return _on_both(check, name)


def _of_elements(assertion):
    """An assertion of numpy.testing about arrays of the module under test."""

    def wrapper(actual, desired, *arguments, **keywords):
        assertion(cupy.asnumpy(actual), cupy.asnumpy(desired), *arguments, **keywords)

    return wrapper


assert_allclose = _of_elements(testing.assert_allclose)
assert_array_equal = _of_elements(testing.assert_array_equal)
assert_array_almost_equal = _of_elements(testing.assert_array_almost_equal)
