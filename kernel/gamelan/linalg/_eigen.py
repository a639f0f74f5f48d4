# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues and eigenvectors: of symmetric and Hermitian matrices by all engines, of others by one engine each."""

import numpy
from numpy.linalg import LinAlgError

from .._config import config
from .._creation._from_data import asarray
from .._errors import unimplemented
from .._folds._reductions import reduce
from .._imported_numpy import EIGENVALUES_ARE_COMPLEX
from .._local import call_numpy, is_distributed
from .._ufuncs._objects import PUBLIC
from ._engine import compute, part, row
from ._operands import cast, real_of, require_stack, types, zeros
from ._results import eig_result, eigh_result

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


def _is_lower(UPLO):
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper() == "L"


def eigh(a, UPLO="L"):
    """The eigenvalues and eigenvectors of a symmetric or Hermitian matrix.

    Triggers evaluation. The signs of the vectors are not determined; they may differ from NumPy's and with the number of
    engines.

    Examples
    --------
    >>> import gamelan as np
    >>> values, vectors = np.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.tolist()
    [1.0, 2.0]
    """
    is_lower = _is_lower(UPLO)
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.eigh, "linalg.eigh", (a, UPLO), {})
    require_stack(a, is_square=True)
    loop, dtype = types(a)
    n = a.shape[-1]
    if not a.size:
        return eigh_result(zeros(a.shape[:-1], real_of(dtype)), zeros(a.shape, dtype))
    result = compute("eigh", loop, a, flag=is_lower)
    return eigh_result(row(result, n, real_of(dtype)), part(result, 0, n, dtype))


def eigvalsh(a, UPLO="L"):
    """The eigenvalues of a symmetric or Hermitian matrix.

    Triggers evaluation.
    """
    is_lower = _is_lower(UPLO)
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.eigvalsh, "linalg.eigvalsh", (a, UPLO), {})
    require_stack(a, is_square=True)
    loop, dtype = types(a)
    if not a.size:
        return zeros(a.shape[:-1], real_of(dtype))
    return row(compute("eigh_values", loop, a, flag=is_lower), 0, real_of(dtype))


def _general(name, a):
    """Demands on the matrices, and the dtypes that are computed in and returned if complex."""
    require_stack(a, is_square=True)
    loop, dtype = types(a)
    if a.shape[-1] ** 2 > config.gather_limit:
        raise unimplemented(
            f"linalg.{name} of a matrix of {a.shape[-1]} x {a.shape[-1]}",
            f"one engine computes it, up to np.config.gather_limit = {config.gather_limit} elements",
        )
    if a.size and not bool(reduce("all", PUBLIC["isfinite"](a))):
        raise LinAlgError("Array must not contain infs or NaNs")
    return loop, dtype, numpy.result_type(dtype, numpy.complex64)


def eig(a):
    """The eigenvalues and eigenvectors of a square matrix.

    Triggers evaluation. One engine computes all of a matrix, so a matrix may have at most `config.gather_limit` elements.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linalg.eig([[2.0, 0.0], [0.0, 1.0]])[0].real.tolist()
    [2.0, 1.0]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.eig, "linalg.eig", (a,), {})
    loop, dtype, complex_dtype = _general("eig", a)
    n = a.shape[-1]
    if not a.size:
        result = complex_dtype if loop.kind == "c" or EIGENVALUES_ARE_COMPLEX else dtype
        return eig_result(zeros(a.shape[:-1], result), zeros(a.shape, result))
    result = compute("eig", loop, a)
    if loop.kind == "c" or EIGENVALUES_ARE_COMPLEX or bool(reduce("any", result[..., n, :].imag != 0)):
        dtype = complex_dtype
    return eig_result(row(result, n, dtype), part(result, 0, n, dtype))


def eigvals(a):
    """The eigenvalues of a square matrix.

    Triggers evaluation. One engine computes all of a matrix, so a matrix may have at most `config.gather_limit` elements.
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.linalg.eigvals, "linalg.eigvals", (a,), {})
    loop, dtype, complex_dtype = _general("eigvals", a)
    if not a.size:
        return zeros(a.shape[:-1], complex_dtype if loop.kind == "c" or EIGENVALUES_ARE_COMPLEX else dtype)
    result = compute("eig_values", loop, a)
    if loop.kind == "c" or EIGENVALUES_ARE_COMPLEX or bool(reduce("any", result.imag != 0)):
        dtype = complex_dtype
    return cast(row(result, 0, dtype), dtype)
