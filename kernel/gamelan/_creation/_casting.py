# SPDX-License-Identifier: BSD-3-Clause
"""Another dtype for the same elements: what `x.astype` does, here or on the engines."""

import numpy

from .. import _core
from .._arguments import flag
from .._float_errors import numpys_own
from .._gathering import here
from .._local import is_value, wrap_here
from .._promotion import OPS, dtype_number, is_supported


@numpys_own
def astype(array, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The array cast to another dtype; a copy unless `copy` is false and nothing changes.

    Lazy, but a small view of a distributed array is fetched for a dtype that the engines lack, which triggers evaluation.
    """
    if array._b is None:
        data = array._a
        result = data.astype(dtype, order, casting, copy=copy)
        return array if result is data else wrap_here(result)
    dtype, _ = numpy.dtype(dtype), flag(subok)
    if order != "K":
        numpy.empty(0).astype(float, order)  # for its error
    if not numpy.can_cast(array.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {array.dtype!r} to {dtype!r} according to the rule {casting!r}")
    if not copy and dtype == array.dtype:
        return array
    if not is_supported(dtype):
        result = here(array).astype(dtype, order, casting)
        return result[()] if is_value(array) else wrap_here(result)
    loop, result = dtype_number(array.dtype), dtype_number(dtype)
    if array.dtype.kind == "c":
        _core.warn_of_real_parts(loop, result)
    return _core.apply(OPS["copy"], loop, result, (array,), None)
