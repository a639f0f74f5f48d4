# SPDX-License-Identifier: BSD-3-Clause
"""Products of stacks of vectors and matrices that NumPy 2 has as universal functions of its own: vecdot, matvec, vecmat."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._local import alone, as_output, call_numpy, has_distributed
from .._promotion import OPS, dtype_number
from .._ufuncs._objects import PUBLIC
from .._views._plain import moveaxis
from ._products import matmul

__all__ = ["matvec", "vecdot", "vecmat"]


def _here(name, operands, out, keywords):
    """NumPy's function for operands that are here."""
    result = call_numpy(getattr(numpy, name), name, operands, {"out": out, **keywords})
    return result if out is None else out


def _checked(name, x1, x2, keywords):
    """The dtype of the result; NumPy's errors for dtypes, axes and keywords."""
    samples = [numpy.ones((1,) * each.ndim, each.dtype) for each in (x1, x2)]
    return numpy.asarray(getattr(numpy, name)(*samples, **keywords)).dtype


def _conjugated(x):
    return PUBLIC["conjugate"](x) if x.dtype.kind == "c" else x


def _stored(result, out):
    if out is None:
        return result
    out = as_output(out)
    out[...] = result
    return out


def vecdot(x1, x2, /, out=None, *, axis=-1, **keywords):
    """Sums of products along an axis, the first factor conjugated."""
    x1, x2, out = asarray(x1), asarray(x2), alone(out)
    if not has_distributed((x1, x2, out)):
        return _here("vecdot", (x1, x2), out, {"axis": axis, **keywords})
    dtype = _checked("vecdot", x1, x2, {"axis": axis, **keywords})
    x1, x2 = (moveaxis(each, axis, -1) for each in (x1, x2))
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(
            "vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() "
            f"(size {x2.shape[-1]} is different from {x1.shape[-1]})"
        )
    number = dtype_number(dtype)
    row, fold = ("logical_and", "any") if dtype == bool else ("multiply", "sum")
    products = _core.apply(OPS[row], number, number, (_conjugated(x1), x2), None)
    return reduce(fold, products, -1, None if dtype == bool else dtype, out)


def matvec(x1, x2, /, out=None, **keywords):
    """Matrices times vectors."""
    x1, x2, out = asarray(x1), asarray(x2), alone(out)
    if not has_distributed((x1, x2, out)):
        return _here("matvec", (x1, x2), out, keywords)
    _checked("matvec", x1, x2, keywords)
    return _stored(matmul(x1, x2[..., None], **keywords)[..., 0], out)


def vecmat(x1, x2, /, out=None, **keywords):
    """Vectors, conjugated, times matrices."""
    x1, x2, out = asarray(x1), asarray(x2), alone(out)
    if not has_distributed((x1, x2, out)):
        return _here("vecmat", (x1, x2), out, keywords)
    _checked("vecmat", x1, x2, keywords)
    return _stored(matmul(_conjugated(x1)[..., None, :], x2, **keywords)[..., 0, :], out)
