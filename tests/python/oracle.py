# SPDX-License-Identifier: BSD-3-Clause
"""The oracle is NumPy: `check(lambda np: ...)` runs one program on numpy and on gamelan and compares what comes out."""

import warnings

import numpy
import pytest

import gamelan

# Rounding that is allowed where the engines' order of summation or their vector math differ from NumPy's, in units of the
# last place relative to the largest element of the result.
TOLERANCE = {"f": {2: 2e-2, 4: 1e-5, 8: 1e-12}, "c": {8: 1e-5, 16: 1e-12}}
_comparisons = 0


def count():
    """Counts one comparison with NumPy; the session's total is printed at its end."""
    global _comparisons
    _comparisons += 1


def comparisons():
    return _comparisons


class Outcome:
    """What a program gave: a value, or the class of its error."""

    def __init__(self, program, module):
        self.value = self.error = None
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.value = _settle(program(module))
            except (NameError, SyntaxError) as error:
                if module is numpy:
                    raise  # the program is mistyped
                self.error = error
            except Exception as error:
                self.error = error


def _settle(value):
    """The value with every array fetched, so that errors surface inside the program's try."""
    if isinstance(value, gamelan.ndarray):
        return numpy.asarray(value)
    if isinstance(value, (list, tuple)):
        items = [_settle(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def error_class(error):
    """The public class of an error: private subclasses of NumPy (UFuncTypeError, ...) count as what they extend."""
    for each in type(error).__mro__:
        if not each.__name__.startswith("_") and each.__module__ in ("builtins", "numpy", "numpy.exceptions", "numpy.linalg"):
            return each
    return type(error)


def assert_close(actual, expected, what="", ulps=0):
    """Equal in shape, dtype and value; floating point within `ulps` units of the last place of each element (0: the same
    bits, except that any NaN equals any other). The unit of a complex number is that of its modulus."""
    count()
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, NumPy {expected.shape}"
    assert actual.dtype == expected.dtype, f"{what}: dtype {actual.dtype}, NumPy {expected.dtype}"
    with numpy.errstate(all="ignore"):
        same = (actual == expected) | ((actual != actual) & (expected != expected))
        if ulps and not same.all():
            unit = numpy.spacing(numpy.abs(expected))
            same |= numpy.abs(actual - expected) <= ulps * unit
    if same.all():
        return
    index = tuple(int(axis[0]) for axis in numpy.nonzero(~same)) if expected.ndim else ()
    raise AssertionError(
        f"{what}: {actual[index]!r} at {index}, NumPy {expected[index]!r} ({int((~same).sum())} of {same.size} differ)"
    )


def assert_same(actual, expected, what="", exact=False):
    """Equal in shape, dtype and value; sequences item by item."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(actual, (list, tuple)) and len(actual) == len(expected), f"{what}: {actual!r} != {expected!r}"
        for one, other in zip(actual, expected):
            assert_same(one, other, what, exact)
        return
    count()
    if not isinstance(expected, (numpy.ndarray, numpy.generic)):
        assert actual == expected or actual != actual and expected != expected, f"{what}: {actual!r} != {expected!r}"
        return
    actual, expected = numpy.asarray(actual), numpy.asarray(expected)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape} != {expected.shape}"
    assert actual.dtype == expected.dtype, f"{what}: dtype {actual.dtype} != {expected.dtype}"
    tolerance = TOLERANCE.get(expected.dtype.kind, {}).get(expected.dtype.itemsize)
    if tolerance is None or exact:
        numpy.testing.assert_array_equal(actual, expected, err_msg=what)
        return
    finite = numpy.abs(expected[numpy.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 0.0
    with numpy.errstate(all="ignore"):
        numpy.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def check(program, what="", exact=False):
    """Run `program(np)` for np = numpy and np = gamelan; compare values, or the classes of the errors."""
    expected, actual = Outcome(program, numpy), Outcome(program, gamelan)
    if expected.error is not None:
        count()
        assert actual.error is not None, f"{what}: NumPy raised {expected.error!r}, we returned {actual.value!r}"
        assert isinstance(
            actual.error, error_class(expected.error)
        ), f"{what}: NumPy raised {expected.error!r}, we raised {actual.error!r}"
        return
    if actual.error is not None:
        raise AssertionError(f"{what}: we raised {actual.error!r}, NumPy returned {expected.value!r}") from actual.error
    assert_same(actual.value, expected.value, what, exact)


def check_all(programs):
    """Checks every (name, program); fails once, with all that differ."""
    wrong = []
    for what, program in programs:
        try:
            check(program, what)
        except AssertionError as error:
            wrong.append(str(error).strip().replace("\n", " ")[:300])
    if wrong:
        pytest.fail(f"{len(wrong)} differ from NumPy:\n" + "\n".join(wrong[:12]), pytrace=False)
