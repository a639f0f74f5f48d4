# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in of our own for the package cupy, on the path of its test suite only: the module under test, which
CONFORMANCE_MODULE names, under that name. What is CuPy's own (cupy.cuda, cupy._core) is not there; tests of it are not run."""
import importlib
import os

import numpy

_under_test = importlib.import_module(os.environ.get("CONFORMANCE_MODULE", "gamelan"))

from . import testing  # noqa: E402, F401


def asnumpy(value):
    """The elements as a NumPy array."""
    return numpy.asarray(value)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_under_test, name)
