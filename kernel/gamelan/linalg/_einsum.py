# SPDX-License-Identifier: BSD-3-Clause
"""einsum: pair by pair in NumPy's order of least cost, each pair a matrix product of transposed views, or an element-wise
product where nothing is summed. Repeated subscripts of an operand are its diagonal, a view."""

import math

import numpy
from numpy.lib.stride_tricks import as_strided

from .. import _core
from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._local import as_output, as_value, call_numpy, has_distributed, unwrap
from .._promotion import OPS, dtype_number
from .._views._plain import broadcast_to, transpose
from .._views._reshape import reshape
from ._einsum_text import read, split
from ._operands import cast, distributed
from ._products import matmul

__all__ = ["einsum", "einsum_path"]


class _Term:
    """An array and a label for each of its axes, all different."""

    def __init__(self, array, labels):
        self.array, self.labels = array, labels

    def extent(self, label):
        return self.array.shape[self.labels.index(label)]

    def without(self, label):
        """The first along an axis, for one of extent 1."""
        axis = self.labels.index(label)
        return _Term(self.array[(slice(None),) * axis + (0,)], self.labels[:axis] + self.labels[axis + 1 :])

    def summed(self, labels):
        """Summed over some axes."""
        axes = tuple(axis for axis, label in enumerate(self.labels) if label in labels)
        if not axes:
            return self
        array = reduce("sum", self.array, axes, self.array.dtype)
        return _Term(array, "".join(label for label in self.labels if label not in labels))

    def ordered(self, labels):
        """The array with its axes in the order of labels."""
        return transpose(self.array, [self.labels.index(label) for label in labels]) if labels else self.array

    def stretched(self, labels):
        """The array with an axis for each of the labels, of extent 1 where it has none."""
        order = [label for label in labels if label in self.labels]
        return self.ordered(order)[tuple(slice(None) if label in self.labels else None for label in labels)]


def _diagonal(array, labels):
    """The term of an operand: repeated labels become one axis that moves along all of theirs."""
    distinct = "".join(dict.fromkeys(labels))
    if len(distinct) == len(labels):
        return _Term(array, labels)
    data = array._a
    extents = tuple(data.shape[labels.index(label)] for label in distinct)
    steps = tuple(sum(step for one, step in zip(labels, data.strides) if one == label) for label in distinct)
    return _Term(_core.view(array, as_strided(data, extents, steps, writeable=bool(data.flags.writeable))), distinct)


def _multiplied(left, right):
    """The element-wise product, broadcast."""
    number = dtype_number(left.dtype)
    return _core.apply(OPS["multiply"], number, number, (left, right), None)


def _pair(left, right, kept):
    """The product of two terms, summed over all labels that are not kept."""
    for label in left.labels:
        if label in right.labels and left.extent(label) != right.extent(label):
            if left.extent(label) == 1:
                left = left.without(label)
            else:
                right = right.without(label)
    left = left.summed([label for label in left.labels if label not in right.labels and label not in kept])
    right = right.summed([label for label in right.labels if label not in left.labels and label not in kept])
    both = [label for label in left.labels if label in right.labels]
    batch, inner = [label for label in both if label in kept], [label for label in both if label not in kept]
    rows = [label for label in left.labels if label not in both]
    columns = [label for label in right.labels if label not in both]
    if not inner or not rows and not columns:
        labels = "".join(batch + rows + columns + inner)
        product = _Term(_multiplied(left.stretched(labels), right.stretched(labels)), labels)
        return product.summed(inner)
    shape = [tuple(left.extent(label) for label in labels) for labels in (batch, rows, inner)]
    width = tuple(right.extent(label) for label in columns)
    stacked, height, depth = map(math.prod, shape)
    left_matrices = reshape(left.ordered(batch + rows + inner), (stacked, height, depth) if batch else (height, depth))
    right_matrices = reshape(
        right.ordered(batch + inner + columns), (stacked, depth, math.prod(width)) if batch else (depth, math.prod(width))
    )
    product = matmul(left_matrices, right_matrices)
    return _Term(reshape(product, shape[0] + shape[1] + width), "".join(batch + rows + columns))


def _stand_ins(arrays):
    """Arrays of the same shapes without memory, for NumPy to plan with."""
    return [numpy.broadcast_to(numpy.empty((), array.dtype), array.shape) for array in arrays]


def _path(text, arrays, optimize):
    """The order of contractions: which terms to take from the list, whose result goes to its end."""
    if len(arrays) < 3:
        return [tuple(range(len(arrays)))]
    if optimize is False or optimize is None or optimize is True:
        optimize = "greedy"
    return numpy.einsum_path(text, *_stand_ins(arrays), optimize=optimize)[0][1:]


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Evaluate Einstein's summation convention on the operands.

    Lazy. More than two operands are multiplied pair by pair in the cheapest order, whatever `optimize` says; only a path of
    your own is followed. The sums therefore round otherwise than NumPy's. `order` changes nothing.

    Parameters
    ----------
    *operands : str and array_like
        The subscripts and then the arrays; or each array followed by the list of its labels.

    Examples
    --------
    >>> import gamelan as np
    >>> np.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).tolist()
    [3, 7]
    """
    keywords = {"order": order, "casting": casting, **({} if dtype is None else {"dtype": dtype})}
    if not has_distributed((*operands, out)):
        keywords.update({} if out is None else {"out": unwrap(out)})
        result = call_numpy(numpy.einsum, "einsum", operands, {**keywords, "optimize": optimize})
        return result if out is None else out
    numpy.empty(0).astype(float, order, casting)  # for its errors
    text, arrays = split(operands)
    arrays = [asarray(array) for array in arrays]
    subscripts = read(text, [array.shape for array in arrays])
    if len(arrays) == 1 and out is None and set(subscripts.inputs[0]) == set(subscripts.output):
        dtype, casting = arrays[0].dtype, "no"  # a view: NumPy casts nothing
    known = _promoting(arrays)
    result_dtype = numpy.result_type(*known) if dtype is None else numpy.dtype(dtype)
    for array, each in zip(arrays, known):
        if not numpy.can_cast(each, result_dtype, casting):
            raise TypeError(f"Cannot cast operand from {array.dtype!r} to {result_dtype!r} according to the rule {casting!r}")
    if out is not None:
        out = as_output(out)
    if out is not None and not numpy.can_cast(result_dtype, out.dtype, casting):
        raise TypeError(f"Cannot cast result from {result_dtype!r} to {out.dtype!r} according to the rule {casting!r}")
    arrays = [cast(distributed(array), result_dtype) for array in arrays]
    result = _contracted(text, arrays, subscripts, optimize)
    if out is None:
        return as_value(result)
    if out.shape != result.shape:
        raise ValueError(f"output has shape {out.shape}, expected {result.shape}")
    out[...] = result
    return out


def _promoting(arrays):
    """What NumPy promotes: dtypes, and beside arrays the value of an operand without axes, which is looked at."""
    is_mixed = any(array.ndim for array in arrays)
    return [numpy.asarray(array) if is_mixed and not array.ndim else array.dtype for array in arrays]


def _contracted(text, arrays, subscripts, optimize):
    terms = [_diagonal(array, labels) for array, labels in zip(arrays, subscripts.inputs)]
    for places in _path(text, arrays, optimize):
        taken = [terms.pop(place) for place in sorted(places, reverse=True)][::-1]
        product = taken[0]
        for at, other in enumerate(taken[1:], 1):
            later = "".join(term.labels for term in terms + taken[at + 1 :])
            product = _pair(product, other, set(subscripts.output + later))
        terms.append(product)
    (last,) = terms
    last = last.summed([label for label in last.labels if label not in subscripts.output])
    result = last.ordered(list(subscripts.output)) if last.labels else last.array
    shape = tuple(subscripts.extents[label] for label in subscripts.output)
    return result if result.shape == shape else broadcast_to(result, shape)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order in which `einsum` multiplies its operands, and what it costs.

    Needs no evaluation: NumPy computes it from the shapes.

    Parameters
    ----------
    *operands : str and array_like
        The subscripts and then the arrays; or each array followed by the list of its labels.
    einsum_call : bool, optional
        For NumPy's own use.
    """
    text, arrays = split(operands)
    return numpy.einsum_path(text, *_stand_ins([asarray(array) for array in arrays]), optimize=optimize)
