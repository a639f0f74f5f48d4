# SPDX-License-Identifier: BSD-3-Clause
"""Gamelan: NumPy whose large arrays live on many MPI engines.

    import gamelan as np

Small arrays are NumPy arrays and are computed here; arrays of `np.config.distribute_from` elements or more
live on the engines, which start by themselves on first need. `np.sync()` waits for them, `np.stats()` counts.
"""

import importlib as _importlib
import os as _os
import sys as _sys
import threading as _threading
import warnings as _warnings

# Threads of NumPy's BLAS look for more work for 0.13 s after a call, on cores that engines need. These sleep after 2**20 cycles.
# (docs/decisions/052; gamelan_kernel/shell.py has the same)
_learns_late = "numpy" in _sys.modules and "OPENBLAS_THREAD_TIMEOUT" not in _os.environ
_os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")

import numpy as _numpy  # noqa: E402

from . import _requirements  # noqa: E402

_requirements.require_python(_os.path.dirname(__file__), _sys.executable)
_requirements.require_numpy(_numpy.__version__, _sys.executable)

try:
    from . import _core
except ImportError as _error:
    _told = _requirements.core_refusal(_error, _sys.executable)
    raise ImportError(_told, name="gamelan") from None

if _learns_late:
    _core.renew_blas_threads()
_core.set_package_directory(_os.path.dirname(_os.path.abspath(__file__)))

from . import _calls, _local, _other_libraries, _package, array_api  # noqa: E402, F401
from ._catalogue import *  # noqa: E402
from ._catalogue import __all__ as _names  # noqa: E402
from ._errors import MissingName as _MissingName  # noqa: E402
from ._ndarray import _class  # noqa: E402
from ._ufuncs._objects import PairUfunc as _PairUfunc  # noqa: E402
from ._version import VERSION as __version__  # noqa: E402

if hasattr(_numpy, "__array_namespace_info__"):  # NumPy 2 is itself a namespace of the array-API standard
    __array_api_version__ = array_api.__array_api_version__
    __array_namespace_info__ = array_api.__array_namespace_info__

__all__ = sorted({*_names, "array_api"} - {"lib", "linalg", "random"}) + ["linalg", "random"]


def _hold_calls_together():
    for kind, of_numpy in (
        (ndarray, "numpy.ndarray"),
        (DistributedArray, "numpy.ndarray"),
        (array_api.Array, "numpy.ndarray"),
        (array_api.LargeArray, "numpy.ndarray"),
        (ufunc, "numpy.ufunc"),
        (_PairUfunc, "numpy.ufunc"),
        (flatiter, "numpy.flatiter"),
        (random.Generator, "numpy.random.Generator"),
        (random.RandomState, "numpy.random.RandomState"),
        (type(r_), None),
        (type(mgrid), None),
    ):
        for each in kind.__mro__[:-1]:
            _calls.of_class(each, of_numpy)
    for module in (_sys.modules[__name__], linalg, fft, random, lib.stride_tricks):
        _calls.of_module(module, module.__name__.replace("gamelan", "numpy", 1))
    for module in (array_api, array_api.linalg, array_api.fft):
        _calls.of_module(module, None)


_hold_calls_together()
_class.add_methods_with_numpy()
_core.fill_operator_slots()


_package.public = _sys.modules[__name__]


def __getattr__(name):
    if name in ("ma", "polynomial", "testing", "typing"):  # NumPy's own: they take our arrays
        return _importlib.import_module(f"gamelan.{name}")
    if not name.startswith("_") and (name in vars(_numpy) or _is_found(name)):
        return _local.forwarded(_numpy, name, "")
    if name in getattr(_numpy, "__former_attrs__", ()):  # np.int: NumPy says what to write
        raise AttributeError(_numpy.__former_attrs__[name])
    if name in getattr(_numpy, "__expired_attributes__", ()):  # np.float_, too
        raise AttributeError(_refusal(name))
    raise _MissingName("gamelan", name)


# Names that NumPy is about to give up, or has given up. It warns of them, at a line of ours where we ask.
_WARNED = frozenset().union(
    *(getattr(_numpy, table, ()) for table in ("__future_scalars__", "__deprecated_attrs__", "__expired_functions__"))
)


def _refusal(name):
    """What NumPy says of a name that it has given up."""
    try:
        getattr(_numpy, name)
    except AttributeError as error:
        return str(error)


_warned_lock = _threading.Lock()


def _is_found(name):
    """Does NumPy find a name that it has not at hand? Of what it warns, we warn at the user's line."""
    if name not in _WARNED:
        return hasattr(_numpy, name)
    with _warned_lock, _warnings.catch_warnings(record=True) as told:  # which is the whole process's
        _warnings.simplefilter("always")
        is_there = hasattr(_numpy, name)
    for each in told:
        _core.warn(each.category, str(each.message))
    return is_there
