# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are NumPy's own where every argument is small: `_core` then calls NumPy's at once (kernel/module/small_calls).

Here is said how large a result may get, because a result of `config.distribute_from` elements belongs on the engines. Functions
are left out whose result depends on numbers among the arguments (`repeat`, `zeros`) and which do more than NumPy's.
"""

import numpy

# At most as large as the largest argument.
_LARGEST = """
sum prod mean std var min max amin amax any all argmax argmin ptp median percentile quantile average nansum nanprod nanmean
nanstd nanvar nanmin nanmax nanmedian nanpercentile nanquantile nanargmax nanargmin cumsum cumprod nancumsum nancumprod sort
argsort partition argpartition diff round around roll nonzero
flatnonzero count_nonzero searchsorted digitize array_equal trace interp
angle unique delete compress tril triu lexsort isin in1d clip copy
linalg.norm linalg.solve linalg.inv linalg.det linalg.eig linalg.eigvals linalg.eigh linalg.eigvalsh linalg.qr linalg.cholesky
linalg.lstsq linalg.matrix_rank linalg.slogdet linalg.cond linalg.matrix_power
fft.fft fft.ifft fft.rfft fft.irfft fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.hfft
fft.ihfft fft.fftshift fft.ifftshift
"""
# The same, but the result may be a view of the argument, or the argument may be written.
_VIEWS = """
squeeze ravel reshape transpose swapaxes moveaxis rollaxis flip fliplr flipud rot90 expand_dims diagonal nan_to_num real imag
split array_split hsplit vsplit
"""
# Methods of arrays on the engines, which come here when they are used often.
_METHODS = """
sum prod mean std var min max any all argmax argmin ptp cumsum cumprod argsort trace nonzero searchsorted dot compress
"""
# At most as large as all arguments together.
_SUM = "concatenate stack vstack hstack dstack column_stack append insert convolve correlate"
# At most as large as the product of their sizes.
_PRODUCT = """
inner vdot outer tensordot einsum cross where isclose allclose array_equiv take take_along_axis linalg.svd linalg.pinv
linalg.multi_dot
"""
# As large as a product of two matrices or vectors.
_MATRICES = "dot matmul"
_GROWTH = {name: growth for growth, names in enumerate((_LARGEST + _VIEWS, _SUM, _PRODUCT, _MATRICES)) for name in names.split()}


def bind(call, place):
    """Gives a function that users call NumPy's own, if it is one of these. `place`: the module of NumPy for which it stands."""
    name = f"{place}.{call.__name__}".removeprefix("numpy.")
    module = getattr(numpy, place.removeprefix("numpy."), numpy)
    if name in _GROWTH and hasattr(module, call.__name__):
        call._growth = _GROWTH[name]
        call._gives_views = name in _VIEWS.split()
        call._numpys = getattr(module, call.__name__)


def bind_method(call):
    """The same for a method of arrays on the engines."""
    if call.__name__ in _METHODS.split():
        call._growth = _GROWTH[call.__name__]
        call._numpys = getattr(numpy.ndarray, call.__name__)
