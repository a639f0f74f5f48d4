# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra under NumPy's names. Arrays that are here go to NumPy; large matrices are computed by all engines together
(ScaLAPACK), stacks of matrices one by one where they lie (LAPACK), in double precision as NumPy does.

What fails because of values (a singular matrix) is known only when it is computed: such functions trigger evaluation, so
that `LinAlgError` is raised at their line.
"""

from numpy.linalg import LinAlgError

from .._errors import MissingName as _MissingName
from . import _chain, _decompositions, _determinants, _eigen, _least_squares, _norms, _singular, _solutions, _standard
from ._chain import *
from ._decompositions import *
from ._determinants import *
from ._eigen import *
from ._least_squares import *
from ._norms import *
from ._singular import *
from ._solutions import *
from ._standard import *

__all__ = ["LinAlgError"]
for _home in (_chain, _decompositions, _determinants, _eigen, _least_squares, _norms, _singular, _solutions, _standard):
    __all__ += _home.__all__


def __getattr__(name):
    raise _MissingName("gamelan.linalg", name)
