# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of linalg demand of their arguments, with NumPy's errors, and the dtypes that NumPy computes in and
returns: always double precision inside, single precision outside when all arguments have it."""

import numpy
from numpy.linalg import LinAlgError

from .. import _core
from .._creation._diagonals import eye
from .._creation._filled import filled
from .._local import is_distributed
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either

_SINGLE = {numpy.dtype("f8"): numpy.dtype("f4"), numpy.dtype("c16"): numpy.dtype("c8")}
_REAL = {numpy.dtype("c8"): numpy.dtype("f4"), numpy.dtype("c16"): numpy.dtype("f8")}


def types(*arrays):
    """The dtypes that a routine computes in and returns. TypeError for those that NumPy has no routine for."""
    for array in arrays:
        if array.dtype == numpy.float16:
            raise TypeError(f"array type {array.dtype.name} is unsupported in linalg")
    loop = numpy.dtype("c16" if any(array.dtype.kind == "c" for array in arrays) else "f8")
    is_single = all(array.dtype in (numpy.dtype("f4"), numpy.dtype("c8")) for array in arrays)
    return loop, _SINGLE[loop] if is_single else loop


def real_of(dtype):
    """The dtype of the parts of a complex one; a real one itself."""
    return _REAL.get(dtype, dtype)


def require_matrix(*arrays):
    """LinAlgError unless each has two dimensions."""
    for array in arrays:
        if array.ndim != 2:
            raise LinAlgError(f"{array.ndim}-dimensional array given. Array must be two-dimensional")


def require_stack(array, is_square=False):
    """LinAlgError unless it is a matrix or a stack of matrices."""
    if array.ndim < 2:
        raise LinAlgError(f"{array.ndim}-dimensional array given. Array must be at least two-dimensional")
    if is_square and array.shape[-1] != array.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")


def flipped(array):
    """A view with the last two axes exchanged."""
    return array.swapaxes(-1, -2)


def adjoint(array):
    """The conjugate transpose of each matrix."""
    return PUBLIC["conjugate"](flipped(array)) if array.dtype.kind == "c" else flipped(array)


def of_lower(array):
    """The Hermitian matrices that have these lower triangles, of whose diagonals the real parts count."""
    full = either(numpy.tri(array.shape[-1], dtype=bool), array, adjoint(array))
    return (full + adjoint(full)) / 2 if array.dtype.kind == "c" else full


def cast(array, dtype):
    """The array in that dtype; itself when it is."""
    return array if array.dtype == dtype else array.astype(dtype)


def distributed(array):
    """The array on the engines, whatever its size: another operand is there."""
    return array if is_distributed(array) else _core.upload(array._a)


def zeros(shape, dtype):
    """A distributed array of zeros, whatever its size: what is empty stays where it came from."""
    return filled(tuple(shape), dtype, 0)


def identities(lead, n, dtype):
    """A stack of identity matrices."""
    result = zeros(lead + (n, n), dtype)
    if result.size:
        result[...] = eye(n, dtype=dtype)
    return result
