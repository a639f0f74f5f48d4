# SPDX-License-Identifier: BSD-3-Clause
"""x.flags of a distributed array, and whether a read-only array may be written again. NumPy would ask the memory behind a
proxy, of which there is none; its rule is said here."""

import numpy

from . import _core
from ._errors import unimplemented

_OWN_DATA = 4  # NumPy's bit


class Flags:
    """What NumPy's `flags` are: facts of the moment at which they were asked for; `writeable` can be set."""

    __slots__ = ("_array", "_flags", "owndata")

    def __init__(self, array):
        for name, value in (
            ("_array", array),
            ("_flags", array._a.flags),
            ("owndata", not isinstance(array._a.base, numpy.ndarray)),
        ):
            object.__setattr__(self, name, value)

    num = property(lambda self: self._flags.num | _OWN_DATA * self.owndata)

    def __getattr__(self, name):
        return getattr(self._flags, name)

    def __setattr__(self, name, value):
        if name == "writeable":
            self._array.setflags(write=bool(value))
        else:
            setattr(self._flags, name, value)

    def __delattr__(self, name):
        delattr(self._flags, name)  # NumPy's refusal

    def __getitem__(self, key):
        return self.owndata if key in ("OWNDATA", "O") else self._flags[key]

    def __setitem__(self, key, value):
        if key in ("WRITEABLE", "W"):
            self.writeable = value
        else:
            self._flags[key] = value

    def __eq__(self, other):
        return isinstance(other, Flags) and self.num == other.num

    __hash__ = None

    def __dir__(self):
        return dir(self._flags)

    def __repr__(self):
        return repr(self._flags).replace("OWNDATA : False", f"OWNDATA : {self.owndata}")


def overlaps_itself(view):
    """True unless each axis steps over all that the axes before it, ordered by step, can reach."""
    reach = view.itemsize
    for stride, extent in sorted((abs(stride), extent) for stride, extent in zip(view.strides, view.shape) if extent > 1):
        if stride < reach:
            return True
        reach = stride * (extent - 1) + reach
    return False


def make_writeable(array):
    """Lets a distributed array be written again: one that owns its elements, or a view of one that can be written."""
    proxy = array._a
    if proxy.flags.writeable:
        return
    if isinstance(proxy.base, numpy.ndarray) and not _has_writeable_base(proxy):
        raise ValueError("cannot set WRITEABLE flag to True of this array")
    if overlaps_itself(proxy):
        raise unimplemented("ndarray.setflags(write=True) of a view whose elements overlap", "x.copy() can be written")
    _core.make_writeable(array)


def _has_writeable_base(proxy):
    while isinstance(proxy.base, numpy.ndarray):
        proxy = proxy.base
        if proxy.flags.writeable:
            return True
    return False
