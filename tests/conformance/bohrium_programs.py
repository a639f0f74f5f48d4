# SPDX-License-Identifier: BSD-3-Clause
"""Runs the pairs of commands of Bohrium's own tests (`test/python` of a checkout of bh107/bohrium) on numpy and on gamelan.

    python bohrium_programs.py DIRECTORY [--ranks 3] [--require 7000]

Their modules are loaded from the checkout; what they call `bh` is a stand-in of ours: the module under test, with a random
state that draws the same numbers for both. Commands of Bohrium's own interface fail with NumPy too and do not count.
"""

import contextlib
import importlib.util
import io
import random
import sys
import types

import numpy

import programs

_SKIPPED = {
    "test_ext_blas",
    "test_ext_lapack",
    "test_ext_opencv",
    "test_user_kernel",
    "test_nobh",
    "test_common_imports",
    "test_linalg_tdma",
}


class RandomState:
    """Draws by NumPy; the array is the module's when `bohrium` is asked for."""

    def __init__(self, module, seed):
        self._module, self._state = module, numpy.random.RandomState(seed)

    def _give(self, values, dtype, bohrium):
        values = numpy.asarray(values) if dtype is None else numpy.asarray(values).astype(dtype)
        return self._module.asarray(values) if bohrium else values

    def random_of_dtype(self, dtype, shape=None, bohrium=True):
        """Numbers of any dtype: truth values, whole numbers up to 10, or of [0, 1)."""
        kind = numpy.dtype(dtype).kind
        if kind == "b":
            values = self._state.randint(0, 2, shape)
        elif kind in "iu":
            values = self._state.randint(0, 10, shape)
        else:
            values = self._state.random_sample(shape)
            if kind == "c":
                values = values + 1j * self._state.random_sample(shape)
        return self._give(values, dtype, bohrium)

    def random(self, shape=None, dtype=None, bohrium=True):
        """Numbers of [0, 1)."""
        return self.random_of_dtype(numpy.float64 if dtype is None else dtype, shape, bohrium)

    def random_integers(self, low, high=None, size=None, dtype=None, bohrium=True):
        """Whole numbers, both ends included."""
        low, high = (1, low) if high is None else (low, high)
        return self._give(self._state.randint(low, high + 1, size), dtype, bohrium)

    def __getattr__(self, name):
        draw = getattr(self._state, name)

        def function(*arguments, dtype=None, bohrium=True, **keywords):
            return self._give(draw(*arguments, **keywords), dtype, bohrium)

        return function


class StandIn:
    """What a command calls `bh` or M: the module, plus Bohrium's random state."""

    def __init__(self, module):
        self._module = module
        self.random = types.SimpleNamespace(RandomState=lambda seed=None: RandomState(module, seed))

    def __getattr__(self, name):
        return getattr(self._module, {"bool": "bool_", "float": "float_", "complex": "complex_", "int": "int_"}.get(name, name))


def _facts():
    """What the tests ask Bohrium about its operations and dtypes, told of NumPy's ufuncs."""
    letters = {numpy.dtype(name).char: name for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                                         "uint64", "float32", "float64", "complex64", "complex128")}  # fmt: skip
    operations = {}
    for name in sorted(dir(numpy)):
        ufunc = getattr(numpy, name)
        if (
            isinstance(ufunc, numpy.ufunc)
            and ufunc.nout == 1
            and ufunc.nin <= 2
            and ufunc.signature is None
            and ufunc.__name__ == name
        ):
            loops = [loop.replace("->", "") for loop in ufunc.types]
            signatures = [[letters[each] for each in loop[-1] + loop[:-1]] for loop in loops if set(loop) <= set(letters)]
            operations[name] = {"name": name, "elementwise": True, "nop": ufunc.nin + 1, "type_sig": signatures}
    return types.SimpleNamespace(op=operations, numpy_types=lambda: list(map(numpy.dtype, letters.values())))


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _program(commands):
    theirs, ours = (commands, commands) if isinstance(commands, str) else commands[:2]

    def result_of(text, module):
        names = {"np": StandIn(numpy), "bh": StandIn(module)}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(text, names)
        return names["res"]

    def program(module):
        result = result_of(
            ours.replace("M", "bh").replace("BH", "True"), module
        )  # fails with NumPy when it is Bohrium's own interface
        return result_of(theirs.replace("M", "np").replace("BH", "False"), numpy) if module is numpy else result

    return program


def suite(directory):
    """(name, program) of every command their tests make; what they draw at random depends on a fixed seed."""
    sys.path.insert(0, str(directory / "test" / "python"))
    sys.modules.setdefault("bohrium", types.ModuleType("bohrium"))
    api = sys.modules.setdefault("bohrium_api", types.ModuleType("bohrium_api"))
    api._info = _facts()
    numpy.random.seed(1)
    random.seed(1)
    for path in sorted((directory / "test" / "python" / "tests").glob("test_*.py")):
        if path.stem in _SKIPPED:
            continue
        try:
            module = _load(path)
        except Exception as error:
            print(f"{path.name} cannot be loaded: {error}")
            continue
        for class_name in (name for name in dir(module) if name.startswith("test_")):
            instance = getattr(module, class_name)()
            for method in (name for name in dir(instance) if name.startswith("test_")):
                for number, argument in enumerate(instance.init()):
                    yield f"{path.stem}/{class_name[5:]}/{method[5:]}/{number}", _program(getattr(instance, method)(argument))


if __name__ == "__main__":
    sys.exit(programs.main("bohrium", suite, relative=1e-5))
