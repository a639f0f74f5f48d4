# SPDX-License-Identifier: BSD-3-Clause
"""QR of matrices much longer than wide (Demmel et al., communication-avoiding QR): blocks of rows are factored where they
lie, then their triangles, as one matrix. How many blocks there are depends on the shape alone, never on the number of
engines."""

import numpy

from .._ufuncs._where import either
from .._views._reshape import reshape
from ._engine import compute, part, shared_from
from ._operands import flipped, zeros

_LEAST_ELEMENTS = 1 << 16  # below it one engine does the whole matrix
_MOST_BLOCKS = 256


def is_tall(a):
    """True for a matrix that is better factored block by block of its rows."""
    return a.ndim == 2 and a.size >= _LEAST_ELEMENTS and 0 < a.shape[1] < shared_from and a.shape[0] >= 8 * a.shape[1]


def tall_qr(a, loop):
    """Q (m, n) and R (n, n) of a tall matrix, in dtype `loop`."""
    m, n = a.shape
    blocks = min(_MOST_BLOCKS, m // (2 * n))
    rows = -(-m // blocks)
    if rows * blocks != m:
        padded = zeros((rows * blocks, n), loop)
        padded[:m] = a
        a = padded
    result = compute("qr", loop, reshape(a, (blocks, rows, n)))
    q, triangles = result[:, :rows], reshape(flipped(result[:, rows:]), (blocks * n, n))
    if is_tall(triangles):
        inner, r = tall_qr(triangles, loop)
    else:
        result = compute("qr", loop, triangles)
        inner, r = result[: blocks * n], flipped(part(result, blocks * n, blocks * n + n, loop))
    q = q @ reshape(inner, (blocks, n, n))
    return reshape(q, (blocks * rows, n))[:m], r


def tall_triangle(parts, loop):
    """R alone of a tall matrix, whose columns are those of `parts`, side by side."""
    m, n = parts[0].shape[0], sum(part.shape[1] for part in parts)
    blocks = max(min(_MOST_BLOCKS, m // (16 * n)), 1)
    rows = -(-m // blocks)
    if len(parts) == 1 and rows * blocks == m:
        a = parts[0]
    else:
        a, column = zeros((rows * blocks, n), loop), 0
        for each in parts:
            a[:m, column : column + each.shape[1]] = each
            column += each.shape[1]
    factors = compute("qr_factors", loop, reshape(a, (blocks, rows, n)))[:, :n]
    triangles = reshape(either(numpy.tri(n, dtype=bool).T, factors, loop.type(0)), (blocks * n, n))
    return triangles if blocks == 1 else tall_triangle([triangles], loop)
