# SPDX-License-Identifier: BSD-3-Clause
"""Loads a program written for `import numpy as np` (or one of its work-alikes) with another module in that place, and makes
its random numbers the same whatever the module: drawn by NumPy from a fixed seed."""

import contextlib
import importlib.util
import io
import re
import sys

import numpy

_IMPORT = re.compile(r"^(\s*)import (?:numpy|cupynumeric)( as (\w+))?\s*$", re.MULTILINE)


# Names that NumPy had when the programs were written.
OLD_NAMES = {"bool": bool, "int": int, "float": float, "complex": complex, "object": object}


class FixedRandom:
    """numpy.random of one seed, whose arrays are the module's."""

    def __init__(self, module):
        self._module, self._state = module, numpy.random.RandomState(1)

    def _ours(self, value):
        return self._module.asarray(value) if isinstance(value, numpy.ndarray) else value

    def seed(self, *_):
        """Starts anew from the one seed."""
        self._state = numpy.random.RandomState(1)

    def default_rng(self, *_):
        """This generator itself; RandomState and Generator name most draws alike."""
        return self

    RandomState = default_rng

    def random(self, size=None, dtype=None, out=None):
        """Numbers of [0, 1)."""
        value = self._ours(self._state.random_sample(size))
        return value if dtype is None else value.astype(dtype)

    def integers(self, *arguments, **keywords):
        """Whole numbers."""
        return self._ours(self._state.randint(*arguments, **keywords))

    def __getattr__(self, name):
        draw = getattr(self._state, name)
        return lambda *arguments, **keywords: self._ours(draw(*arguments, **keywords))


class Stand:
    """The module under test with random numbers that do not depend on it."""

    def __init__(self, module):
        self._module, self.random = module, FixedRandom(module)

    def __getattr__(self, name):
        return OLD_NAMES.get(name) or getattr(self._module, name)


def load(path, module):
    """The names of a source file executed with `module` in the place of numpy; its __name__ is not __main__."""
    text = _IMPORT.sub(lambda found: f"{found[1]}{found[3] or 'numpy'} = __module_under_test__", path.read_text())
    names = {"__module_under_test__": Stand(module), "__name__": path.stem, "__file__": str(path)}
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(text, str(path), "exec", dont_inherit=True), names)
    finally:
        sys.path.remove(str(path.parent))
    return names


def returned_locals(function, *arguments, **keywords):
    """The local variables of a function when it returned: programs that only tell their time leave their arrays there."""
    found = {}

    def watch(frame, event, _):
        if event == "return" and frame.f_code is function.__code__:
            found.update(frame.f_locals)

    sys.setprofile(watch)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*arguments, **keywords)
    finally:
        sys.setprofile(None)
    return found


def numeric(names):
    """Of many names those whose values are arrays or numbers, in order of the names."""
    import gamelan

    return [value for _, value in sorted(names.items())
            if isinstance(value, (numpy.ndarray, numpy.number, gamelan.ndarray, float, complex)) and not isinstance(value, bool)]  # fmt: skip


def stand_in(name, **members):
    """Puts a module of the given members where programs import it."""
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, None))
    vars(module).update(members)
    sys.modules[name] = module
    return module
