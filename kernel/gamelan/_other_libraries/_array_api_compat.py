# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on the engines beside arrays in this process, for SciPy and scikit-learn where they compute by the array-API standard.

Both ask a copy of array-api-compat for the one namespace of all arrays of a call. It goes by classes: small arrays have
NumPy's, large ones have ours, and a call with both is refused ("Multiple namespaces"). What is large is a matter of size
here, and our functions take NumPy's arrays, so the namespace of such a call is ours. Decision 042."""

import functools
import sys

import numpy

from .._local import has_own_class, is_distributed
from ..array_api import Array
from ._imports import when_imported


def _is_of_the_standard(value):
    return is_distributed(value) or type(value) is Array


def _is_plain(value):
    """True for NumPy's arrays and numbers, of which our functions take any."""
    kind = type(value)
    if issubclass(kind, numpy.ndarray):
        return not has_own_class(value)
    return value is None or issubclass(kind, (numpy.generic, bool, int, float, complex))


def _let_sizes_mix(helpers):
    asked = getattr(helpers, "array_namespace", None)
    if not callable(asked) or hasattr(asked, "_gamelan"):
        return

    @functools.wraps(asked)
    def array_namespace(*xs, **keywords):
        ours = next(filter(_is_of_the_standard, xs), None)
        if ours is None or not all(_is_of_the_standard(x) or _is_plain(x) for x in xs):  # a third library's is refused, as ever
            return asked(*xs, **keywords)
        return ours.__array_namespace__(api_version=keywords.get("api_version"))

    array_namespace._gamelan = True
    package = helpers.__name__.partition(".")[0]
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != package or module is None:
            continue
        for each, value in list(vars(module).items()):
            if value is asked:
                setattr(module, each, array_namespace)


when_imported("array_api_compat.common._helpers", _let_sizes_mix)
