# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions that only engines can cause, and the factory that `_core` raises through.

An error of NumPy's kind keeps NumPy's class; the classes here are for what NumPy cannot run into.
"""

import builtins
import re
import sys

import numpy

from . import _core
from ._places import place

__all__ = [
    "ArrayLostError",
    "CancelledError",
    "EngineLostError",
    "EngineTimeoutError",
    "GamelanError",
    "InternalError",
    "ProtocolError",
    "VersionError",
]


class GamelanError(RuntimeError):
    """Base of the errors that NumPy has no class for."""


class EngineLostError(GamelanError):
    """The engines are gone, and no others could compute their arrays again. The notebook goes on."""


class EngineTimeoutError(GamelanError, TimeoutError):
    """The engines did not answer in time."""


class VersionError(GamelanError):
    """The engines were built from another version of Gamelan."""


class ProtocolError(GamelanError):
    """The engines did not understand a message."""


class CancelledError(GamelanError):
    """The value was still to be computed when its cell was interrupted."""


class ArrayLostError(GamelanError):
    """The engines hold this array no longer: who computed it has left it, or computes it anew."""


class InternalError(GamelanError):
    """A defect of Gamelan itself: please report it."""


class NotImplementedName(NotImplementedError, AttributeError):
    """A NumPy name that Gamelan does not have; `hasattr` sees it as absent. Shown to the user as NotImplementedError."""


class NotImplementedDtype(NotImplementedError, TypeError):
    """A dtype that only NumPy has; a TypeError, too, for code that asks whether a dtype is possible. Shown as
    NotImplementedError."""


class MissingName(AttributeError):
    """A name that neither this module nor NumPy's has, with the one that may be meant. Shown as AttributeError."""

    def __init__(self, module, name):
        # Without an object Python seeks no suggestion of its own.
        super().__init__(f"module {module!r} has no attribute {name!r}", name=name, obj=None)
        self.module = module

    def __str__(self):
        import difflib  # start-up time: only a wrong name needs it

        near = difflib.get_close_matches(self.name, _public_names(self.module), n=1, cutoff=0.75)
        return f"{self.args[0]}{near and f'. Did you mean: {near[0]!r}?' or ''}"

    def __reduce__(self):
        return AttributeError, (str(self),)


def _public_names(module):
    names = dir(sys.modules.get(module)) + dir(sys.modules.get(module.replace("gamelan", "numpy", 1)))
    return sorted({name for name in names if not name.startswith("_")})


for _class, _shown in (
    (NotImplementedName, "NotImplementedError"),
    (NotImplementedDtype, "NotImplementedError"),
    (MissingName, "AttributeError"),
):
    _class.__name__ = _class.__qualname__ = _shown
    _class.__module__ = "builtins"

_CLASSES = {
    "EngineLostError": EngineLostError,
    "EngineTimeoutError": EngineTimeoutError,
    "VersionError": VersionError,
    "ProtocolError": ProtocolError,
    "CancelledError": CancelledError,
    "ArrayLostError": ArrayLostError,
    "InternalError": InternalError,
    "LinAlgError": numpy.linalg.LinAlgError,
}


def make_error(kind, message, file, line):
    """Build the exception of class name `kind`; `file` and `line` say where the command was recorded."""
    error_class = _CLASSES.get(kind) or getattr(builtins, kind, InternalError)
    number = re.match(r"(.*)\[Errno (\d+)\] (.*)", message) if kind == "OSError" else None
    if number:  # the system's class of it: FileNotFoundError, PermissionError, ...
        error = OSError(int(number[2]), number[1] + number[3])
        error.file, error.line = file, line
        return error
    if error_class is CancelledError:
        message = _lost(message, file, line)
    elif file:
        where = place(file, line)
        message = f"{message} (recorded at {where if where.startswith('In [') else f'{file}:{line}'})"
    error = error_class(message)
    error.file, error.line = file, line  # a notebook shows that line instead of the one that waited
    return error


def _lost(message, file, line):
    """What an interrupt has cost, and the way out."""
    where = place(file, line)
    return f"{message}{where and f' ({where})'}. Run again what made it; `np.sync()` in a loop keeps intermediate values."


def _tell_cut(file, line):
    """A second interrupt has ended what the first one had left running: where the arrays stand. It may be told in a later cell,
    when the engines have come to the end of a step, or others have taken their place."""
    where = f"arrays stand where {place(file, line)} begins; what it and later lines compute is lost"
    print(f"gamelan: after a second interrupt {where}", file=sys.stderr, flush=True)


def unimplemented(what, hint=""):
    """The exception for something NumPy has and distributed arrays do not have yet."""
    return NotImplementedError(f"gamelan.{what} is not implemented yet for distributed arrays{hint and ': ' + hint}")


def _kind(dtype):
    """A dtype as people call it: text (<U5), datetime64[D], object."""
    dtype = numpy.dtype(dtype)
    if dtype.names is not None:
        return f"structured ({dtype})"
    kind = {"U": "text", "S": "bytes"}.get(dtype.kind)
    if kind:
        return f"{kind} ({dtype.str})" if dtype.itemsize else kind
    return dtype.name if dtype.isnative else f"{dtype.name} ({dtype.str}, not of this machine's byte order)"


def unsupported_dtype(dtype):
    """The exception for a dtype that the engines do not hold; called by `_core`, too."""
    return NotImplementedDtype(
        f"operations of {_kind(dtype)} values with a distributed array are not supported: the engines hold bool, integer, float "
        "and complex numbers of at most 16 bytes. `numpy.asarray(x)` brings the distributed array here."
    )


_core.set_error_factory(make_error)
_core.set_cut_hook(_tell_cut)
