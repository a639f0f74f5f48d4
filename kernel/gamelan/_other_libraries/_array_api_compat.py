# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on the engines beside arrays in this process, for SciPy and scikit-learn where they compute by the array-API standard.

Both ask a copy of array-api-compat for the one namespace of all arrays of a call. It goes by classes: small arrays have
NumPy's, large ones have ours, and a call with both is refused ("Multiple namespaces"). What is large is a matter of size
here, and our functions take NumPy's arrays, so the namespace of such a call is ours. Decision 042."""

import numpy

from .._local import has_own_class, is_distributed
from ..array_api import Array
from ._imports import replace, when_imported


def is_of_the_standard(value):
    """True for arrays whose namespace is ours: those on the engines, and small ones that functions of the namespace have made."""
    return is_distributed(value) or type(value) is Array


def is_plain(value):
    """True for NumPy's arrays and numbers, of which our functions take any."""
    kind = type(value)
    if issubclass(kind, numpy.ndarray):
        return not has_own_class(value)
    return value is None or issubclass(kind, (numpy.generic, bool, int, float, complex))


def are_sizes_mixed(values):
    """True for arrays of the standard among such as our functions take: their namespace is ours."""
    return any(map(is_of_the_standard, values)) and all(is_of_the_standard(value) or is_plain(value) for value in values)


def _in_one_namespace(asked):
    def array_namespace(*xs, **keywords):
        if not are_sizes_mixed(xs):  # a third library's beside ours is refused, as ever
            return asked(*xs, **keywords)
        ours = next(filter(is_of_the_standard, xs))
        return ours.__array_namespace__(api_version=keywords.get("api_version"))

    return array_namespace


when_imported("array_api_compat.common._helpers", lambda helpers: replace(helpers, "array_namespace", _in_one_namespace))
