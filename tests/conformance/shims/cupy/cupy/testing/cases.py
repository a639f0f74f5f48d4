# SPDX-License-Identifier: BSD-3-Clause
"""Tests that are classes, one for every set of values; tests that need what is not there; what they look at besides results."""

import contextlib
import functools
import inspect
import itertools
import sys
import unittest

import numpy
import pytest
from packaging.requirements import Requirement

import cupy


def product(parameters):
    """Every combination of the values of a dict."""
    return [dict(zip(parameters, row)) for row in itertools.product(*parameters.values())]


def product_dict(*parameters):
    """Every combination of dicts of several lists."""
    return [functools.reduce(lambda one, other: {**one, **other}, row) for row in itertools.product(*parameters)]


def parameterize(*rows, _ids=True):
    """One class of tests for every dict, whose items are its attributes."""

    def decorate(cls):
        names = vars(sys.modules[cls.__module__])
        for number, row in enumerate(rows):
            name = f"{cls.__name__}_param_{number}"
            names[name] = type(name, (cls,), {**row, "__module__": cls.__module__, "__test__": True})
        cls.__test__ = False
        return cls

    return decorate


def with_requires(*requirements):
    """Tests of another version of NumPy are not run."""
    needed = [Requirement(each) for each in requirements]
    met = all(each.name != "numpy" or numpy.__version__ in each.specifier for each in needed)
    return pytest.mark.skipif(not met, reason=f"needs {', '.join(requirements)}")


def multi_gpu(count):
    """There is none."""
    return pytest.mark.skip(reason="about processors that this is not")


slow = pytest.mark.skip(reason="arrays of gigabytes")


class AssertFunctionIsCalled(contextlib.nullcontext):
    """Which function of CuPy's own computes is not looked at."""

    def __init__(self, name, **_):
        super().__init__()


class NumpyAliasBasicTestBase(unittest.TestCase):
    """A function of NumPy's signature."""

    func = None

    def test_argspec(self):
        theirs, ours = (inspect.signature(getattr(module, self.func)) for module in (numpy, cupy))
        assert list(ours.parameters) == list(theirs.parameters)


class NumpyAliasValuesTestBase(unittest.TestCase):
    """A function that gives what NumPy's gives for `args`."""

    func = None

    def test_values(self):
        assert getattr(cupy, self.func)(*self.args) == getattr(numpy, self.func)(*self.args)
