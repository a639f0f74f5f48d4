# SPDX-License-Identifier: BSD-3-Clause
"""Products of many matrices: powers by squaring, chains in the order that multiplies least."""

import operator

import numpy

from .._creation._from_data import asarray
from .._local import call_numpy, has_distributed, is_distributed
from ._operands import identities, require_matrix, require_stack
from ._products import dot, matmul
from ._solutions import inv

__all__ = ["matrix_power", "multi_dot"]


def matrix_power(a, n):
    """Raise a square matrix to an integer power.

    Lazy, but a negative power takes the inverse, which triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.matrix_power([[1, 1], [0, 1]], 5).tolist()
    [[1, 5], [0, 1]]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.matrix_power, "linalg.matrix_power", (a, n), {})
    require_stack(a, is_square=True)
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        return identities(a.shape[:-2], a.shape[-1], a.dtype)
    if n < 0:
        a, n = inv(a), -n
    if n == 3:
        return matmul(matmul(a, a), a)
    result, power = None, a
    while True:
        n, is_odd = divmod(n, 2)
        if is_odd:
            result = power if result is None else matmul(result, power)
        if not n:
            return result
        power = matmul(power, power)


def _best_cuts(extents):
    """Where to cut each stretch of a chain so that it costs least: matrix i is extents[i] x extents[i + 1]."""
    count = len(extents) - 1
    cost = {(i, i): 0 for i in range(count)}
    cut = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [cost[i, k] + cost[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1] for k in range(i, j)]
            cost[i, j] = min(costs)
            cut[i, j] = i + costs.index(cost[i, j])
    return cut


def multi_dot(arrays, *, out=None):
    """The product of several matrices in the order with the fewest multiplications.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 1)), np.ones((1, 2))]).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    arrays = list(arrays)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(arrays) == 2:
        return dot(arrays[0], arrays[1], out)
    arrays = [asarray(array) for array in arrays]
    if not has_distributed((*arrays, out)):
        result = call_numpy(numpy.linalg.multi_dot, "linalg.multi_dot", (arrays,), {"out": out})
        return result if out is None else out
    is_row, is_column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    if is_row:
        arrays[0] = arrays[0][None, :]
    if is_column:
        arrays[-1] = arrays[-1][:, None]
    require_matrix(*arrays)
    cut = _best_cuts([array.shape[0] for array in arrays] + [arrays[-1].shape[1]])

    def product(i, j, out=None):
        return arrays[i] if i == j else dot(product(i, cut[i, j]), product(cut[i, j] + 1, j), out)

    result = product(0, len(arrays) - 1, out)
    if is_row and is_column:
        return result[0, 0]
    return result.ravel() if is_row or is_column else result
