# SPDX-License-Identifier: BSD-3-Clause
# What other libraries are told: stand-ins of array-api-compat, numba and pyarrow, whose own are tried in tests/libraries.
import importlib
import sys
from types import ModuleType

import numpy
import pytest

import gamelan

HELPERS = """
import numpy

def array_namespace(*xs, api_version=None):
    found = []
    for x in xs:
        if issubclass(type(x), numpy.ndarray):
            found.append(numpy)
        elif hasattr(x, "__array_namespace__"):
            found.append(x.__array_namespace__(api_version=api_version))
        elif type(x) not in (int, float, type(None)):
            raise TypeError("no array")
    if any(each is not found[0] for each in found):
        raise TypeError("Multiple namespaces")
    return found[0]

get_namespace = array_namespace
"""
CONTEXT = """
class BaseContext:
    def _get_global_type(self, gv):
        return gv
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Makes a module of a name and imports it: what its code leaves."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def make(name, code):
        *parts, last = name.split(".")
        folder = tmp_path
        for part in parts:
            folder = folder / part
            folder.mkdir(exist_ok=True)
            (folder / "__init__.py").touch()
        (folder / f"{last}.py").write_text(code)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield make
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize("is_first", [True, False])
def test_small_and_large_arrays_have_one_namespace(mixed, library, is_first):
    if is_first:
        helpers = library("one_pretended.array_api_compat.common._helpers", HELPERS)
    else:  # imported before gamelan: the module is told what it would have been told
        helpers = library("one_pretended.helpers", HELPERS)
        user = library("one_pretended.user", "from .helpers import array_namespace as asked")
        ours = importlib.import_module("gamelan._other_libraries._array_api_compat")
        ours.replace(helpers, "array_namespace", ours._in_one_namespace)
        assert user.asked is helpers.array_namespace
    large, small, theirs = gamelan.zeros(20), gamelan.zeros(2), numpy.zeros(2)
    xp = gamelan.array_api
    for asked in (helpers.array_namespace, helpers.get_namespace):
        for arrays in (
            (large,),
            (large, small),
            (theirs, large),
            (large, 1.0, None),
            (xp.zeros(2), theirs),
            (xp.zeros(2), large),
        ):
            assert asked(*arrays) is xp
        assert asked(large, small, api_version="2022.12").__array_api_version__ == "2022.12"
        assert asked(small, theirs) is numpy and asked(theirs) is numpy

    class Theirs:
        def __array_namespace__(self, api_version=None):
            return self

    for refused in ((large, Theirs()), (Theirs(), small, large), (large, numpy.ma.zeros(2))):
        with pytest.raises(TypeError, match="Multiple"):
            helpers.array_namespace(*refused)


SKLEARN = """
def get_config():
    return {"array_api_dispatch": DISPATCHES}

def check_same_namespace(X, estimator, *, attribute, method):
    if type(X) is not type(getattr(estimator, attribute)):
        raise ValueError(f"{attribute} {method}")

def _single_array_device(array):
    return getattr(array, "device", None) if get_config()["array_api_dispatch"] else None
"""


@pytest.mark.parametrize("dispatches", [True, False])
def test_a_model_of_large_arrays_predicts_for_small_ones(mixed, library, dispatches):
    asked = library("five_pretended.sklearn.utils._array_api", SKLEARN.replace("DISPATCHES", str(dispatches)))
    large, small, theirs = gamelan.array_api.zeros(20), gamelan.zeros(2), numpy.zeros(2)

    class Model:
        coef_ = large

    for x in (large, small, theirs, gamelan.array_api.zeros(2)):
        asked.check_same_namespace(x, Model, attribute="coef_", method="predict")
        assert asked._single_array_device(x) == ("cpu" if dispatches else None)
    Model.coef_ = theirs
    asked.check_same_namespace(large, Model, attribute="coef_", method="predict")
    for x in ([1.0], numpy.ma.zeros(2)):
        with pytest.raises(ValueError, match="coef_ predict"):
            asked.check_same_namespace(x, Model, attribute="coef_", method="predict")
    assert asked._single_array_device([1.0]) is None


def test_numba_gets_numpys_functions_for_ours(engine, library):
    asked = library("two_pretended.numba.core.typing.context", CONTEXT).BaseContext()._get_global_type
    for ours, theirs in (
        (gamelan, numpy),
        (gamelan.linalg, numpy.linalg),
        (gamelan.sqrt, numpy.sqrt),
        (gamelan.zeros, numpy.zeros),
        (gamelan.linalg.norm, numpy.linalg.norm),
        (gamelan.arctan2, numpy.arctan2),
    ):
        assert asked(ours) is theirs
    for other in (gamelan.sync, numpy.sqrt, sys, len, 3, gamelan.array_api, gamelan.array_api.sqrt):
        assert asked(other) is other


def test_a_module_that_is_waited_for_is_found_as_ever(library):
    module = library("three_pretended.array_api_compat.common._helpers", "array_namespace = 3")
    assert module.array_namespace == 3 and module.__spec__.loader.get_source(module.__name__) == "array_namespace = 3"
    library("four_pretended.numba.core.typing.context", "")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("four_pretended.array_api_compat.common._helpers")


def test_pyarrow_gets_a_column(engine, monkeypatch):
    pyarrow = ModuleType("pyarrow")
    pyarrow.array = lambda data, type: (data, type)
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow)
    data, kind = gamelan.arange(5).__arrow_array__(type="int64")
    assert type(data) is numpy.ndarray and data.tolist() == [0, 1, 2, 3, 4] and kind == "int64"
    with gamelan.options(distribute_from=100):
        assert not hasattr(gamelan.arange(5), "__arrow_array__")  # an array of NumPy's, which pyarrow takes, also with a mask


def test_what_numpy_makes_to_be_filled_is_here(engine):
    x = gamelan.arange(12.0).reshape(3, 4)
    for made, like in (
        (numpy.empty_like(x), numpy.empty((3, 4))),
        (numpy.empty_like(x.T), numpy.empty((3, 4)).T),
        (numpy.empty_like(x, dtype="i4"), numpy.empty((3, 4), "i4")),
        (numpy.empty_like(x, order="F"), numpy.empty((3, 4), order="F")),
    ):
        assert type(made) is numpy.ndarray and made.flags.writeable
        assert (made.shape, made.dtype, made.strides) == (like.shape, like.dtype, like.strides)
    out = numpy.empty_like(x)
    out[1:] = x[1:] * 2
    out[0] = numpy.add(x, 1)[0]
    numpy.multiply(out, x, out=out)
    expected = numpy.arange(12.0).reshape(3, 4)
    assert out.tolist() == (numpy.vstack([expected[:1] + 1, expected[1:] * 2]) * expected).tolist()
    assert gamelan.empty_like(x).is_distributed and numpy.zeros_like(x).is_distributed
    assert numpy.empty_like(x, shape=(2, 2)).shape == (2, 2)
    with gamelan.options(gather_limit=4):
        assert numpy.empty_like(x).is_distributed
