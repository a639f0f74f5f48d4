# SPDX-License-Identifier: BSD-3-Clause
"""Which version of the standard brought which names, and the namespace of a version: what a library gets that asks for an
older one holds nothing newer, above all no dtypes that it does not know of, and adds up as that version says."""

import functools
from types import ModuleType

import numpy

from .._ndarray._class import DistributedArray, ndarray

NEWEST = "2024.12"
_NEW = {
    "2021.12": (),
    "2022.12": ("complex64", "complex128", "conj", "fft", "imag", "isdtype", "real", "take"),
    "2023.12": (
        "__array_namespace_info__",
        "clip",
        "copysign",
        "cumulative_sum",
        "hypot",
        "maximum",
        "minimum",
        "moveaxis",
        "repeat",
        "searchsorted",
        "signbit",
        "tile",
        "unstack",
    ),
    "2024.12": ("count_nonzero", "cumulative_prod", "diff", "nextafter", "reciprocal", "take_along_axis"),
}
VERSIONS = tuple(_NEW)
newest = None  # the package, which puts itself here


@functools.cache
def namespace(version=NEWEST):
    """The module `gamelan.array_api`, or one with the names that an older version of the standard has.

    Raises ValueError for a version that there is not.
    """
    if version not in VERSIONS:
        raise ValueError(f"got version {version!r} of the array-API standard, expected one of {', '.join(VERSIONS)}")
    if version == NEWEST:
        return newest
    too_new = {name for each in VERSIONS[VERSIONS.index(version) + 1 :] for name in _NEW[each]}
    older = _without(newest, version, too_new)
    older.linalg = _without(newest.linalg, version, too_new)
    for module, name in ((older, "sum"), (older, "prod"), (older.linalg, "trace")):
        setattr(module, name, _in_the_default_dtype(getattr(module, name)))
    older.expand_dims = _expand_dims
    older.__array_api_version__ = version
    return older


def _without(module, version, names):
    """A module of the public names of another, except some."""
    result = ModuleType(f"{module.__name__} {version}", module.__doc__)
    result.__all__ = [name for name in module.__all__ if name not in names]
    vars(result).update({name: getattr(module, name) for name in result.__all__})
    return result


def _expand_dims(x, /, *, axis=0):
    """The array with an axis of extent 1 more, as before 2024.12."""
    return newest.expand_dims(x, axis)


def _in_the_default_dtype(function):
    """A fold as it was before 2023.12: numbers of single precision are added up, and answered, in double precision."""

    @functools.wraps(function)
    def call(x, /, *, dtype=None, **keywords):
        if dtype is None and x.dtype.kind in "fc":
            dtype = numpy.result_type(x.dtype, numpy.float64)
        return function(x, dtype=dtype, **keywords)

    return call


def __array_namespace__(self, /, *, api_version=None):
    """The functions of the array-API standard: `gamelan.array_api`, or those that an older version of it has."""
    return namespace(NEWEST if api_version is None else api_version)


__array_namespace__.__module__, __array_namespace__.__qualname__ = ndarray.__module__, "ndarray.__array_namespace__"
ndarray.__array_namespace__ = DistributedArray.__array_namespace__ = __array_namespace__
