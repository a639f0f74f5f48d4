# SPDX-License-Identifier: BSD-3-Clause
"""The one way from these functions to the engines: the operation `linalg`, which leaves all results of a routine one below
another in one array. Decides who computes: a single large matrix all engines together, or one with the cores of all;
everything else whole matrices where they lie."""

import json
import math
import re

import numpy
from numpy.linalg import LinAlgError

from .. import _core
from .._promotion import OPS, dtype_number
from .._views._join import stack
from .._views._plain import broadcast_to

# In the order of protocol/linalg.hpp.
_ROUTINES = """
solve inverse slogdet cholesky qr qr_factors svd svd_values eigh eigh_values eig eig_values
least_squares
""".split()
_NUMBERS = {name: number for number, name in enumerate(_ROUTINES)}
_WHOLE_ONLY = {"qr_factors", "eig", "eig_values", "least_squares"}
_NEVER_FAILS = {"qr", "qr_factors", "slogdet"}

_WHERE = re.compile(r"^rank \d+: | \(recorded at [^()]*\)$")

# From this extent on, all engines work on one matrix; below it messages cost more than they save. Iterations, which send
# many short ones, are worth it later. Within one node LAPACK on one rank, with the cores of all, is faster than they are
# together, up to so many elements (128 MiB) in the copies that this rank needs room for, and so many threads and ranks.
shared_from = 1024
most_within_node = 4096 * 4096
_MOST_RANKS = 16
_ITERATES = {"svd", "svd_values", "eigh", "eigh_values"}
# Side of the blocks in which they share it.
block = 64


def _extents(routine, m, n, right, width):
    """Rows and columns of the result, as protocol/linalg.cpp has them."""
    k = min(m, n)
    return {
        "solve": (n, right),
        "inverse": (n, n),
        "cholesky": (n, n),
        "slogdet": (1, 2),
        "qr": (m + n, width or k),
        "qr_factors": (m + 1, n),
        "svd": (m + n + 1, k),
        "svd_values": (1, k),
        "eigh": (n + 1, n),
        "eig": (n + 1, n),
        "eigh_values": (1, n),
        "eig_values": (1, n),
        "least_squares": (n + 1 + (k + right) // max(right, 1), right),
    }[routine]


def _is_large(routine, shape):
    """True for a matrix that is worth the cores of all engines."""
    least = 2 * shared_from if routine in _ITERATES else shared_from
    return routine not in _WHOLE_ONLY and min(shape[-2:]) >= least and _core.ranks() > 1


def _shares(routine, shape, right):
    """True when each engine should work on a part of such a matrix, and of `right` columns beside it."""
    if not _is_large(routine, shape):
        return False
    m, n = shape[-2:]
    info = json.loads(_core.info())
    has_all_cores = info["one_node"] and info["blas_threads"] and info["ranks"] <= _MOST_RANKS
    return not has_all_cores or m * n + m * right > most_within_node


def is_for_one_engine(a, right):
    """True for a least-squares problem that one engine solves soonest. All of its right-hand sides go there, so they are few."""
    return 0 < right <= min(a.shape) and not _shares("svd", a.shape, right)


def compute(routine, loop, a, b=None, width=None, flag=False, rcond=None):
    """The results of a routine for a matrix or a stack, computed in dtype `loop`. Nothing may be empty.

    Triggers evaluation where values can make it fail, so that the error is raised here.
    """
    lead = a.shape[:-2]
    if lead and _is_large(routine, a.shape) and math.prod(lead) < _core.ranks():
        # Few and large: one after another, each with the cores of all engines.
        results = [
            compute(routine, loop, a[index], None if b is None else b[index], width, flag) for index in numpy.ndindex(*lead)
        ]
        return stack(results).reshape(lead + results[0].shape)
    m, n = a.shape[-2:]
    right = 0 if b is None else b.shape[-1]
    side = block if not lead and _shares(routine, a.shape, right) else 0
    extents = _extents(routine, m, n, right, width)
    number = dtype_number("c16" if routine in ("eig", "eig_values") else loop)
    if routine not in _NEVER_FAILS:
        _core.flush(False)  # what was recorded before is no part of a failure
    result = _core.empty(lead + extents, number)
    operands = tuple(each for each in (a, b, rcond) if each is not None)
    _core.record(OPS["linalg"], dtype_number(loop), result, True, operands, (_NUMBERS[routine], side, int(flag)))
    if routine not in _NEVER_FAILS:
        _wait()
    elif side:
        _core.flush(False)  # its workspace is gone before the results are copied
    return result


def _wait():
    """Until it is computed; NumPy's error, in NumPy's words, here and now."""
    try:
        _core.flush(True)
    except LinAlgError as error:
        raise LinAlgError(_WHERE.sub("", str(error))) from None


def part(result, first, last, dtype):
    """Some rows of a result as an array of their own."""
    number = dtype_number(dtype)
    rows = result[..., first:last, :]
    if result.dtype.kind == "c" and dtype.kind == "f":
        rows = rows.real
    return _core.apply(OPS["copy"], number, number, (rows,), None)


def row(result, at, dtype):
    """One row of a result as an array of their own."""
    number = dtype_number(dtype)
    numbers = result[..., at, :]
    if result.dtype.kind == "c" and dtype.kind == "f":
        numbers = numbers.real
    return _core.apply(OPS["copy"], number, number, (numbers,), None)


def spread_over(array, lead):
    """The matrices repeated so that there is one for every place of a stack."""
    return broadcast_to(array, lead + array.shape[-2:])
