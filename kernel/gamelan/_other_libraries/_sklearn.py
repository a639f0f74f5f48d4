# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of both sizes in scikit-learn, where it computes by the array-API standard: a model that has learnt from a large array
predicts for a small one, and NumPy's arrays are on the device on which ours are. (NumPy 2 says so itself.)"""

import numpy

from ._array_api_compat import are_sizes_mixed
from ._imports import replace, when_imported


def _that_lets_sizes_mix(asked):
    def check_same_namespace(X, estimator, *, attribute, method):
        if not are_sizes_mixed((X, getattr(estimator, attribute, None))):
            asked(X, estimator, attribute=attribute, method=method)

    return check_same_namespace


def _of_numpys_arrays_too(asked, get_config):
    def _single_array_device(array):
        device = asked(array)
        is_asked = device is None and isinstance(array, numpy.ndarray) and get_config().get("array_api_dispatch")
        return "cpu" if is_asked else device

    return _single_array_device


def _tell(array_api):
    replace(array_api, "check_same_namespace", _that_lets_sizes_mix)
    if hasattr(array_api, "get_config"):
        replace(array_api, "_single_array_device", lambda asked: _of_numpys_arrays_too(asked, array_api.get_config))


when_imported("sklearn.utils._array_api", _tell)
