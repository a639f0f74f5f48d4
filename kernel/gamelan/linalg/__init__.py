# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra under NumPy's names. Arrays that are here go to NumPy; large matrices are computed by all engines together
(ScaLAPACK), stacks of matrices one by one where they lie (LAPACK), in double precision as NumPy does.

What fails because of values (a singular matrix) is known only when it is computed: such functions trigger evaluation, so
that `LinAlgError` is raised at their line.
"""

from numpy.linalg import LinAlgError

from .._errors import MissingName as _MissingName
from ._chain import matrix_power, multi_dot
from ._decompositions import cholesky, qr
from ._determinants import det, slogdet
from ._eigen import eig, eigh, eigvals, eigvalsh
from ._least_squares import lstsq, pinv
from ._norms import cond, matrix_rank, norm
from ._singular import svd
from ._solutions import inv, solve, tensorinv, tensorsolve

__all__ = """
matrix_power solve tensorsolve tensorinv inv cholesky eigvals eigvalsh pinv slogdet det svd eig eigh lstsq norm qr cond
matrix_rank LinAlgError multi_dot
""".split()


def __getattr__(name):
    raise _MissingName("gamelan.linalg", name)
