# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that measure a matrix: norms, the condition number, the rank. Sums of absolute values are fused folds; what needs
singular values asks for them."""

import numpy
from numpy.linalg import LinAlgError

from .. import _core
from .._arguments import whole
from .._creation._diagonals import eye
from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._imported_numpy import CONDITION_MAY_BE_NAN, normalize_axis_index
from .._local import as_value, call_numpy, gathered, has_distributed, is_distributed
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._plain import moveaxis
from .._views._reshape import reshape
from ._determinants import slogdet
from ._operands import cast, require_stack, types
from ._singular import svd
from ._solutions import inv

__all__ = ["cond", "matrix_rank", "norm"]


def _squares(x):
    """The squared moduli."""
    return x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x


def _vector_norm(x, ord, axis, keepdims):
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord is None or ord == 2:
        return PUBLIC["sqrt"](reduce("sum", _squares(x), axis, None, None, keepdims))
    if ord == 0:
        return reduce("sum", (x != 0).astype(x.real.dtype), axis, None, None, keepdims)
    sizes = PUBLIC["absolute"](x)
    if ord == numpy.inf:
        return reduce("max", sizes, axis, None, None, keepdims)
    if ord == -numpy.inf:
        return reduce("min", sizes, axis, None, None, keepdims)
    if ord == 1:
        return reduce("sum", sizes, axis, None, None, keepdims)
    total = reduce("sum", sizes**ord, axis, sizes.dtype, None, keepdims)
    return total ** numpy.reciprocal(ord, dtype=total.dtype)


def _matrix_norm(x, ord, rows, columns):
    """Over two axes, which are gone from the result."""
    if ord in (None, "fro", "f"):
        return PUBLIC["sqrt"](reduce("sum", _squares(x), (rows, columns)))
    if ord in (2, -2, "nuc"):
        values = svd(moveaxis(x, (rows, columns), (-2, -1)), compute_uv=False)
        return reduce({2: "max", -2: "min", "nuc": "sum"}[ord], values, -1)
    if ord in (1, -1):
        first, second = rows, columns
    elif ord in (numpy.inf, -numpy.inf):
        first, second = columns, rows
    else:
        raise ValueError("Invalid norm order for matrices.")
    sums = reduce("sum", PUBLIC["absolute"](x), first)
    return reduce("max" if ord > 0 else "min", sums, second - (second > first))


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a matrix or of a vector.

    Lazy, but orders 2, -2 and "nuc" of matrices need the singular values, which triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> float(np.linalg.norm([3.0, 4.0]))
    5.0
    """
    x = asarray(x)
    if not is_distributed(x):
        return call_numpy(numpy.linalg.norm, "linalg.norm", (x, ord, axis, keepdims), {})
    if x.dtype.kind not in "fc":
        x = x.astype(float)
    ord = gathered(ord)[()] if _core.is_ours(ord) and ord.ndim == 0 else ord
    if axis is None:
        if ord is None or ord in ("f", "fro") and x.ndim == 2 or ord == 2 and x.ndim == 1:
            return PUBLIC["sqrt"](reduce("sum", _squares(x), None, None, None, bool(keepdims)))
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    if len(axis) == 1:
        return _vector_norm(x, ord, axis, keepdims)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = (normalize_axis_index(whole(each), x.ndim) for each in axis)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    result = _matrix_norm(x, ord, rows, columns)
    if keepdims:
        result = reshape(result, [1 if each in (rows, columns) else extent for each, extent in enumerate(x.shape)])
    return result


def cond(x, p=None):
    """The condition number of a matrix.

    Triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> float(np.linalg.cond([[2.0, 0.0], [0.0, 1.0]]))
    2.0
    """
    x = asarray(x)
    if not is_distributed(x):
        return call_numpy(numpy.linalg.cond, "linalg.cond", (x, p), {})
    has_nan = reduce("any", PUBLIC["isnan"](x), (-2, -1)) if x.ndim >= 2 else False
    if CONDITION_MAY_BE_NAN:
        x = either(has_nan[..., None, None], eye(*x.shape[-2:], dtype=x.dtype), x) if x.ndim >= 2 else x
    if x.ndim >= 2 and x.shape[-1] * x.shape[-2] == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        values = svd(x, compute_uv=False)
        first, last = values[..., 0], values[..., -1]
        result = last / first if p == -2 else first / last
    else:
        require_stack(x, is_square=True)
        is_singular = slogdet(x)[0] == 0
        inverse = inv(either(is_singular[..., None, None], eye(x.shape[-1], dtype=x.dtype), x))
        result = cast(norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1)), types(x)[1])
        result = either(is_singular, numpy.array(numpy.nan, result.dtype), result)
    result = either(PUBLIC["isnan"](result) & ~has_nan, numpy.array(numpy.inf, result.dtype), result)
    return as_value(either(has_nan, numpy.array(numpy.nan, result.dtype), result) if CONDITION_MAY_BE_NAN else result)


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The rank of a matrix, by its singular values.

    Triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> int(np.linalg.matrix_rank(np.ones((3, 3))))
    1
    """
    A = asarray(A)
    if not has_distributed((A, tol, rtol)):
        keywords = {} if rtol is None else {"rtol": rtol}
        return call_numpy(numpy.linalg.matrix_rank, "linalg.matrix_rank", (A, tol, hermitian), keywords)
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return int(bool(reduce("any", A != 0)))
    values = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        if not min(A.shape[-2:]):
            return asarray(numpy.linalg.matrix_rank(numpy.empty(A.shape)))  # or NumPy 1's error
        relative = max(A.shape[-2:]) * numpy.finfo(values.dtype).eps if rtol is None else asarray(rtol)[..., None]
        bound = reduce("max", values, -1, None, None, True) * relative
    else:
        bound = asarray(tol)[..., None]
    return reduce("sum", values > bound, -1, numpy.intp)
