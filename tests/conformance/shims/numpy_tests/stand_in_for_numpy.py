# SPDX-License-Identifier: BSD-3-Clause
"""A pytest plugin that lets NumPy's own test files import gamelan where they say numpy, and writes down what becomes of each
test at once, so that a crash loses one test and not the file.

CONFORMANCE_MODULE names what they import: gamelan, or numpy itself. Their imports alone are changed: NumPy's modules
and ours see the real NumPy. A public name is ours wherever NumPy has it (numpy.core.numeric.ones is gamelan.ones), a private one
is NumPy's. What assertions of numpy.testing compare comes here first: they judge results, they are not tested."""

import builtins
import functools
import importlib
import importlib.util
import json
import os
import pathlib
import sys
import types

import numpy
import numpy.testing
import pytest


# Modules of NumPy's that gamelan has, and where.
_NAMES = {"numpy": "", "numpy.linalg": "linalg", "numpy.fft": "fft", "numpy.random": "random", "numpy.lib.stride_tricks": "lib.stride_tricks",
          "numpy.ma": "ma", "numpy.core.defchararray": "char", "numpy.core.records": "rec", "numpy.lib.scimath": "emath"}  # fmt: skip
_UNLISTED = {"numpy.lib.stride_tricks": ("as_strided", "sliding_window_view")}  # public, though not in __all__
_JUDGES = ("numpy.testing", "numpy.ma.testutils")
_KINDS = (types.FunctionType, types.BuiltinFunctionType, type, numpy.ufunc)


def _ours(name):
    """The module of gamelan that stands for one of NumPy's."""
    import gamelan

    return functools.reduce(getattr, filter(None, _NAMES[name].split(".")), gamelan)


def _plain(value):
    """A value with our arrays as NumPy's, and what stands for a scalar as one."""
    from gamelan import _core, _local

    if _core.is_ours(value):
        data = numpy.asarray(value)
        return data[()] if _local.is_value(value) else data
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    if type(value) is dict:
        return {key: _plain(item) for key, item in value.items()}
    return value


def _judging(assertion):
    @functools.wraps(assertion)
    def wrapper(*arguments, **keywords):
        if arguments and callable(arguments[0]):  # it calls a function, of which arrays are the arguments
            return assertion(*arguments, **keywords)
        return assertion(*map(_plain, arguments), **{key: _plain(value) for key, value in keywords.items()})

    return wrapper


def _is_public(theirs, name):
    """True for a name that a user may take from one of these modules."""
    return not name.startswith("_") and (theirs is numpy or name in theirs.__all__ or name in _UNLISTED.get(theirs.__name__, ()))


@functools.lru_cache(None)
def _twins():
    """id of a public function or class of NumPy's -> where users find it."""
    found = {}
    for name in _NAMES:
        theirs = importlib.import_module(name)
        for each in dir(theirs):
            value = getattr(theirs, each)
            if _is_public(theirs, each) and isinstance(value, _KINDS):
                found.setdefault(id(value), (name, each))
    return found


def _twin(value, module, name):
    """What gamelan has in the place of something of NumPy's; NumPy's own where gamelan says that it has none."""
    ours = getattr(_ours(module), name, value)
    # Classes of tests keep functions as attributes. A builtin is no method there, nor is a ufunc.
    is_method = hasattr(type(ours), "__get__") and not isinstance(ours, type) and not isinstance(value, types.FunctionType)
    return _unbound(ours) if is_method else ours


@functools.lru_cache(None)
def _unbound(function):
    """The same one each time, with the function's name."""
    return functools.update_wrapper(functools.partial(function), function)


class Stand(types.ModuleType):
    """A module of NumPy's as its tests see it."""

    def __init__(self, theirs):
        super().__init__(theirs.__name__)
        self._theirs, self.__path__, self.__file__ = theirs, getattr(theirs, "__path__", []), getattr(theirs, "__file__", None)

    @property
    def __dict__(self):
        return {name: getattr(self, name, theirs) for name, theirs in vars(self._theirs).items() if not name.startswith("__")}

    def __dir__(self):
        return dir(self._theirs)

    def __getattr__(self, name):
        theirs, module = self._theirs, self.__name__
        value = getattr(theirs, name)
        if name.startswith("__"):
            return value
        if isinstance(value, types.ModuleType):
            return stand(value) if value.__name__.split(".")[0] == "numpy" else value
        if module in _JUDGES:
            return _judging(value) if name.startswith("assert_") else value
        if module in _NAMES and _is_public(theirs, name):
            return _twin(value, module, name)
        return _twin(value, *_twins()[id(value)]) if isinstance(value, _KINDS) and id(value) in _twins() else value


@functools.lru_cache(None)
def stand(theirs):
    """The stand-in for a module, the same at every import."""
    return Stand(theirs)


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    """`import` in NumPy's test files."""
    if level or name.split(".")[0] != "numpy":
        return builtins.__import__(name, globals, locals, fromlist, level)
    theirs = importlib.import_module(name)
    for each in fromlist or ():
        if not hasattr(theirs, each):
            importlib.import_module(f"{name}.{each}")
    return stand(theirs if fromlist else numpy)


def _is_of_its_class(result, operand):
    """A result is of its operand's class. Arrays of ours have two, and are plain arrays."""
    from gamelan import _core

    given = operand if isinstance(operand, numpy.ndarray) else numpy.empty(0)
    kinds = [numpy.ndarray if _core.is_ours(each) else type(each) for each in (result, given)]
    return kinds[0] is kinds[1]


class _Loader:
    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
        self._loader.exec_module(module)
        if hasattr(module, "consistent_subclass"):  # a judge of numpy.linalg's tests, which looks at the very class
            module.consistent_subclass = _is_of_its_class


class _Finder:
    """Finds NumPy's test files as everybody does, and changes their `import`."""

    def __init__(self):
        self._is_busy = False

    def find_spec(self, name, path=None, target=None):
        if self._is_busy or not name.startswith("numpy.") or ".tests.test_" not in name:
            return None
        self._is_busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._is_busy = False
        if spec is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class Journal:
    """What became of each test, a line of JSON as it begins and one as it ends. A test is named by its function and its place
    among the cases of this function, because the names of cases are made of their values."""

    def __init__(self, path, done):
        self._file, self._done, self._keys = path.open("a"), done, {}

    def _write(self, **line):
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        counts, kept = {}, []
        for item in items:
            name = item.nodeid.split("::", 1)[1].split("[")[0]
            counts[name] = counts.get(name, -1) + 1
            key = f"{name}[{counts[name]}]" if "[" in item.nodeid else name
            if key not in self._done:
                self._keys[item.nodeid] = key
                kept.append(item)
        items[:] = kept

    def pytest_runtest_logstart(self, nodeid):
        self._write(begins=self._keys[nodeid], case=nodeid.split("::", 1)[1])

    def pytest_collectreport(self, report):
        if report.failed:
            self._write(ends="the file itself", outcome=_message(report))

    def pytest_runtest_logreport(self, report):
        outcome = "passed" if report.passed else "skipped" if report.skipped else _message(report)
        if report.when == "call" or not report.passed:
            self._write(ends=self._keys[report.nodeid], outcome=outcome, seconds=round(report.duration, 3))


def _message(report):
    """The error of a failed test in one line, and the line of the test at fault."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return str(report.longrepr)[-300:]
    places = [
        entry.reprfileloc
        for entry in getattr(report.longrepr.reprtraceback, "reprentries", [])
        if getattr(entry, "reprfileloc", None)
    ]
    line = next((place.lineno for place in reversed(places) if "/tests/test_" in str(place.path)), 0)
    return f"{crash.message.strip()[:400]} (line {line})".replace("\n", " ")


def pytest_configure(config):
    """Changes imports when gamelan is tested."""
    done = pathlib.Path(os.environ["CONFORMANCE_DONE"])
    journal = Journal(
        pathlib.Path(os.environ["CONFORMANCE_JOURNAL"]), set(done.read_text().splitlines()) if done.exists() else set()
    )
    config.pluginmanager.register(journal)
    if os.environ["CONFORMANCE_MODULE"] == "gamelan":
        sys.meta_path.insert(0, _Finder())


def pytest_collection_finish():
    """Files make arrays of every dtype as they are imported: these are small. Tests make distributed ones."""
    if os.environ["CONFORMANCE_MODULE"] == "gamelan":
        import gamelan

        gamelan.config.distribute_from = int(os.environ["CONFORMANCE_FROM"])
