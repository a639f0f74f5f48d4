# SPDX-License-Identifier: BSD-3-Clause
"""ufunc.at: the operation in place at elements that a key names, once for each time that it names them, in the order of the
key. The engines' `put` with an operation does it along the first axis; here keys become that. What is computed in another
dtype than the target's is computed on a copy of it, and cast at the end."""

import functools
import math

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._errors import unimplemented
from .._folds._bounds import require_inside
from .._indexing._keys import basic_or_array, parts_of
from .._indexing._take_put import take
from .._local import is_distributed
from .._promotion import DTYPES, OPS, TABLE, dtype_number, numpy_function, resolve
from .._ufuncs._calls import described
from .._views._plain import broadcast_to
from .._views._reshape import ravel, reshape


@functools.cache
def _is_modular(name):
    """True for an op that gives of integers the same in a narrow dtype and in a wider one: arithmetic modulo a power of two.
    NumPy is asked, with every byte as what stands in the target and bytes and longer numbers as the second operand."""
    byte, longer = numpy.arange(-128, 128, dtype="int16"), numpy.arange(-300, 301, dtype="int16")
    wide = (byte[:, None], longer)[: TABLE[name]["arity"]]
    try:
        with numpy.errstate(all="ignore"):
            in_wide = numpy_function(name)(*wide)
            in_narrow = numpy_function(name)(*(operand.astype("int8") for operand in wide))
    except ValueError:  # integers to negative powers
        return False
    return bool((in_wide.astype("int8") == in_narrow).all())


def at(ufunc, target, indices, operands):
    """`ufunc.at(target, indices, *operands)` when one of them is distributed."""
    if not is_distributed(target):
        _at_small(ufunc, target, indices, operands)
        return
    if not target._a.flags.writeable:
        raise ValueError("assignment destination is read-only")
    operands = tuple(value if numpy.ndim(value) == 0 and not _core.is_ours(value) else asarray(value) for value in operands)
    loop = _loop(ufunc.__name__, target, operands)
    if ufunc.__name__ == "power" and loop.kind == "i" and bool((asarray(operands[0]) < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    parts = tuple(map(basic_or_array, parts_of(indices)))
    if not any(map(_is_array, parts)):
        view = target[parts] if not _names_an_element(parts, target.ndim) else target[(*parts, Ellipsis)]
        ufunc(view, *operands, out=view, casting="unsafe")
    elif _is_mask_of(parts, target):
        _at_mask(ufunc, target, parts[0], operands)
    else:
        _at_places(ufunc.__name__, target, parts, operands, loop)


def _at_small(ufunc, target, indices, operands):
    """A target that is here: its copy on the engines is worked on and comes back."""
    data = target._a if _core.is_ours(target) else target
    copy = _core.upload(numpy.ascontiguousarray(data))
    at(ufunc, copy, indices, operands)
    data[...] = numpy.asarray(copy)


def _loop(name, target, operands):
    """The dtype in which it is computed."""
    loop, result, _ = resolve(name, [target.dtype, *map(described, operands)])
    loop, result = DTYPES[loop], DTYPES[result]
    if loop.kind == result.kind == target.dtype.kind and loop.kind in "iu" and _is_modular(name):
        return target.dtype
    if result != loop:
        raise unimplemented(f"{name}.at", f"with a result of dtype {result} for operands of dtype {loop}")
    return loop


def _is_array(part):
    return isinstance(part, (_core.Array, numpy.ndarray))


def _names_an_element(parts, dims):
    return (
        Ellipsis not in parts
        and sum(part is not None for part in parts) == dims
        and not any(isinstance(part, slice) for part in parts)
    )


def _is_mask_of(parts, target):
    return len(parts) == 1 and parts[0].dtype == bool and parts[0].shape == target.shape


def _at_mask(ufunc, target, mask, operands):
    """A mask names no element twice: all are computed, and taken where it holds."""
    if operands and numpy.ndim(operands[0]):
        (values,) = operands
        if values.size != 1:
            count = int(asarray(mask).sum())
            if values.ndim != 1 or values.size != count:
                raise ValueError("array is not broadcastable to correct shape")
            place = reshape(ravel(asarray(mask)).astype(numpy.int64).cumsum() - 1, target.shape)
            operands = (take(values, place, mode="clip"),)
    ufunc(target, *operands, out=target, where=mask, casting="unsafe")


def _places(target, parts):
    """How many first axes of the target the key names rows of, and which of these rows it names."""
    if len(parts) == 1:
        (index,) = parts
        if index.dtype == bool and index.shape != target.shape[: index.ndim]:
            raise IndexError(f"boolean index did not match indexed array: shapes {index.shape} and {target.shape}")
        if index.dtype.kind in "iu":
            require_inside(index, 0, target.shape[0])
            return 1, index
    elif len(parts) <= target.ndim and all(
        isinstance(part, int) or _is_array(part) and part.dtype.kind in "iu" for part in parts
    ):
        place = 0
        for axis, part in enumerate(parts):
            extent = target.shape[axis]
            require_inside(asarray(part), axis, extent)
            part = part + (part < 0) * extent
            place = place * extent + part
        return len(parts), place
    # Any other key: of the numbers of the elements it names the right ones.
    return target.ndim, reshape(arange(target.size), target.shape)[parts]


def _at_places(name, target, parts, operands, loop):
    axes, index = _places(target, parts)
    rows, rest = math.prod(target.shape[:axes]), target.shape[axes:]
    shape = index.shape + rest
    values = operands[0] if operands else 0
    if numpy.ndim(values):
        if numpy.broadcast_shapes(values.shape, shape) != shape:
            raise ValueError("array is not broadcastable to correct shape")
        values = reshape(broadcast_to(values if values.dtype == loop else values.astype(loop), shape), (index.size, *rest))
    elif not is_distributed(values):
        values = numpy.asarray(values).astype(loop)
    else:
        values = reshape(broadcast_to(values.astype(loop), shape), (index.size, *rest))
    if math.prod(shape) == 0:
        return
    number = dtype_number(loop)
    view = _core.reshape_view(target, (rows, *rest)) if target.dtype == loop else None
    work = view if view is not None else reshape(target.astype(loop), (rows, *rest))
    index = index if index.ndim == 1 else reshape(asarray(index), (index.size,))
    _core.record(OPS["put"], number, work, False, (index, values), (OPS[name],))
    if view is None:
        target[...] = reshape(work, target.shape)


def put_rows(name, target, index, values):
    """target[index] = op(target[index], values), one after the other; index: 1-D integers, all inside."""
    _core.record(OPS["put"], dtype_number(target.dtype), target, False, (index, values), (OPS[name],))
