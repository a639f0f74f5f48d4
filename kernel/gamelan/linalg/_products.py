# SPDX-License-Identifier: BSD-3-Clause
"""Products of arrays: matmul and what is made of it. Vector products are a multiply and a sum, so they are the same bits
at any number of engines; matrix products are BLAS on each engine and equal to rounding only."""

import functools

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._local import alone, as_output, as_value, call_numpy, has_distributed, has_own_class, is_distributed
from .._promotion import OPS, dtype_number
from .._ufuncs._objects import PUBLIC
from .._views._plain import moveaxis
from .._views._reshape import ravel, reshape

__all__ = ["dot", "inner", "matmul", "outer", "trace", "vdot"]

_WRITTEN_OUT = 8  # elements of a row: decision 049


@functools.cache
def _dtype(left, right):
    return numpy.matmul(numpy.ones((1, 1), left), numpy.ones((1, 1), right)).dtype


def _is_here(operands, out):
    """True when NumPy should do it: everything is here and small, the result too."""
    if has_distributed((*operands, out)):
        return False
    left, right = operands
    contracted = left.shape[-1] if left.ndim else 1
    result_size = (left.size // max(contracted, 1)) * (right.size // max(contracted, 1))
    return max(left.size, right.size, result_size) < _core.threshold()


def _finish(result, out):
    """The result of `dot`, in an output of just its dtype and shape if there is one."""
    if out is None:
        return result
    out = as_output(out)
    if out.shape != result.shape or out.dtype != result.dtype or not out.flags.c_contiguous:
        raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)")
    out[...] = result
    return out


def matmul(x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None, subok=True, **keywords):
    """The matrix product, broadcast over the leading axes.

    `axes=` and `signature=` are NumPy's.
    """
    x1, x2 = asarray(x1), asarray(x2)
    if dtype is not None:
        keywords["dtype"] = dtype
    if _is_here((x1, x2), out):
        keywords.update(casting=casting, order=order, subok=subok)
        result = call_numpy(numpy.matmul, "matmul", (x1, x2), {"out": out, **keywords})
        return result if out is None else alone(out)
    if out is None and not keywords and (casting, order, subok) == ("same_kind", "K", True):
        return _matrix_product(x1, x2, _dtype(x1.dtype, x2.dtype))
    return matmul_with(x1, x2, out, {**keywords, "casting": casting, "order": order, "subok": subok})


def _matrix_product(x1, x2, result_dtype):
    left, right = x1._a, x2._a  # what NumPy says of their axes costs less than what the arrays say
    if left.ndim == 0 or right.ndim == 0:
        which = 0 if left.ndim == 0 else 1
        raise ValueError(
            f"matmul: Input operand {which} does not have enough dimensions (has 0, gufunc core with signature "
            "(n?,k),(k,m?)->(n?,m?) requires 1)"
        )
    contracted = right.shape[-min(right.ndim, 2)]
    if left.shape[-1] != contracted:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {contracted} is different from {left.shape[-1]})"
        )
    if left.ndim == 1 and right.ndim == 1:
        return _sum_of_products(x1, x2, None, result_dtype)
    if right.ndim == 1 and 0 < contracted <= _WRITTEN_OUT and left.dtype != result_dtype and result_dtype.kind in "iuf":
        return _sum_of_products(x1, x2, -1, result_dtype)  # converts the elements in the same pass
    x1 = _core.view(x1, left[None, :]) if left.ndim == 1 else x1
    x2 = _core.view(x2, right[:, None]) if right.ndim == 1 else x2
    if left.ndim > 2 and right.ndim <= 2 and contracted:  # one product of all rows, not one of each matrix
        rows = _core.reshape_view(x1, (left.size // contracted, contracted))
        if rows is not None:
            return _core.reshape_view(_product(rows, x2, result_dtype), left.shape[:-1] + right.shape[1:])
    result = _product(x1, x2, result_dtype)
    if left.ndim == 1:
        return _core.view(result, result._a[..., 0, :])
    return _core.view(result, result._a[..., 0]) if right.ndim == 1 else result


def matmul_with(x1, x2, out, keywords):
    """matmul into an output, or with keywords. NumPy is asked first, with operands of the same dtypes and axes, all of extent
    1: its errors are the user's, its dtype ours."""
    if out is not None:
        out = as_output(alone(out))
    ones = [numpy.ones((1,) * each.ndim, each.dtype) for each in (x1, x2)]
    numpy.matmul(*ones, None if out is None else numpy.ones((1,) * out.ndim, out.dtype), **keywords)
    dtype = numpy.matmul(*ones, **{**keywords, "casting": "unsafe"}).dtype
    axes = keywords.get("axes")
    if axes is not None:
        axes = [each if isinstance(each, tuple) else (each,) for each in axes]
        x1, x2 = (moveaxis(each, its, range(-len(its), 0)) for each, its in zip((x1, x2), axes))
    result = _matrix_product(x1, x2, dtype)
    core = (x1.ndim > 1) + (x2.ndim > 1)
    moved = axes[2] if axes is not None and core else ()
    if out is None:
        return moveaxis(result, range(-core, 0), moved) if moved else result
    target = moveaxis(out, moved, range(-core, 0)) if moved else out
    lead, inner = target.shape[: target.ndim - core], target.shape[target.ndim - core :]
    expected = result.shape[: result.ndim - core]
    if inner != result.shape[result.ndim - core :] or numpy.broadcast_shapes(lead, expected) != lead:
        raise ValueError(f"matmul: the output has the shape {out.shape}, the product {result.shape}")
    target[...] = result
    return out


def _sum_of_products(left, right, axis, dtype):
    """Of two vectors (axis None), or of each row and a vector: of short ones the planner writes the sum out, in one pass."""
    products = _core.apply(OPS["multiply"], dtype_number(dtype), dtype_number(dtype), (left, right), None)
    return reduce("sum", products, axis, dtype)


def _product(left, right, dtype):
    """The engines' matmul of two stacks of matrices."""
    if dtype == bool:
        # A true pair anywhere: counted in integers, which cannot overflow for extents that fit in memory.
        left, right = (each.astype(bool, copy=False).astype("i8") for each in (left, right))
        return _product(left, right, numpy.dtype("i8")) != 0
    rows, columns = left._a.shape, right._a.shape
    lead = rows[:-2]
    if columns[:-2] != lead:
        lead = numpy.broadcast_shapes(lead, columns[:-2])
        left, right = (_core.view(each, numpy.broadcast_to(each._a, lead + each.shape[-2:])) for each in (left, right))
    number = dtype_number(dtype)
    result = _core.empty((*lead, rows[-2], columns[-1]), number)
    _core.record(OPS["matmul"], number, result, True, (left, right), ())
    return result


def dot(a, b, out=None):
    """The dot product of two arrays.

    Examples
    --------
    >>> import gamelan as np
    >>> float(np.dot([1.0, 2.0], [3.0, 4.0]))
    11.0
    """
    a, b = asarray(a), asarray(b)
    if _is_here((a, b), out):
        result = call_numpy(numpy.dot, "dot", (a, b), {"out": out})
        return result if out is None else out
    if a.ndim == 0 or b.ndim == 0:
        return _finish(_scaled(a, b), out)
    contracted = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != contracted:
        axis = b.ndim - 2 if b.ndim > 1 else 0
        raise ValueError(
            f"shapes {_text(a.shape)} and {_text(b.shape)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{contracted} (dim {axis})"
        )
    if a.ndim <= 2 and b.ndim <= 2:
        return _finish(matmul(a, b), out)
    rows = reshape(a, (-1, a.shape[-1])) if a.size else reshape(a, (int(numpy.prod(a.shape[:-1])), a.shape[-1]))
    if b.ndim > 1:
        columns = moveaxis(b, -2, 0)
        trailing = columns.shape[1:]
        columns = reshape(columns, (contracted, int(numpy.prod(trailing))))
    else:
        columns, trailing = b[:, None], ()
    product = matmul(rows, columns)
    return _finish(reshape(product, a.shape[:-1] + trailing), out)


def _scaled(a, b):
    """Product with a 0-d array. The dtype is that of arrays: the value of the number plays no part, unlike in `a * b`."""
    number = dtype_number(_dtype(a.dtype, b.dtype))
    return as_value(_core.apply(OPS["multiply"], number, number, (a, b), None))


def _text(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def outer(a, b, out=None):
    """The outer product of two flattened arrays."""
    if any(map(has_own_class, (a, b))) and not has_distributed((a, b, out)):
        return call_numpy(numpy.outer, "outer", (a, b, out), {})
    a, b = ravel(a), ravel(b)
    left, right = a[:, None], b[None, :]
    if out is None:
        return _core.evaluate(OPS["multiply"], left, right)
    return PUBLIC["multiply"](left, right, out=out)


def vdot(a, b):
    """The dot product of all elements, with the first argument conjugated."""
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.vdot, "vdot", (a, b), {})
    a, b = ravel(a), ravel(b)
    return dot(a.conj() if a.dtype.kind == "c" else a, b)


def inner(a, b, /):
    """The inner product over the last axes."""
    a, b = asarray(a), asarray(b)
    if not has_distributed((a, b)):
        return call_numpy(numpy.inner, "inner", (a, b), {})
    if a.ndim == 0 or b.ndim == 0:
        return _scaled(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {_text(a.shape)} and {_text(b.shape)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[-1]} (dim {b.ndim - 1})"
        )
    return dot(a, b if b.ndim == 1 else moveaxis(b, -1, -2) if b.ndim > 1 else b)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.trace, "trace", (a, offset, axis1, axis2, dtype), {"out": out})
    return a.diagonal(offset, axis1, axis2).sum(-1, dtype=dtype, out=out)
