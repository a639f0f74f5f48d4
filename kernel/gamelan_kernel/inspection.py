# SPDX-License-Identifier: BSD-3-Clause
"""What `np.sort?` and Shift-Tab show: functions of gamelan as functions, universal functions as NumPy's.

They are objects of its own classes (`_core.Call`, `_core.Operator`, `ufunc`), of which IPython would show the class.
Nothing here imports gamelan.
"""

import functools
import sys

from IPython.core.oinspect import Inspector as InspectorOfIPython


class Inspector(InspectorOfIPython):
    """IPython's, for objects of gamelan, too."""

    def _get_info(self, obj, *arguments, **keywords):
        return super()._get_info(_as_function(obj), *arguments, **keywords)

    def info(self, obj, *arguments, **keywords):
        found = super().info(_as_function(obj), *arguments, **keywords)
        ufunc = getattr(sys.modules.get("gamelan"), "ufunc", None)
        if ufunc is not None and isinstance(obj, ufunc):
            found.update(type_name="ufunc", class_docstring=None, call_def=None)
        return found


def _as_function(value):
    """A function with the name, the docstring and the source of a function of gamelan; other objects as they are."""
    core = sys.modules.get("gamelan._core")
    if core is None or not isinstance(value, (core.Call, core.Operator)):
        return value
    return functools.wraps(value)(lambda: None)
