# SPDX-License-Identifier: BSD-3-Clause
"""`gamelan.asarray` and `gamelan.asanyarray`: of NumPy's arrays that have a class of their own (masked arrays, matrices) the
first makes arrays of ours, and the second nothing; `like=`. What the package itself computes with is `_from_data.asarray`."""

import functools

import numpy

from .._arguments import check_device
from .._local import call_numpy, decides_functions, has_own_class
from . import _from_data

__all__ = ["asarray", "asanyarray"]


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The argument as an array; an array is returned itself.

    Shares memory with a small NumPy array. A large one is copied to the engines. Lazy when the argument is a distributed array.
    """
    check_device(device)
    a = numpy.asarray(a) if has_own_class(a) else a
    if copy is not None:
        return _from_data.array(a, dtype, copy=bool(copy) or numpy._CopyMode.NEVER, order=order or "K")
    return _from_data.asarray(a, dtype, order)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The argument as an array; objects of subclasses of numpy.ndarray are returned as they are.

    Shares memory with a small NumPy array. A large one is copied to the engines. Lazy when the argument is a distributed array.
    """
    check_device(device)
    if copy is not None:
        return _from_data.array(a, dtype, copy=bool(copy) or numpy._CopyMode.NEVER, order=order or "K", subok=True)
    return numpy.asanyarray(a, dtype, order) if has_own_class(a) else _from_data.asarray(a, dtype, order)


def follows_like(create):
    """The function that makes arrays; like another library's array it makes that library's, which NumPy asks (NEP 35)."""
    theirs = getattr(numpy, create.__name__)

    @functools.wraps(create)
    def function(*arguments, **keywords):
        if keywords and decides_functions(keywords.get("like")):
            return call_numpy(theirs, create.__name__, arguments, keywords)
        return create(*arguments, **keywords)

    function.__module__ = "gamelan"  # where pickles find it
    return function
