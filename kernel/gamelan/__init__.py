# SPDX-License-Identifier: BSD-3-Clause
"""Gamelan: NumPy whose large arrays live on many MPI engines.

    import gamelan as np

Small arrays are NumPy arrays in our class and are computed here; arrays of `np.config.distribute_from` elements or more
live on the engines, which start by themselves on first need. `np.sync()` waits for them, `np.stats()` counts.
"""

import importlib as _importlib
import os as _os
import sys as _sys

import numpy as _numpy

from . import _core

_core.set_package_directory(_os.path.dirname(_os.path.abspath(__file__)))

from . import _display, _local, _promotion  # noqa: E402  (hooks of _core, before anything is computed)
from ._display import set_string_function  # noqa: E402
from ._arg_reductions import argmax, argmin  # noqa: E402
from ._array_protocols import from_dlpack  # noqa: E402
from ._config import config, options  # noqa: E402
from ._creation import (  # noqa: E402
    arange,
    array,
    ascontiguousarray,
    copy,
    diag,
    empty,
    empty_like,
    eye,
    fromfunction,
    full,
    full_like,
    identity,
    indices,
    linspace,
    logspace,
    meshgrid,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from ._creation._public import asanyarray, asarray, follows_like as _follows_like  # noqa: E402
from ._distribution import accepts_distribution as _accepts_distribution, distribution, redistribute  # noqa: E402
from ._errors import (  # noqa: E402
    CancelledError,
    EngineLostError,
    EngineTimeoutError,
    GamelanError,
    InternalError,
    ProtocolError,
    VersionError,
)
from ._index import (  # noqa: E402
    argwhere,
    choose,
    compress,
    count_nonzero,
    diag_indices,
    diag_indices_from,
    diagflat,
    extract,
    fill_diagonal,
    flatiter,
    flatnonzero,
    ix_,
    mask_indices,
    ndenumerate,
    nonzero,
    piecewise,
    place,
    put,
    put_along_axis,
    putmask,
    ravel_multi_index,
    select,
    take,
    take_along_axis,
    tri,
    tril,
    tril_indices,
    tril_indices_from,
    triu,
    triu_indices,
    triu_indices_from,
    unravel_index,
)
from .linalg._einsum import einsum, einsum_path  # noqa: E402
from .linalg._products import dot, inner, matmul, outer, trace, vdot  # noqa: E402
from .linalg._tensor_products import cross, kron, tensordot  # noqa: E402
from ._logic import allclose, array_equal, array_equiv, isclose, isneginf, isposinf  # noqa: E402
from ._manipulation import (  # noqa: E402
    append,
    apply_along_axis,
    apply_over_axes,
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_to,
    clip,
    column_stack,
    concatenate,
    copyto,
    diagonal,
    dsplit,
    dstack,
    expand_dims,
    flip,
    fliplr,
    flipud,
    hsplit,
    hstack,
    imag,
    moveaxis,
    ndim,
    ravel,
    real,
    reshape,
    rollaxis,
    rot90,
    row_stack,
    shape,
    size,
    split,
    squeeze,
    stack,
    swapaxes,
    transpose,
    vsplit,
    vstack,
)
from ._memory import may_share_memory, shares_memory  # noqa: E402
from ._ndarray import ndarray  # noqa: E402
from ._reductions import all, amax, amin, any, max, min, prod, sum  # noqa: E402
from ._scans import cumprod, cumsum  # noqa: E402
from ._routines import routine  # noqa: E402
from ._session import explain, stats, status, sync  # noqa: E402
from ._sorting import argpartition, argsort, lexsort, msort, partition, sort, sort_complex  # noqa: E402
from ._sets import in1d, intersect1d, isin, setdiff1d, setxor1d, union1d, unique  # noqa: E402
from ._statistics import (  # noqa: E402
    average,
    bincount,
    convolve,
    corrcoef,
    correlate,
    cov,
    diff,
    digitize,
    ediff1d,
    gradient,
    histogram,
    histogram2d,
    histogram_bin_edges,
    histogramdd,
    interp,
    mean,
    median,
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmedian,
    nanmin,
    nanpercentile,
    nanprod,
    nanquantile,
    nanstd,
    nansum,
    nanvar,
    percentile,
    poly,
    polyadd,
    polyder,
    polydiv,
    polyfit,
    polyint,
    polymul,
    polysub,
    polyval,
    ptp,
    quantile,
    roots,
    searchsorted,
    std,
    trapz,
    var,
)
from ._ufuncs import PUBLIC as _PUBLIC, divmod, ufunc, where  # noqa: E402
from ._ufunc.made_of import (  # noqa: E402
    angle,
    around,
    fix,
    i0,
    iscomplex,
    iscomplexobj,
    isnat,
    isreal,
    isrealobj,
    nan_to_num,
    real_if_close,
    round,
    round_,
    sinc,
    unwrap,
    vectorize,
)
from ._ufunc.bits import packbits, unpackbits  # noqa: E402
from . import fft, linalg, random  # noqa: E402
from . import lib  # noqa: E402
from ._creation import (  # noqa: E402
    asarray_chkfinite,
    asfarray,
    asfortranarray,
    c_,
    geomspace,
    mgrid,
    ogrid,
    r_,
    require,
    vander,
)
from ._manipulation import (  # noqa: E402
    block,
    broadcast,
    delete,
    insert,
    isfortran,
    pad,
    repeat,
    resize,
    roll,
    tile,
    trim_zeros,
)
from . import array_api  # noqa: E402
from ._files import (  # noqa: E402
    frombuffer,
    fromfile,
    fromstring,
    genfromtxt,
    load,
    load_hdf5,
    load_zarr,
    loadtxt,
    save,
    save_hdf5,
    savetxt,
    savez,
    savez_compressed,
)

globals().update(_PUBLIC)
alltrue, sometrue, product, cumproduct = all, any, prod, cumprod  # NumPy's older names
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
    globals()[_name] = _accepts_distribution(globals()[_name])
for _name in ("asanyarray", "ascontiguousarray", "asfortranarray", "require", "tri", "frombuffer", "fromfile", "fromstring"):
    globals()[_name] = _follows_like(globals()[_name])

__version__ = "0.1.0"

# Names that are NumPy's own objects: constants, dtypes, and what concerns dtypes, errors and printing only.
_PASSED = """
pi e inf nan newaxis euler_gamma Inf NaN NAN Infinity PINF NINF PZERO NZERO infty
dtype finfo iinfo errstate seterr geterr result_type promote_types can_cast min_scalar_type issubdtype common_type
printoptions set_printoptions get_printoptions broadcast_shapes ndindex index_exp s_ iterable isscalar
generic number integer signedinteger unsignedinteger inexact floating complexfloating
bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intc uintc int_ uint intp uintp byte ubyte short ushort
longlong ulonglong float16 float32 float64 half single double float_ complex64 complex128 csingle cdouble complex_
AxisError ComplexWarning VisibleDeprecationWarning RankWarning TooHardError
True_ False_ ScalarType typecodes sctypes sctypeDict flexible character str_ bytes_ void object_ string_ unicode_ datetime64
timedelta64 longdouble clongdouble longfloat clongfloat singlecomplex cfloat float128 complex256 obj2sctype sctype2char
maximum_sctype issctype issubsctype issubclass_ mintypecode typename find_common_type iscomplexobj isrealobj seterrcall
geterrcall seterrobj geterrobj getbufsize setbufsize ModuleDeprecationWarning base_repr binary_repr format_float_positional
format_float_scientific ALLOW_THREADS BUFSIZE CLIP ERR_CALL ERR_DEFAULT ERR_IGNORE ERR_LOG ERR_PRINT ERR_RAISE ERR_WARN
FLOATING_POINT_SUPPORT FPE_DIVIDEBYZERO FPE_INVALID FPE_OVERFLOW FPE_UNDERFLOW MAXDIMS MAY_SHARE_BOUNDS MAY_SHARE_EXACT RAISE
SHIFT_DIVIDEBYZERO SHIFT_INVALID SHIFT_OVERFLOW SHIFT_UNDERFLOW UFUNC_BUFSIZE_DEFAULT UFUNC_PYVALS_NAME WRAP little_endian
tracemalloc_domain use_hugepage nbytes
""".split()
globals().update({name: getattr(_numpy, name) for name in _PASSED if hasattr(_numpy, name)})


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text of an array as `repr` shows it.

    Triggers evaluation. Only the elements that are shown are fetched from the engines.
    """
    return _display.array_repr(asarray(arr), max_line_width, precision, suppress_small)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The text of an array as `print` shows it.

    Triggers evaluation. Only the elements that are shown are fetched from the engines.
    """
    return _display.array_str(asarray(a), max_line_width, precision, suppress_small)


def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=" ",
    prefix="",
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix="",
    legacy=None,
):
    """The text of an array.

    Triggers evaluation. Only the elements that are shown are fetched from the engines.
    """
    return _display.array2string(
        asarray(a),
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )


def _hold_calls_together():
    from . import _calls, _ufuncs

    for kind, of_numpy in (
        (ndarray, "numpy.ndarray"),
        (array_api.Array, "numpy.ndarray"),
        (ufunc, "numpy.ufunc"),
        (_ufuncs.PairUfunc, "numpy.ufunc"),
        (flatiter, "numpy.flatiter"),
        (random.Generator, "numpy.random.Generator"),
        (random.RandomState, "numpy.random.RandomState"),
        (type(r_), None),
        (type(mgrid), None),
    ):
        for each in kind.__mro__[:-1]:
            _calls.of_class(each, of_numpy)
    for module in (_sys.modules[__name__], linalg, fft, random, lib.stride_tricks):
        _calls.of_module(module, module.__name__.replace("gamelan", "numpy", 1))
    for module in (array_api, array_api.linalg, array_api.fft):
        _calls.of_module(module, None)


_hold_calls_together()


def __getattr__(name):
    if name in ("ma", "polynomial", "testing", "typing"):  # NumPy's own: they take our arrays
        return _importlib.import_module(f"gamelan.{name}")
    if not name.startswith("_") and hasattr(_numpy, name):
        return _local.forwarded(_numpy, name, "")
    raise AttributeError(f"module 'gamelan' has no attribute {name!r}")


__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in {"linalg", "random", "lib"}) + [
    "linalg",
    "random",
]
