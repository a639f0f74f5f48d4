# SPDX-License-Identifier: BSD-3-Clause
"""The array-API standard (version 2024.12) on gamelan's arrays, for libraries that ask an array for its namespace.

    xp = x.__array_namespace__()

The functions take any `gamelan.ndarray` and return `Array`, one whose operators follow the standard, too. Only functions
whose standard meaning is not NumPy's own differ from those of `gamelan`: dtypes promote without a look at values, NaN are
distinct to `unique_*`, `sort` knows `descending`. What has no distributed form raises NotImplementedError by name.
"""

import sys as _sys
from types import FunctionType as _FunctionType

from .. import _package
from . import _creation, _dtypes, _folds, _shapes, _versions, fft, linalg
from ._array import Array, LargeArray, by_the_standard
from ._creation import *  # noqa: F403
from ._dtypes import *  # noqa: F403
from ._elementwise import FUNCTIONS as _FUNCTIONS
from ._folds import *  # noqa: F403
from ._info import __array_namespace_info__
from ._shapes import *  # noqa: F403
from ._versions import NEWEST as __array_api_version__
from .linalg import matmul, tensordot, vecdot

globals().update(_FUNCTIONS)

e, inf, nan, newaxis, pi = 2.718281828459045, float("inf"), float("nan"), None, 3.141592653589793

__all__ = sorted(
    {
        *(name for part in (_creation, _dtypes, _folds, _shapes) for name in part.__all__),
        *_FUNCTIONS,
        *("fft", "linalg", "matmul", "tensordot", "vecdot", "e", "inf", "nan", "newaxis", "pi"),
        *("__array_api_version__", "__array_namespace_info__"),
    }
)
# Of no arrays, and asked more often than others: they stay as they are.
_ABOUT_DTYPES = ("__array_namespace_info__", "can_cast", "finfo", "iinfo", "isdtype", "result_type")


def _follow_the_standard(names, public):
    for name in public:
        if type(names[name]) is _FunctionType and name not in _ABOUT_DTYPES:
            names[name] = by_the_standard(names[name])
            names[name].__module__ = names["__name__"]  # where pickles find it


_follow_the_standard(globals(), __all__)
_follow_the_standard(vars(linalg), linalg.__all__)
_follow_the_standard(vars(fft), fft.__all__)
_versions.newest = _sys.modules[__name__]


def __getattr__(name):
    """Functions of NumPy that the standard lacks: gamelan's. xarray asks an array's namespace for `pad`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_package.public, name)
