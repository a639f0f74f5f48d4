# SPDX-License-Identifier: BSD-3-Clause
"""clip: the ufuncs maximum and minimum, one after the other."""
import numpy

from .. import _core
from .._creation import asarray
from .._errors import unimplemented
from .._local import call_numpy, has_distributed
from .._promotion import OPS


def _limit(limit, none):
    """NumPy ignores a limit that is a NaN, though it takes part in the promotion."""
    return none if isinstance(limit, (float, numpy.floating)) and limit != limit else limit


def clip(a, a_min, a_max, out=None, **keywords):
    """The array limited to an interval.

    See Also
    --------
    numpy.clip
    """
    if not has_distributed((a, a_min, a_max, out)):
        a = asarray(a)
        if a.size < _core.threshold():
            return call_numpy(numpy.clip, "clip", (a, a_min, a_max), {"out": out, **keywords})
    if keywords:
        raise unimplemented(f"clip({', '.join(keywords)})")
    if a_min is None and a_max is None:
        raise ValueError("One of max or min must be given")
    result = asarray(a)
    a_min, a_max = _limit(a_min, -numpy.inf), _limit(a_max, numpy.inf)
    if a_min is not None:
        result = _core.evaluate(OPS["maximum"], result, a_min)
    if a_max is not None:
        result = _core.evaluate(OPS["minimum"], result, a_max)
    if out is None:
        return result
    if not numpy.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast clip output from {result.dtype!r} to {out.dtype!r} with casting rule 'same_kind'")
    out[...] = result
    return out
