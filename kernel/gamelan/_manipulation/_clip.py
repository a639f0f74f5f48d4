# SPDX-License-Identifier: BSD-3-Clause
"""clip: the ufuncs maximum and minimum, one after the other."""

import numpy

from .. import _core
from .._creation import asarray
from .._local import call_numpy, has_distributed


def clip(a, a_min, a_max, out=None, **keywords):
    """Limit the elements to an interval."""
    if not has_distributed((a, a_min, a_max, out)):
        a = asarray(a)
        if a.size < _core.threshold():
            return call_numpy(numpy.clip, "clip", (a, a_min, a_max), {"out": out, **keywords})
    from .._ufunc.clip import clip as compute  # ufuncs need what is here

    return compute(a, a_min, a_max, out, **keywords)
