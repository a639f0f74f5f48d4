# SPDX-License-Identifier: BSD-3-Clause
"""What is a number and no array: also the value of the engines that stands for NumPy's scalar."""

import numpy

from . import _core
from ._local import is_value


def isscalar(element):
    """True for a number, text, and a value without axes such as `x.mean()`, small or distributed. See `numpy.isscalar`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.isscalar(np.ones(3).mean()), np.isscalar(np.ones(3))
    (True, False)
    """
    return is_value(element) if isinstance(element, _core.Array) else numpy.isscalar(element)
