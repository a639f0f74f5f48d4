# SPDX-License-Identifier: BSD-3-Clause
"""Every public name of the package, from the module that makes it, in the order of the floors. A name is said once: in
`__all__` of its home. `python3 -m gamelan._homes NAME` tells the home of one."""

from . import _ufunc_methods, fft, lib, linalg, random
from ._creation._public import follows_like
from ._distribution.redistribution import accepts_distribution
from ._imported_numpy import is_public

# What needs no arrays.
from ._explain import *
from ._numpys_own import *
from ._errors import *
from ._config import *
from ._session import *
from ._display import *
from ._memory import *

# Creation, casts, and where arrays lie.
from ._creation._filled import *
from ._creation._like import *
from ._creation._from_data import *
from ._creation._public import *
from ._creation._ranges import *
from ._creation._diagonals import *
from ._creation._grids import *
from ._creation._makers import *
from ._creation._powers import *
from ._distribution.choice import *
from ._distribution.redistribution import *
from ._printing import *
from ._routines import *

# Views, and arrays joined.
from ._views._plain import *
from ._views._reshape import *
from ._views._facts import *
from ._views._broadcast import *
from ._views._copyto import *
from ._views._join import *
from ._views._block import *
from ._views._concatenators import *

# Universal functions, and what is made of them.
from ._ufuncs._objects import *
from ._ufuncs._public import *
from ._ufuncs._clip import *
from ._ufuncs._made_of import *
from ._ufuncs._logic import *
from ._ufuncs._log_ranges import *
from ._ufuncs._bits import *

# Folds.
from ._folds._reductions import *
from ._folds._scans import *
from ._folds._arg_reductions import *

# Indexing.
from ._indexing._nonzero import *
from ._indexing._where import *
from ._indexing._take_put import *
from ._indexing._masks import *
from ._indexing._selecting import *
from ._indexing._flat import *
from ._indexing._diagonals import *
from ._indexing._triangles import *
from ._indexing._unravel import *

# Sorting, sets, editing.
from ._sorting._sort import *
from ._sorting._lexsort import *
from ._sorting._partition import *
from ._sets._unique import *
from ._sets._membership import *
from ._sets._operations import *
from ._editing._insert_delete import *
from ._editing._repeat import *
from ._editing._roll import *
from ._editing._pad import *
from ._editing._apply import *

# Linear algebra that has no namespace of its own, statistics, files.
from .linalg._products import *
from .linalg._tensor_products import *
from .linalg._vector_products import *
from .linalg._einsum import *
from ._protection import *
from ._statistics._averages import *
from ._statistics._spread import *
from ._statistics._nan_folds import *
from ._statistics._quantiles import *
from ._statistics._covariance import *
from ._statistics._differences import *
from ._statistics._gradient import *
from ._statistics._searching import *
from ._statistics._interpolation import *
from ._statistics._counts import *
from ._statistics._histograms import *
from ._statistics._histograms_nd import *
from ._statistics._convolution import *
from ._statistics._coefficients import *
from ._statistics._polynomials import *
from ._files._npy import *
from ._files._npz import *
from ._files._loading import *
from ._files._raw import *
from ._files._text import *
from ._files._hdf5 import *
from ._files._zarr import *
from ._saved._loading import *
from ._saved._saving import *
from ._held_arrays import *
from ._published import *

# What NumPy 2 took over from the array-API standard.
from ._standard_names import *

# The array itself.
from ._ndarray._class import *
from ._ndarray._protocols import *

for _name in (
    "array",
    "asarray",
    "zeros",
    "ones",
    "full",
    "empty",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "arange",
    "linspace",
    "eye",
    "identity",
    "fromfunction",
):
    globals()[_name] = accepts_distribution(globals()[_name])
for _name in ("asanyarray", "ascontiguousarray", "asfortranarray", "require", "tri", "frombuffer", "fromfile", "fromstring"):
    globals()[_name] = follows_like(globals()[_name])

_OURS = ("accepts_distribution", "follows_like", "is_public")
__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in _OURS and is_public(name))
