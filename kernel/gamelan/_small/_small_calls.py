# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are NumPy's own where every argument is small: `_core` then calls NumPy's at once (kernel/module/small_calls).

Here is said how large a result usually is, because a result of `config.distribute_from` elements belongs on the engines; one
that is larger all the same (`tril` of a vector, `fft(n=)`, `pad`) is computed here and sent there. Functions are left out which
do more than NumPy's.
"""

import numpy

# At most as large as the largest argument.
_LARGEST = """
sum prod mean std var min max amin amax any all argmax argmin ptp median percentile quantile average nansum nanprod nanmean
nanstd nanvar nanmin nanmax nanmedian nanpercentile nanquantile nanargmax nanargmin cumsum cumprod nancumsum nancumprod sort
argsort partition argpartition diff round around roll nonzero
flatnonzero count_nonzero searchsorted digitize array_equal trace interp
angle unique delete compress tril triu lexsort isin in1d copy
linalg.norm linalg.solve linalg.inv linalg.det linalg.eig linalg.eigvals linalg.eigh linalg.eigvalsh linalg.qr linalg.cholesky
linalg.lstsq linalg.matrix_rank linalg.slogdet linalg.cond linalg.matrix_power
fft.fft fft.ifft fft.rfft fft.irfft fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.hfft
fft.ihfft fft.fftshift fft.ifftshift gradient zeros_like ones_like full_like
bincount histogram histogram_bin_edges ediff1d trapz argwhere pad
"""
# The same, but the result may be a view of the argument, or the argument may be written.
_VIEWS = """
squeeze ravel reshape transpose swapaxes moveaxis rollaxis flip fliplr flipud rot90 expand_dims diagonal nan_to_num real imag
split array_split hsplit vsplit einsum
"""
# Methods of arrays on the engines, which come here when they are used often.
_METHODS = """
sum prod mean std var min max any all argmax argmin ptp cumsum cumprod argsort trace nonzero searchsorted dot compress copy
"""
# At most as large as all arguments together.
_SUM = (
    "concatenate stack vstack hstack dstack column_stack append insert convolve correlate union1d intersect1d setdiff1d setxor1d"
)
# At most as large as the product of their sizes.
_PRODUCT = """
inner vdot outer tensordot einsum cross array_equiv take take_along_axis linalg.svd linalg.pinv
linalg.multi_dot kron cov corrcoef
"""
# As large as a product of two matrices or vectors.
_MATRICES = "dot matmul"
# As large as what the arguments broadcast to.
_BROADCAST = "where isclose allclose clip"
# As large as the only argument but for a dtype: an array, or a list with the arrays in it.
_ITEMS = "array asarray"
# As large as the first argument times the numbers in the second.
_TIMES = "repeat tile"
# As large as numbers among the arguments say: a shape, one or two extents, a range, a count.
_MADE = ("zeros ones empty full", "eye identity", "arange", "linspace logspace geomspace")
_GROWTH = {
    name: growth
    for growth, names in enumerate((_LARGEST + _VIEWS, _SUM, _PRODUCT, _MATRICES, _BROADCAST, _ITEMS, _TIMES, " ".join(_MADE)))
    for name in names.split()
}


# How many of the first arguments are arrays that are only read: one, but of these two or three. Of functions that make arrays
# the place in `_MADE` (kernel/module/new_sizes.hpp).
_OPERANDS = dict.fromkeys(
    """dot matmul inner vdot outer cross isclose allclose array_equal array_equiv tensordot searchsorted digitize convolve
    correlate isin in1d kron take compress linalg.solve linalg.lstsq""".split(),
    2,
) | {"where": 3, "interp": 3, "clip": 3}
_OPERANDS |= {name: place for place, names in enumerate(_MADE) for name in names.split()}


def bind(call, place):
    """Gives a function that users call NumPy's own, if it is one of these. `place`: the module of NumPy for which it stands."""
    name = f"{place}.{call.__name__}".removeprefix("numpy.")
    module = getattr(numpy, place.removeprefix("numpy."), numpy)
    if name in _GROWTH and hasattr(module, call.__name__):
        call._growth = _GROWTH[name]
        call._operands = _OPERANDS.get(name, 1)
        call._gives_views = name in _VIEWS.split()
        call._numpys = getattr(module, call.__name__)


def bind_method(call):
    """The same for a method of arrays on the engines."""
    if call.__name__ in _METHODS.split():
        call._growth, call._operands = _GROWTH[call.__name__], 1
        call._numpys = getattr(numpy.ndarray, call.__name__)
