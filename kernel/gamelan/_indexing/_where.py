# SPDX-License-Identifier: BSD-3-Clause
"""where: with three arguments a choice, with one the places where a condition holds."""

import numpy

from .._ufuncs._where import either
from ._nonzero import nonzero

__all__ = ["where"]

_unset = numpy._NoValue


def where(condition, x=_unset, y=_unset):
    """Choose elements of x where the condition is true, else of y.

    Lazy. With the condition alone it is `nonzero`, which triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.where([True, False], 1, 2).tolist()
    [1, 2]
    """
    if (x is _unset) != (y is _unset):
        raise ValueError("either both or neither of x and y should be given")
    return nonzero(condition) if x is _unset else either(condition, x, y)
