# SPDX-License-Identifier: BSD-3-Clause
"""Linear equations and inverses."""

import math
import operator

import numpy
from numpy.linalg import LinAlgError

from .._creation._from_data import asarray
from .._imported_numpy import ONE_AXIS_IS_A_VECTOR
from .._local import call_numpy, has_distributed, is_distributed
from .._views._plain import transpose
from .._views._reshape import ravel, reshape
from ._engine import compute, spread_over
from ._operands import cast, require_stack, types, zeros

__all__ = ["inv", "solve", "tensorinv", "tensorsolve"]


def solve(a, b):
    """Solve a linear system.

    Triggers evaluation, because a singular matrix must raise here. The last bits may depend on the number of engines for a
    matrix that all of them share.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).tolist()
    [1.0, 0.5]
    """
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.linalg.solve, "linalg.solve", (a, b), {})
    require_stack(a, is_square=True)
    loop, dtype = types(a, b)
    is_vector = b.ndim == 1 or b.ndim == a.ndim - 1 and not ONE_AXIS_IS_A_VECTOR
    if is_vector:
        b = b[..., None]
    n = a.shape[-1]
    if b.ndim < 2 or b.shape[-2] != n:
        given = b.shape[:-1] if is_vector else b.shape
        raise ValueError(f"solve: Input operand 1 has a mismatch in its core dimension 0: got shape {given}, expected {n} rows")
    lead = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = spread_over(a, lead), spread_over(b, lead)
    if a.size and b.size:
        x = cast(compute("solve", loop, a, b), dtype)
    else:
        x = zeros(b.shape, dtype)
    return x[..., 0] if is_vector else x


def inv(a):
    """The inverse of a matrix.

    Triggers evaluation, because a singular matrix must raise here.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.inv([[2.0, 1.0], [1.0, 1.0]]).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.inv, "linalg.inv", (a,), {})
    require_stack(a, is_square=True)
    loop, dtype = types(a)
    return cast(compute("inverse", loop, a), dtype) if a.size else zeros(a.shape, dtype)


def tensorsolve(a, b, axes=None):
    """Solve `tensordot(a, x, x.ndim) == b` for x.

    Triggers evaluation.
    """
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.linalg.tensorsolve, "linalg.tensorsolve", (a, b, axes), {})
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.append(axis)
        a = transpose(a, order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    unknowns = math.prod(shape)
    if a.size != unknowns**2:
        raise LinAlgError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return reshape(solve(reshape(a, (unknowns, unknowns)), ravel(b)), shape)


def tensorinv(a, ind=2):
    """The inverse of an array with respect to `tensordot`.

    Triggers evaluation, because a singular array must raise here.
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.tensorinv, "linalg.tensorinv", (a, ind), {})
    if operator.index(ind) <= 0:
        raise ValueError("Invalid ind argument.")
    first, last = a.shape[:ind], a.shape[ind:]
    return reshape(inv(reshape(a, (math.prod(first), math.prod(last)))), last + first)
