# SPDX-License-Identifier: BSD-3-Clause
"""Determinants, as a sign and a logarithm that cannot overflow."""

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._local import as_value, call_numpy, is_distributed
from .._ufuncs._objects import PUBLIC
from ._engine import compute
from ._operands import cast, real_of, require_stack, types
from ._results import slogdet_result

__all__ = ["det", "slogdet"]


def _sign_and_log(a):
    """Both in the precision that they are computed in."""
    require_stack(a, is_square=True)
    loop, _ = types(a)
    lead = a.shape[:-2]
    if not a.size:
        return filled(lead, loop, 1), filled(lead, real_of(loop), 0)
    result = compute("slogdet", loop, a)
    return result[..., 0, 0], result[..., 0, 1].real


def slogdet(a):
    """The sign and the natural logarithm of the absolute value of the determinant.

    Examples
    --------
    >>> import gamelan as np
    >>> sign, logarithm = np.linalg.slogdet([[2.0, 0.0], [0.0, -0.5]])
    >>> float(sign), float(logarithm)
    (-1.0, 0.0)
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.slogdet, "linalg.slogdet", (a,), {})
    sign, logarithm = _sign_and_log(a)
    dtype = types(a)[1]
    return slogdet_result(as_value(cast(sign, dtype)), as_value(cast(logarithm, real_of(dtype))))


def det(a):
    """The determinant of a matrix.

    Examples
    --------
    >>> import gamelan as np
    >>> float(np.linalg.det([[2.0, 0.0], [0.0, -0.5]]))
    -1.0
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.det, "linalg.det", (a,), {})
    sign, logarithm = _sign_and_log(a)
    return as_value(cast(sign * PUBLIC["exp"](logarithm), types(a)[1]))
