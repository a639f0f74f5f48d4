# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in of our own for the package cupy, on the path of its test suite only: the module under test, which
CONFORMANCE_MODULE names, under that name. Of what is CuPy's own there is as much as the tests of NumPy's functions look at:
which processor it is not (cuda.py), which library computes (_core), how tests are run and compared (testing)."""

import importlib
import os

import numpy

_under_test = importlib.import_module(os.environ.get("CONFORMANCE_MODULE", "gamelan"))

from . import cuda, testing  # noqa: E402, F401


def asnumpy(value):
    """The elements as a NumPy array."""
    return numpy.asarray(value)


def get_array_module(*values):
    """The module whose functions take these: NumPy for its own arrays only."""
    return numpy if all(type(value) is numpy.ndarray for value in values) else _under_test


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_under_test, name)
