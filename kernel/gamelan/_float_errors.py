# SPDX-License-Identifier: BSD-3-Clause
"""Floating-point errors that the engines have met, told as NumPy tells its own: a RuntimeWarning at the line that recorded the
operation, FloatingPointError, a call, a print or a line of a log, as `numpy.seterr` said when that line ran. Only what a user
asked for by NumPy's name is told (`numpys_own`): an average divides for reasons of its own."""

import sys
import warnings

import numpy

from . import _core
from ._errors import make_error
from ._imported_numpy import float_settings

# Bits of a kind, NumPy's words for it, and where its treatment stands in a mask, as NumPy 1 has it.
_KINDS = ((1, "divide by zero", 0), (2, "overflow", 3), (4, "underflow", 6), (8, "invalid value", 9))
_IGNORE, _WARN, _RAISE, _CALL, _PRINT, _LOG = range(6)
_TREATMENTS = ("ignore", "warn", "raise", "call", "print", "log")


def numpys_own(function):
    """Marks a function that records what NumPy's function of that name computes and nothing else: its errors are the
    user's. Returns the function."""
    _core.add_numpys_own(function.__code__)
    return function


def tell(kinds, operation, other, mask, callback, file, line, namespace):
    """Tell what `operation` has met in a line of the user's, or, where that could not be said, it or one up to `other`."""
    where = operation if other is None else f"{operation} to {other}"
    for bit, words, shift in _KINDS:
        treatment = mask >> shift & 7
        if not kinds & bit or treatment == _IGNORE:
            continue
        message = f"{words} encountered in {where}"
        if treatment == _WARN:
            _warn(message, file, line, namespace)
        elif treatment == _RAISE:
            raise make_error("FloatingPointError", message, file, line)
        elif treatment == _PRINT:
            print(f"Warning: {message}", file=sys.__stderr__)
        elif callback is None:
            raise NameError(f"python callback specified for {words} (in  {where}) but no function found.")
        elif treatment == _CALL:
            callback(words, kinds)
        else:
            callback.write(f"Warning: {message}\n")


_warned = {}  # by module and file: what its lines have warned of


def forget_warnings():
    """The lines of a cell that runs again warn again."""
    _warned.clear()


def _warn(message, file, line, namespace):
    """A warning as if that line had given it itself: once, unless a filter says otherwise. Where Python notes that in the
    names of the module, we note it here: whoever reads a value may be going through these names."""
    module = namespace.get("__name__") or "<string>"  # as Python calls code whose names have no module
    registry = namespace.get("__warningregistry__")
    if registry is None:
        registry = _warned.setdefault((module, file), {})
    warnings.warn_explicit(message, RuntimeWarning, file, line, module, registry)


def _settings():
    """The mask and the callback that numpy.seterr and numpy.seterrcall have set."""
    treatments = numpy.geterr()
    kinds = ("divide", "over", "under", "invalid")
    mask = sum(_TREATMENTS.index(treatments[kind]) << shift for kind, (_, _, shift) in zip(kinds, _KINDS))
    return mask, numpy.geterrcall()


_core.set_float_error_hook(tell)
if float_settings is not None:
    _core.set_float_settings(float_settings, _settings)
