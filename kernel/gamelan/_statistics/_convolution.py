# SPDX-License-Identifier: BSD-3-Clause
"""convolve and correlate. A short kernel: the sum of as many views of the row, shifted and scaled, in one fused pass. A
longer one: the row in lines of a block times the matrix that holds the kernel along its diagonals, so BLAS does it; a very
long one in pieces of a block."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._indexing._gather import take_along as take_inside
from .._local import is_distributed
from .._promotion import OPS, dtype_number
from .._views._join import concatenate
from .._views._reshape import reshape
from ..linalg._products import dot
from ._common import cast, document, of_numpy, on_engines

__all__ = ["convolve", "correlate"]

LONGEST_SUM = 16  # of views
LEAST_BLOCK, BLOCK = 64, 512  # elements of a line; a longer kernel is cut into pieces of the latter

_MODES = {"valid": 0, "same": 1, "full": 2}


def _mode_of(mode):
    if isinstance(mode, str):
        found = [number for name, number in _MODES.items() if mode and name[0] == mode[0].lower()]
        if not found:
            raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
        return found[0]
    if mode not in (0, 1, 2):
        raise ValueError("integer mode must be 0, 1, or 2")
    return mode


def _padded(row, before, after):
    """The row with so many zeros around it."""
    if not before and not after:
        return row
    result = filled((before + row.size + after,), row.dtype, 0)
    result[before : before + row.size] = row
    return result


def _sum_of_views(row, kernel, count, target=None):
    """out[i] = sum of row[i + k] * kernel[k], into a target if there is one."""
    number, total = dtype_number(row.dtype), None
    for k, factor in enumerate(kernel):
        term = _core.apply(OPS["multiply"], number, number, (row[k : k + count], factor), target if len(kernel) == 1 else None)
        total = (
            term if k == 0 else _core.apply(OPS["add"], number, number, (total, term), target if k == len(kernel) - 1 else None)
        )
    return total


def _factors(kernel):
    """The elements of a short kernel: numbers if they are known here."""
    if is_distributed(kernel):
        return [kernel[k : k + 1] for k in range(kernel.size)]
    return list(numpy.asarray(kernel))


def _by_blocks(row, kernel, count):
    """The same for a kernel of at most a block: element i of line b of the result needs lines b and b + 1 of the row."""
    block = max(LEAST_BLOCK, 1 << (kernel.size - 1).bit_length())
    lines = -(-count // block)
    row = reshape(_padded(row, 0, (lines + 1) * block - row.size), (lines + 1, block))
    offsets = numpy.arange(block)[:, None] - numpy.arange(block)[None, :]
    kernel = concatenate((kernel, filled((block + 1 - kernel.size,), kernel.dtype, 0)))  # its last element is a zero

    def diagonals(shift):
        index = offsets + shift
        index = numpy.where((index >= 0) & (index < block), index, block)
        return reshape(take_inside(kernel, _core.upload(index.reshape(-1)), 0), index.shape)

    result = dot(row[:-1], diagonals(0)) + dot(row[1:], diagonals(block))
    return reshape(result, (lines * block,))[:count]


def _valid(row, kernel):
    """The correlation where the kernel lies within the row."""
    count = row.size - kernel.size + 1
    if kernel.size <= LONGEST_SUM:
        return _sum_of_views(row, _factors(kernel), count)
    kernel = on_engines(kernel)
    total = None
    for first in range(0, kernel.size, BLOCK):
        piece = kernel[first : first + BLOCK]
        part = _by_blocks(row[first : first + count + piece.size - 1], piece, count)
        total = part if total is None else total + part
    return total


def _with_ends(row, kernel, before, after):
    """The correlation of a padded row. Only its ends need zeros, and the copy that makes room for them."""
    inside, factors = kernel.size - 1, _factors(kernel)
    result = filled((row.size + before + after - inside,), row.dtype, 0)
    head, tail = _padded(row[:inside], before, 0), _padded(row[row.size - inside :], 0, after)
    for part, first in ((head, 0), (row, before), (tail, before + row.size - inside)):
        if count := part.size - inside:
            _sum_of_views(part, factors, count, result[first : first + count])
    return result


def _correlated(row, kernel, mode):
    if row.size < kernel.size:
        return _correlated(kernel, row, mode)[::-1].copy()
    dtype = numpy.result_type(row.dtype, kernel.dtype)
    working = numpy.dtype(numpy.int64) if dtype == bool else dtype
    row = cast(on_engines(row), working)
    kernel = cast(kernel, working) if is_distributed(kernel) else asarray(numpy.asarray(kernel).astype(working))
    before = (0, kernel.size // 2, kernel.size - 1)[mode]
    after = (0, kernel.size - 1 - kernel.size // 2, kernel.size - 1)[mode]
    if before + after and kernel.size <= min(LONGEST_SUM, row.size // 4):
        result = _with_ends(row, kernel, before, after)
    else:
        result = _valid(_padded(row, before, after), kernel)
    return result != 0 if dtype == bool else result


def _rows(a, v):
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if max(a.ndim, v.ndim) > 1 else "object of too small depth for desired array"
        )
    return a, v


_NOTE = "Lazy. For a second array of more than 16 elements BLAS adds up, so the last bits depend on it."


@document(
    "The cross-correlation of two one-dimensional arrays.",
    ">>> np.correlate([1, 2, 3], [0, 1], 'full').tolist()\n[1, 2, 3, 0]",
    _NOTE,
)
@of_numpy
def correlate(a, v, mode="valid"):
    a, v = _rows(a, v)
    mode = _mode_of(mode)
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    return _correlated(a, v.conj() if v.dtype.kind == "c" else v, mode)


@document("The convolution of two one-dimensional arrays.", ">>> np.convolve([1, 2, 3], [0, 1]).tolist()\n[0, 1, 2, 3]", _NOTE)
@of_numpy
def convolve(a, v, mode="full"):
    a, v = (row[None] if row.ndim == 0 else row for row in map(asarray, (a, v)))
    a, v = _rows(a, v)
    if len(v) > len(a):
        a, v = v, a
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'a' if a.size == 0 else 'v'} cannot be empty")
    return _correlated(a, v[::-1], _mode_of(mode))
