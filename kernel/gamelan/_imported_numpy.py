# SPDX-License-Identifier: BSD-3-Clause
"""What this package uses of NumPy that NumPy 1 and NumPy 2 keep in different places, some of it private. The imported NumPy is
asked here and nowhere else; the other modules import the names from here. Knows no arrays of ours."""

import importlib
import inspect
import operator
import warnings

import numpy
import numpy.lib.format


_MUST_BE = object()


def _found(name, *places, otherwise=_MUST_BE):
    """The object of that name in the first of these modules that has it."""
    for place in places:
        try:
            return getattr(importlib.import_module(place), name)
        except (ImportError, AttributeError):
            pass
    if otherwise is not _MUST_BE:
        return otherwise
    raise ImportError(f"NumPy {numpy.__version__} has no {name} in {' or '.join(places)}", name="numpy")


_NUMERIC = "numpy._core.numeric", "numpy.core.numeric"
_UMATH = "numpy._core.umath", "numpy.core.umath"
_FUNCTIONS = "numpy.lib._function_base_impl", "numpy.lib.function_base"
_EXCEPTIONS = "numpy.exceptions", "numpy"

# Does a number of Python leave the dtype of an array as it is, and a number of NumPy take part like an array (NEP 50)? In
# NumPy 1 the values of both decide.
NUMBERS_ARE_WEAK = numpy.result_type(numpy.float32, numpy.float64(1.0)) == numpy.float64


def _fails(call, *arguments, error=(TypeError, ValueError), **keywords):
    """Does NumPy refuse this call? Others may warn only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(*arguments, **keywords)
        except error:
            return True
    return False


normalize_axis_index = _found("normalize_axis_index", *_NUMERIC)
normalize_axis_tuple = _found("normalize_axis_tuple", *_NUMERIC)
ScalarType = _found("ScalarType", "numpy._core.numerictypes", "numpy.core.numerictypes")
clip = _found("clip", *_UMATH)  # the universal function, which takes no None
i0_coefficients = _found("_i0A", *_FUNCTIONS), _found("_i0B", *_FUNCTIONS)
least_integer = _found("_min_int", "numpy.lib._twodim_base_impl", "numpy.lib.twodim_base")
byte_bounds = _found("byte_bounds", "numpy.lib.array_utils", "numpy")
BagObj = _found("BagObj", "numpy.lib._npyio_impl", "numpy.lib.npyio")
npy_format = _found("_format_impl", "numpy.lib", otherwise=numpy.lib.format)
AxisError = _found("AxisError", *_EXCEPTIONS)
ComplexWarning = _found("ComplexWarning", *_EXCEPTIONS)
RankWarning = _found("RankWarning", *_EXCEPTIONS)

# Public names of ours that only some NumPys have: those that NumPy 2 removed, and those that it brought.
_OLD = "alltrue asfarray cumproduct in1d msort product round_ row_stack set_string_function sometrue trapz"
_NEW = """trapezoid astype bitwise_count concat cumulative_prod cumulative_sum matrix_transpose matvec permute_dims unique_all
unique_counts unique_inverse unique_values unstack vecdot vecmat"""
_VARYING = frozenset(f"{_OLD} {_NEW}".split())
_FORMER = {"trapezoid": "trapz"}  # functions that only some NumPys have under that name


def numpys(name):
    """NumPy's function of that name, or of the name that it had in NumPy 1."""
    return _found(name, "numpy", otherwise=None) or getattr(numpy, _FORMER.get(name, name))


def is_public(name, place=numpy):
    """May the package show this name of its own? Not when it is one that only other NumPys have."""
    return name not in _VARYING or hasattr(place, name)


# The variable in which NumPy 2 keeps what numpy.seterr has set; None for NumPy 1, which keeps it with the thread.
float_settings = _found("_extobj_contextvar", *_UMATH, otherwise=None)

# What `copy=False` means in `numpy.array`: never (NumPy 2), or only where it must be (NumPy 1).
FALSE_FORBIDS_COPIES = _fails(numpy.array, [1], copy=False)
NO_AXES_NO_NONZERO = _fails(numpy.nonzero, numpy.ones(()))
NUMBERS_HAVE_NO_AXES = _fails(float, numpy.ones(1))
CLIP_CASTS = not _fails(numpy.clip, numpy.ones(1), 0, 0.5, out=numpy.ones(1, int))
NONE_IS_A_COUNT = not _fails(numpy.bincount, [0], minlength=None)
INTERPOLATION_IS_A_NAME = not _fails(numpy.quantile, numpy.ones(1), 0.5, interpolation="linear")  # of the argument `method`
_whole = numpy.ones(2, int)
ROUNDING_COPIES = numpy.round(_whole) is not _whole
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    INSERT_TAKES_MASKS = numpy.insert(_whole, numpy.zeros(2, bool), 0).size == 2
UNEQUAL_SHAPES_RAISE = _fails(lambda: numpy.zeros(2) == numpy.zeros(3))
MOST_OPERANDS = 32 if _fails(numpy.broadcast, *[0] * 33) else 64
# Which right side of numpy.linalg.solve is a stack of vectors: one of one axis only (NumPy 2), or of one axis less.
ONE_AXIS_IS_A_VECTOR = numpy.linalg.solve(numpy.ones((1, 1, 1)), numpy.ones((1, 1))).ndim == 3
EIGENVALUES_ARE_COMPLEX = numpy.linalg.eigvals(numpy.eye(1)).dtype.kind == "c"  # of real matrices, too
CROSS_NEEDS_THREE = _fails(numpy.cross, [1, 2], [1, 2])  # components
CONDITION_MAY_BE_NAN = not _fails(numpy.linalg.cond, numpy.full((1, 1), numpy.nan), error=numpy.linalg.LinAlgError)
TAKEN_IS_CAST = not _fails(numpy.take, _whole, [0], out=numpy.zeros(1, numpy.float32))  # to the dtype of the output
ROLL_TAKES_FLOATS = not _fails(numpy.roll, _whole, 1.0)
WIDE_INDICES = not _fails(numpy.take, _whole, numpy.zeros(1, numpy.uint64))  # numbers of 64 bits without a sign
MATMUL_IN_PLACE = not _fails(operator.imatmul, numpy.eye(1), numpy.eye(1))
TAKES_ALONG_THE_LAST_AXIS = not _fails(numpy.take_along_axis, _whole, numpy.zeros(1, int))
SORTS_DOWNWARDS = not _fails(numpy.sort, _whole, descending=True)
SAVEZ_MAY_PICKLE = "allow_pickle" in inspect.signature(numpy.savez).parameters
AVERAGE_TAKES_LISTS = not _fails(numpy.average, numpy.ones((1, 1)), axis=[0, 1])
LSTSQ_RCOND = inspect.signature(numpy.linalg.lstsq).parameters["rcond"].default
SEVERAL = type(numpy.atleast_1d(0, 0))  # how several arrays are returned: in a tuple (NumPy 2) or in a list
WHOLE_BINS = numpy.histogram_bin_edges(numpy.array([0, 1, 2] * 9), "sqrt").size == 3  # of integers no bin is narrower than 1
BLOCKS_TAKE_SUBCLASSES = numpy.block([type("List", (list,), {})([1, 2])]).ndim == 2  # of list, as lists
_column = numpy.zeros((2, 1))
BROADCASTS_GIVE_BACK = numpy.broadcast_arrays(_column, numpy.zeros(1))[0] is _column  # an array that has the shape already
TRIM_TAKES_AXES = "axis" in inspect.signature(numpy.trim_zeros).parameters
STACKS_TAKE_SEQUENCES = _fails(numpy.hstack, iter([_whole]))
FLAGS_ARE_PYTHONS = _fails(numpy.sum, _whole, keepdims=numpy.True_)  # a bool of NumPy is none
BOOLEAN_KEYS_FIT = _fails(lambda: numpy.zeros(3).flat[numpy.zeros(2, bool)], error=IndexError)  # of x.flat
COMPLEX_HAS_NO_QUANTILES = _fails(numpy.quantile, numpy.zeros(1, complex), 0.5)
# At a tie `closest_observation` takes the element of even number, counted from 1 (NumPy 2) or from 0.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _no_numbers = numpy.nanquantile(numpy.full(1, numpy.nan, numpy.float32), [0.5])
FIRST_LINE_GIVES_DTYPE = _no_numbers.dtype == numpy.float32  # of all quantiles, where it has nothing but NaN
with numpy.errstate(invalid="ignore"):  # a whole number of Python as q of quantile, which becomes a float beside floats
    WHOLE_Q_IS_A_FLOAT = bool(numpy.isnan(numpy.quantile(numpy.full(2, numpy.inf), 0)))
COUNTS_FROM_ONE = bool(numpy.quantile(numpy.arange(6), 0.25, method="closest_observation") == 1)
ZERO_SHARES = not _fails(numpy.random.default_rng(1).dirichlet, [0.0, 1.0])
TRANSFORMS_CAST = not _fails(numpy.fft.rfft, numpy.zeros(2, complex))  # and warn that imaginary parts are left out
