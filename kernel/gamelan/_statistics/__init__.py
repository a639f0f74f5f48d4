# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's statistics, one idea per file: made of folds, sorts, searches and shifted views, which the engines have."""

from ._averages import average, mean, ptp
from ._coefficients import poly, polyadd, polyder, polydiv, polyint, polymul, polysub, roots
from ._convolution import convolve, correlate
from ._counts import bincount
from ._covariance import corrcoef, cov
from ._differences import diff, ediff1d, trapz
from ._gradient import gradient
from ._histograms import histogram, histogram_bin_edges
from ._histograms_nd import histogram2d, histogramdd
from ._interpolation import interp
from ._nan_folds import (
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from ._polynomials import polyfit, polyval
from ._quantiles import median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from ._searching import digitize, searchsorted
from ._spread import std, var

__all__ = [name for name in globals() if not name.startswith("_")]
