# SPDX-License-Identifier: BSD-3-Clause
"""The choice between two operands by a condition, element by element: what `where` does with three arguments. Its form with
one is an index, and stands in _indexing/_where.py."""

import numpy

from .. import _core
from .._errors import unsupported_dtype
from .._local import call_numpy, has_distributed, is_distributed
from .._promotion import OPS


def either(condition, x, y):
    """Elements of x where the condition holds, else of y."""
    result = _core.evaluate(OPS["where"], condition, x, y)
    if result is NotImplemented:  # texts, dates, objects
        if has_distributed((condition, x, y)):
            raise unsupported_dtype(
                numpy.result_type(*(value.dtype if is_distributed(value) else numpy.asarray(value) for value in (x, y)))
            )
        return call_numpy(numpy.where, "where", (condition, x, y), {})
    return result
