# SPDX-License-Identifier: BSD-3-Clause
"""copyto: assignment with a mask and a casting rule."""

import numpy

from .. import _core
from .._creation._from_data import asarray, source_of
from .._local import call_numpy, has_distributed, is_distributed, unwrap
from .._promotion import OPS, dtype_number
from ._plain import broadcast_to

__all__ = ["copyto"]


def _check_cast(source, dtype, casting):
    """NumPy's error for a source that the rule does not let in. NumPy 1 looks at the value of a number."""
    if casting != "unsafe" or type(source) is int:
        is_array = hasattr(source, "dtype") and source.ndim
        probe = numpy.empty(0, source.dtype) if is_array else numpy.asarray(source) if hasattr(source, "dtype") else source
        numpy.copyto(numpy.empty(0, dtype), probe, casting)


def copyto(dst, src, casting="same_kind", where=True):
    """Copy values into an array, where a mask is true.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.zeros(3)
    >>> np.copyto(a, [1, 2, 3], where=[True, False, True])
    >>> a.tolist()
    [1.0, 0.0, 3.0]
    """
    if not has_distributed((dst, src, where)):
        call_numpy(numpy.copyto, "copyto", (dst, src, casting, where), {})
        return
    if not isinstance(dst, (_core.Array, numpy.ndarray)):
        raise TypeError(f"copyto() argument 1 must be numpy.ndarray, not {type(dst).__name__}")
    source = source_of(src, dst.dtype, casting)
    if not is_distributed(dst):  # a small target: what it is made of comes here
        numpy.copyto(unwrap(dst), unwrap(source), casting, where if where is True else unwrap(where))
        return
    _check_cast(source, dst.dtype, casting)
    source = source if _core.is_ours(source) else numpy.asarray(source)  # which is cast without a warning
    if where is True:
        dst[...] = source
        return
    mask = asarray(
        where if isinstance(where, (_core.Array, numpy.ndarray)) or has_distributed((where,)) else numpy.array(where, bool)
    )
    if mask.dtype != bool:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to {numpy.dtype(bool)!r} according to the rule 'safe'")
    if not dst._a.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if _core.is_ours(source) and is_distributed(source):
        while source.ndim > dst.ndim and source.shape[0] == 1:
            source = source[0]
    else:
        value = numpy.empty(numpy.shape(source), dst.dtype)
        value[...] = unwrap(source)  # NumPy's conversion, with its errors and warnings
        while value.ndim > dst.ndim and value.shape[0] == 1:
            value = value[0]
        source = value
    for operand, what in ((source, "input array"), (mask, "where mask")):
        try:
            broadcast_to(asarray(operand), dst.shape)
        except ValueError:
            shapes = f"from shape {operand.shape} into shape {dst.shape}".replace(", ", ",")
            raise ValueError(f"could not broadcast {what} {shapes}") from None
    number = dtype_number(dst.dtype)
    _core.apply(OPS["where"], number, number, (mask, source, dst), dst)
