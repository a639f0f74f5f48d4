# SPDX-License-Identifier: BSD-3-Clause
"""Public names that are NumPy's own objects: constants, dtypes, and what concerns dtypes, errors and printing only."""

import numpy

_PASSED = """
pi e inf nan newaxis euler_gamma Inf NaN NAN Infinity PINF NINF PZERO NZERO infty
dtype finfo iinfo errstate seterr geterr result_type promote_types can_cast min_scalar_type issubdtype common_type
printoptions set_printoptions get_printoptions broadcast_shapes ndindex index_exp s_ iterable
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
tracemalloc_domain use_hugepage nbytes isdtype long ulong bool
""".split()
__all__ = [name for name in _PASSED if name in vars(numpy)]
globals().update({name: getattr(numpy, name) for name in __all__})
