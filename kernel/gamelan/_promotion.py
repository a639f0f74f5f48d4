# SPDX-License-Identifier: BSD-3-Clause
"""Which dtype an operation computes in and returns: asked of the NumPy that is imported, never decided here.

`_core` calls `resolve` once per (op, dtypes, value classes) and remembers the answer. NumPy is asked with arrays of size
zero, so nothing is computed and NumPy's own errors (no loop, bad cast) are raised at the user's line.
"""

import numpy

from . import _core
from ._errors import unsupported_dtype
from ._imported_numpy import NUMBERS_ARE_WEAK

NAMES = tuple(_core.dtype_names())
DTYPES = tuple(numpy.dtype(name) for name in NAMES)
TABLE = {row["name"]: row for row in _core.ops_table()}
OPS = {name: row["op"] for name, row in TABLE.items()}

# Values of a 0-d array that promote differently in NumPy 1.x, by kind: when all of them agree, its value does not matter.
_EXTREMES = {
    "b": (True,),
    "i": (1, -1),
    "u": (1,),
    "f": (1.0,),
    "c": (1.0,),
}


# By NumPy's type number, where `longlong` is another one than `long`.
_NUMBERS = {dtype.num: number for number, dtype in enumerate(DTYPES)}
_NUMBERS[numpy.dtype("longlong").num] = NAMES.index("int64")
_NUMBERS[numpy.dtype("ulonglong").num] = NAMES.index("uint64")


def dtype_number(dtype):
    """The engines' number of a dtype; NotImplementedError for one they do not hold."""
    dtype = numpy.dtype(dtype)
    if dtype.isnative and dtype.num in _NUMBERS:
        return _NUMBERS[dtype.num]
    raise unsupported_dtype(dtype)


def is_supported(dtype):
    """True when the engines can hold arrays of this dtype."""
    return dtype.isnative and dtype.num in _NUMBERS


def numpy_function(name):
    """NumPy's object for a row of the op table, None where NumPy has none of that name."""
    if name == "copy":
        return numpy.positive
    return getattr(numpy, name, None)


def promoted_as(given, otherwise):
    """What takes part in a promotion for an argument of a function: in NumPy 2 a number of Python as such, else `otherwise`."""
    return given if NUMBERS_ARE_WEAK and type(given) in (int, float, complex) else otherwise


def _probe(name, probes, out, keywords):
    """Result dtype (and the dtype of the loop) of NumPy's op on these probes."""
    if name == "where":
        result = numpy.where(*probes).dtype
        return result, result
    function = numpy_function(name)
    with numpy.errstate(all="ignore"):
        if out is not None:
            # Asked a second time with the output, for NumPy's error when it cannot be cast.
            shape = numpy.broadcast_shapes(*(numpy.shape(probe) for probe in probes))
            function(*probes, out=numpy.empty(shape, out), **keywords)
            keywords = (
                {key: value for key, value in keywords.items() if key != "casting"} | {"casting": "unsafe"} if keywords else {}
            )
        result = function(*probes, **keywords).dtype
    if any(keywords.get(key) is not None for key in ("dtype", "signature", "sig")):
        return _asked_loop(function, probes, keywords), result
    if TABLE[name]["result"] == "same":
        return result, result
    if len(probes) == 1:
        return function.resolve_dtypes((numpy.asarray(probes[0]).dtype, None))[0], result
    return _compared(probes), result


def _compared(probes):
    """The dtype in which two operands are compared. Beside integers, NumPy 2 compares an integer of Python that their dtype
    does not hold: we do as float64, where `_core` makes an infinity of what no integer dtype holds."""
    loop = numpy.result_type(*probes)
    if NUMBERS_ARE_WEAK and loop.kind in "iu":
        limits = numpy.iinfo(loop)
        if any(type(probe) is int and not limits.min <= probe <= limits.max for probe in probes):
            return numpy.dtype(float)
    return loop


def _asked_loop(function, probes, keywords):
    """The dtype of the loop that dtype= or signature= names."""
    dtype = keywords.get("dtype")
    signature = keywords.get(
        "signature", keywords.get("sig", None if dtype is None else (None,) * function.nin + (numpy.dtype(dtype),))
    )
    promoted = numpy.result_type(*probes)
    dtypes = (*(promoted if numpy.ndim(probe) == 0 else probe.dtype for probe in probes), None)
    return function.resolve_dtypes(dtypes, signature=signature, casting="unsafe")[0]


def _extremes(dtype):
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        return (*_EXTREMES[dtype.kind], info.max, info.min)
    if dtype.kind in "fc":
        return (*_EXTREMES[dtype.kind], numpy.finfo(dtype).max)
    return _EXTREMES[dtype.kind]


def resolve(name, operands, out=None, **keywords):
    """Loop and result dtype numbers of an op, and which operands' values must be known to tell. `keywords` are NumPy's.

    An operand is a dtype (an array), a tuple of one dtype (a 0-d array on the engines) or a number.
    """
    has_array = any(isinstance(operand, numpy.dtype) for operand in operands)
    needs_value = 0
    probes = []
    for operand in operands:
        if isinstance(operand, numpy.dtype):
            probes.append(numpy.empty(0, operand))
        elif isinstance(operand, tuple):
            probes.append(numpy.ones((), operand[0]))
        else:
            probes.append(operand)
    answer = _probe(name, probes, out, keywords)
    for index, operand in enumerate(operands):
        if has_array and isinstance(operand, tuple):
            for value in _extremes(operand[0]):
                asked = [*probes]
                asked[index] = numpy.array(value, operand[0])
                try:
                    agrees = _probe(name, asked, out, keywords) == answer
                except TypeError:
                    agrees = False
                if not agrees:
                    needs_value |= 1 << index
                    break
    loop, result = answer
    return dtype_number(loop), dtype_number(result), needs_value


_core.set_resolve_hook(resolve)
_core.set_numbers_are_weak(NUMBERS_ARE_WEAK)
_core.set_ufuncs([numpy_function(name) for name in TABLE])
