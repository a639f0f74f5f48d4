# SPDX-License-Identifier: BSD-3-Clause
"""copyto: assignment with a mask and a casting rule."""
import numpy

from .. import _core
from .._creation import asarray
from .._local import call_numpy, has_distributed, is_distributed, unwrap
from .._promotion import OPS, dtype_number


def copyto(dst, src, casting="same_kind", where=True):
    """Copy values into an array. See `numpy.copyto`."""
    if not has_distributed((dst, src, where)):
        call_numpy(numpy.copyto, "copyto", (dst, src, casting, where), {})
        return
    source = src if isinstance(src, (int, float, complex)) else asarray(src)
    if not isinstance(dst, (_core.Array, numpy.ndarray)):
        raise TypeError(f"copyto() argument 1 must be numpy.ndarray, not {type(dst).__name__}")
    if not is_distributed(dst):  # a small target: what it is made of comes here
        numpy.copyto(unwrap(dst), unwrap(source), casting, where if where is True else unwrap(where))
        return
    if not numpy.can_cast(getattr(source, "dtype", source), dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {source.dtype!r} to {dst.dtype!r} according to the rule {casting!r}")
    if where is True:
        dst[...] = source
    else:
        number = dtype_number(dst.dtype)
        _core.apply(OPS["where"], number, number, (where, source, dst), dst)
