# SPDX-License-Identifier: BSD-3-Clause
"""`np.sqrt` in a function that numba compiles, where `np` is gamelan.

Numba knows NumPy's modules and functions by identity. Compiled code sees the memory of this process only, where what it calls
`gamelan.sqrt` is NumPy's: that is what numba gets in its place."""

import functools
import sys
from types import ModuleType

from ._imports import when_imported


def _numpys(value):
    """What NumPy has where gamelan has a module or a function; any other object, and what is gamelan's alone, as it is."""
    if isinstance(value, ModuleType):
        package, dot, rest = value.__name__.partition(".")
        return sys.modules.get(f"numpy{dot}{rest}", value) if package == "gamelan" else value
    package, dot, rest = (getattr(value, "__module__", None) or "").partition(".")
    if package != "gamelan" or not callable(value):
        return value
    public = "" if rest.partition(".")[0] not in ("linalg", "fft", "random") else f".{rest.partition('.')[0]}"
    ours, theirs = (sys.modules.get(f"{name}{public}") for name in ("gamelan", "numpy"))
    name = getattr(value, "__name__", "")
    return getattr(theirs, name, value) if getattr(ours, name, None) is value else value


def _know_gamelan(context):
    asked = getattr(getattr(context, "BaseContext", None), "_get_global_type", None)
    if asked is None:  # another numba than those that were tried
        return

    @functools.wraps(asked)
    def _get_global_type(self, gv):
        return asked(self, _numpys(gv))

    context.BaseContext._get_global_type = _get_global_type


when_imported("numba.core.typing.context", _know_gamelan)
