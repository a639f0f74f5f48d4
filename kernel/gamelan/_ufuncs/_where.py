# SPDX-License-Identifier: BSD-3-Clause
"""The choice between two operands by a condition, element by element: what `where` does with three arguments. Its form with
one is an index, and stands in _indexing/_where.py."""

import numpy

from .. import _core
from .._local import call_numpy, gathered, stays_here
from .._promotion import OPS


def either(condition, x, y):
    """Elements of x where the condition holds, else of y."""
    is_here = stays_here(x) or stays_here(y)  # texts, dates, records
    result = NotImplemented if is_here else _core.evaluate(OPS["where"], condition, x, y)
    if result is NotImplemented:
        return call_numpy(numpy.where, "where", tuple(map(gathered, (condition, x, y))), {})
    return result
