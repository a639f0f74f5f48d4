# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy's docstrings leave out: mistakes with the functions that refuse them, and results with the functions that return
them. A method of ndarray has what the function of its name has. Read only when a docstring is composed."""

import functools

from ._imported_numpy import NO_AXES_NO_NONZERO
from ._numpydoc import Entry

_RAISES = """
AttributeError: If the object has no method `__dlpack__`.
    from_dlpack
AxisError: If `axis` is outside the dimensions of the result.
    expand_dims stack linspace logspace geomspace
IndexError: If an axis is outside the dimensions of the array.
    size split array_split trapezoid trapz fft.fftshift fft.ifftshift
IndexError: If an index is outside the array and `mode` is 'raise'.
    take put
IndexError: If an index is outside the array.
    delete insert take_along_axis put_along_axis item itemset
IndexError: If an element beyond the end of the array is chosen.
    compress extract
IndexError: If a condition does not have the shape of `x`.
    piecewise
LinAlgError: If the array has no square matrices in its last two axes.
    linalg.det linalg.slogdet
LinAlgError: If the array has fewer than two axes or no elements, or if the singular values cannot be found.
    linalg.cond
LinAlgError: If the singular values cannot be found.
    linalg.matrix_rank
NotImplementedError: If the array is distributed.
    getfield newbyteorder setfield tostring isnat
OSError: If the file cannot be read.
    load loadtxt genfromtxt fromfile
OSError: If the file cannot be written, or there is no space for it.
    save savez savez_compressed savetxt tofile dump
OverflowError: If the interval is infinite.
    random.uniform
RuntimeError: If the weights do not have one axis and one element for each observation.
    cov
TypeError: If the array does not hold integers.
    bincount
TypeError: If the array does not hold integers or bools.
    packbits
TypeError: If the array is not of dtype uint8.
    unpackbits
TypeError: If `x` or `y` does not have one axis, is empty, or differs in length.
    polyfit
TypeError: If the numbers are complex.
    digitize
TypeError: If the argument is not an integer.
    mask_indices tri random.bytes
TypeError: If the values cannot be cast as `casting` says.
    copyto concatenate stack hstack vstack row_stack
ValueError: If `order` is not one of 'C', 'F', 'A' and 'K'.
    array asarray asanyarray asarray_chkfinite copy ndarray.copy empty empty_like ones ones_like zeros zeros_like full
    full_like eye ravel flatten tobytes
ValueError: If an extent is negative.
    empty ones zeros full eye identity indices fromfunction fft.fftfreq mask_indices tile ndarray.resize
ZeroDivisionError: If `step` is 0.
    arange
ValueError: If there would be more numbers than an array can have.
    arange
ValueError: If `num` is negative.
    linspace logspace geomspace
ValueError: If the nested sequences do not all have the same length.
    array asarray asanyarray ascontiguousarray asfortranarray asfarray atleast_1d atleast_2d atleast_3d
ValueError: If the shapes of the arguments do not broadcast.
    allclose isclose broadcast_arrays broadcast_to clip where select copyto put_along_axis cross
ValueError: If `out` does not have the shape of the result.
    around round_ fix isneginf isposinf conj conjugate outer
ValueError: If the array does not have the shape that the function needs.
    polyadd polysub polymul polydiv polyder polyint polyval roots poly vander correlate convolve cov corrcoef digitize
    interp searchsorted histogram histogramdd bincount diag_indices_from tril_indices_from triu_indices_from trim_zeros diff
ValueError: If the array has more than two axes.
    diag
ValueError: If the array has too few axes.
    fliplr flipud dsplit hsplit vsplit
ValueError: If the array cannot be split into equal parts.
    dsplit hsplit vsplit
ValueError: If `indices_or_sections` is a number below 1.
    array_split
ValueError: If the arrays differ in an axis along which they are not joined, or there are none.
    append block column_stack concatenate dstack hstack row_stack stack vstack
ValueError: If a sequence of values does not fit where it is put in.
    insert full full_like place fill
ValueError: If a condition has another shape than the array, or is no list of one axis.
    compress delete
ValueError: If `mode` is not one of those that are named.
    take put choose convolve correlate pad ravel_multi_index
ValueError: If the last axis of `a` and the axis of `b` that it meets differ in extent.
    dot inner matmul
ValueError: If the arrays differ in the number of elements.
    vdot
ValueError: If the axes over which products are summed differ in extent.
    tensordot linalg.multi_dot
ValueError: If `subscripts` cannot be read or does not fit the shapes of the operands.
    einsum einsum_path
ValueError: If `axes` does not name each axis once.
    transpose
ValueError: If `axes` does not name two different axes of the array.
    rot90
ValueError: If the new shape does not have as many elements.
    reshape ndarray.reshape
ValueError: If the new shape is negative.
    resize
ValueError: If an index or `order` is none that the function takes, or an index is outside the shape.
    unravel_index ravel_multi_index
ValueError: If `indexing` is neither 'xy' nor 'ij'.
    meshgrid
ValueError: If an index does not have one axis.
    ix_
ValueError: If `kind` is none that is named.
    sort argsort partition argpartition in1d isin
ValueError: If `kth` is outside the axis.
    partition argpartition
ValueError: If `side` is neither 'left' nor 'right'.
    searchsorted
ValueError: If `q` or `method` is outside what is named.
    quantile percentile nanquantile nanpercentile
ValueError: If there are no elements, or only NaN in one line.
    nanargmin nanargmax
ValueError: If there are no elements, and no `initial`.
    max min nanmax nanmin amax amin
ValueError: If there are no elements.
    argmin argmax ptp
ValueError: If `bins` or `range` cannot be used, or `x` and `y` differ in length.
    histogram histogram2d histogramdd histogram_bin_edges
ValueError: If a count in `repeats` is negative, or there is not one for each element.
    repeat
ValueError: If `bitorder` is neither 'big' nor 'little'.
    packbits unpackbits
ValueError: If `pad_width` is negative or does not fit the axes.
    pad
ValueError: If the differences or `edge_order` do not fit the array.
    gradient
ValueError: If there is nothing to take differences of.
    unwrap
ValueError: If `deg` is negative.
    polyfit
ValueError: If the array has fewer than two axes.
    fill_diagonal trace diagonal
ValueError: If the buffer does not hold what is asked for.
    frombuffer
ValueError: If the text or the file does not hold what is asked for.
    loadtxt genfromtxt load
ValueError: If `UPLO` is neither 'L' nor 'U'.
    linalg.eigh linalg.eigvalsh
ValueError: If `mode` is none that is named.
    linalg.qr
ValueError: If `ord` does not suit the number of axes.
    linalg.norm linalg.cond
ValueError: If fewer than two arrays are given.
    linalg.multi_dot
ValueError: If `precision` is negative.
    array_repr array_str array2string
ValueError: If a distributed array does not reach so far in memory.
    lib.stride_tricks.as_strided
ValueError: If the window does not fit into the array.
    lib.stride_tricks.sliding_window_view
ValueError: If the bytes of a row are no multiple of the new size.
    view
ValueError: If the array cannot be made writeable.
    setflags
ValueError: If the array is read-only.
    fill place put putmask put_along_axis copyto fill_diagonal itemset
KeyError: If a requirement is none that is named.
    require
ValueError: If two requirements exclude each other.
    require
ValueError: If the index names no single element.
    item
ValueError: If a parameter is outside its range, or `size` is negative or does not fit the parameters.
    random.random random.standard_normal random.standard_exponential random.standard_gamma random.integers
    random.multinomial random.multivariate_hypergeometric random.multivariate_normal random.uniform random.normal
    random.exponential random.gamma random.beta random.noncentral_chisquare random.f random.noncentral_f random.standard_t
    random.standard_cauchy random.lognormal random.laplace random.logistic random.gumbel random.pareto random.rayleigh
    random.wald random.weibull random.vonmises random.triangular random.poisson random.binomial random.negative_binomial
    random.geometric random.zipf random.logseries random.hypergeometric random.random_sample random.rand random.randn
    random.randint random.random_integers random.tomaxint random.choice random.dirichlet
NotImplementedError: If `x` is no array and `axis` is not 0.
    random.Generator.shuffle
ValueError: If the weights do not fit the axis.
    average
ValueError: If the number of functions does not fit that of the conditions.
    piecewise
ValueError: If there are no singular values.
    linalg.matrix_rank
ValueError: If the shapes of `a` and `b` do not fit each other.
    linalg.solve linalg.tensorsolve
ValueError: If `ind` is not positive.
    linalg.tensorinv
IndexError: If there are no elements.
    quantile percentile
IndexError: If a polynomial is empty.
    polydiv
IndexError: If an axis is outside the dimensions of an array.
    tensordot fft.ihfft fft.rfft2 fft.irfft2
AxisError: If the array has no axes.
    msort sort_complex
LinAlgError: If a matrix holds NaN or infinity.
    poly
LinAlgError: If the singular values cannot be found.
    linalg.norm
ValueError: If `arr` and `indices` differ in the number of axes.
    take_along_axis
ValueError: If the keys differ in shape.
    lexsort
ValueError: If the array has no axes.
    fft.fftshift fft.ifftshift
ValueError: If an array without elements has fewer than two axes.
    linalg.pinv
ValueError: If the length of the transform is below 1, or `norm` is none that is named.
    fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft fft.rfft2 fft.irfft2
ValueError: If the array is read-only.
    random.shuffle
ValueError: If the seed is negative.
    random.seed
ValueError: If the state is none of this generator.
    random.set_state
ValueError: If the length is negative.
    random.bytes
ValueError: If the array has fewer axes than that takes.
    linalg.matrix_transpose matrix_transpose unstack
ValueError: If an array has another number of axes than one.
    linalg.outer
ValueError: If an array of more than one axis comes without `axis`.
    cumulative_sum cumulative_prod
"""
if NO_AXES_NO_NONZERO:
    _RAISES += "ValueError: If the array has no axes.\n    nonzero\n"


_RETURNS = """
None
    copyto fill fill_diagonal partition place put put_along_axis putmask save savetxt set_string_function setflags sort itemset
    tofile dump random.seed
ndarray
    copy fromfile getfield polyint tri triu view
list of ndarray: The parts, as views.
    array_split dsplit hsplit vsplit
tuple of ndarray: The indices, one array for each axis.
    diag_indices diag_indices_from tril_indices_from triu_indices_from
str: The text.
    array_str
bytes: The elements, or a pickle of them.
    tostring dumps
list of Generator: The new generators.
    random.spawn
ndarray or float: The numbers.
    random.random
"""


@functools.cache
def _table(text):
    """A table by function: its entries."""
    found, entry = {}, None
    for line in text.strip().splitlines():
        if line[0].isspace():
            for name in line.split():
                found.setdefault(name, []).append(entry)
        else:
            kind, _, sentence = line.partition(": ")
            entry = Entry(kind, [f"    {sentence}"] if sentence else [])
    return found


def _of(text, place, name):
    table = _table(text)
    if place == "numpy.ndarray":
        return table.get(f"ndarray.{name}") or table.get(name, [])
    owner = place.removeprefix("numpy").lstrip(".").removesuffix("ufunc")
    module = owner.removesuffix(".Generator").removesuffix(".RandomState")
    return [each for title in dict.fromkeys((owner, module)) for each in table.get(f"{title}.{name}" if title else name, [])]


def mistakes(place, name):
    """The entries of the Raises section that we add for the function `name` of a module or class of NumPy."""
    return _of(_RAISES, place, name)


def results(place, name):
    """The entries of its Returns section where NumPy has none."""
    return _of(_RETURNS, place, name)
