# SPDX-License-Identifier: BSD-3-Clause
"""count_nonzero: a sum of what is not zero."""
import numpy

from .. import _reductions
from .._creation import asarray
from ._common import document, of_numpy


@document("count_nonzero", "How many elements are not zero, over axes.", ">>> np.count_nonzero([[0, 1], [2, 3]], axis=0).tolist()\n[1, 2]",
          "Of a distributed array the result stays on the engines until it is looked at, also without an axis.")  # fmt: skip
@of_numpy
def count_nonzero(a, axis=None, *, keepdims=False):
    a = asarray(a)
    return _reductions.reduce("sum", a if a.dtype == bool else a != 0, axis, numpy.intp, None, bool(keepdims))
