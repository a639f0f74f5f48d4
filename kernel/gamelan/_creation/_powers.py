# SPDX-License-Identifier: BSD-3-Clause
"""vander: powers of a row, side by side."""

import numpy

from .._arguments import whole
from .._local import call_numpy, has_distributed
from ._filled import filled
from ._from_data import asarray
from ._ranges import arange

__all__ = ["vander"]


def vander(x, N=None, increasing=False):
    """A Vandermonde matrix, whose columns are powers of a vector.

    Lazy. The dtype is that of x, but at least int64.

    Examples
    --------
    >>> import gamelan as np
    >>> np.vander([1, 2, 3]).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    if not has_distributed((x,)):
        return call_numpy(numpy.vander, "vander", (x, N, increasing), {})
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    columns = len(x) if N is None else whole(N)
    dtype = numpy.promote_types(x.dtype, int)
    if columns <= 0 or x.size == 0:
        numpy.empty((x.size, columns))  # for its error
        return filled((x.size, columns), dtype, 0)
    exponents = arange(columns, dtype=numpy.int64)
    exponents = exponents if increasing else exponents[::-1]
    return x.astype(dtype)[:, None] ** exponents[None, :]
