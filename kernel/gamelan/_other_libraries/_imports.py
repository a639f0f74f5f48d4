# SPDX-License-Identifier: BSD-3-Clause
"""Calling a function for a module of another library: at once if it is imported, else when it is. Nothing is imported for it."""

import functools
import sys
from importlib.abc import MetaPathFinder

_WAITING = {}  # how the module's name ends: the function


def when_imported(end, tell):
    """Calls a function with each module that has a name.

    Parameters
    ----------
    end : str
        The name, or its end: libraries carry copies of others.
    tell : callable
        Gets the module, whose code has run, before those who import it do.
    """
    _WAITING[end] = tell
    for name, module in list(sys.modules.items()):
        if name.endswith(end) and module is not None:
            tell(module)


def replace(module, name, around):
    """Puts a function around one of another library's, also where modules of its package have imported it by name. Nothing
    happens where there is none of that name, or where it has been done.

    Parameters
    ----------
    module : module
        Has the function.
    name : str
        Its name.
    around : callable
        Makes the new function of the old one.
    """
    asked = getattr(module, name, None)
    if not callable(asked) or hasattr(asked, "_gamelan"):
        return
    new = functools.wraps(asked)(around(asked))
    new._gamelan = True
    package = module.__name__.partition(".")[0]
    for other_name, other in list(sys.modules.items()):
        if other is None or other_name.partition(".")[0] != package:
            continue
        for each, value in list(vars(other).items()):
            if value is asked:
                setattr(other, each, new)


class _Finder(MetaPathFinder):
    """Finds what the others find, and adds to the loading of the modules that are waited for."""

    def find_spec(self, name, path=None, target=None):
        tell = next((tell for end, tell in _WAITING.items() if name.endswith(end)), None)
        if tell is None:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(name, path, target)
            if spec is not None:
                _tell_after_loading(spec.loader, tell)
                return spec
        return None


def _tell_after_loading(loader, tell):
    execute = getattr(loader, "exec_module", None)
    if execute is None:
        return

    def exec_module(module):
        execute(module)
        tell(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:  # a loader that takes no attributes: the library is left as it is
        pass


sys.meta_path.insert(0, _Finder())
