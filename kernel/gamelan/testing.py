# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's assertions about arrays: its own names, which take our arrays, also in lists and dicts. The elements of a distributed
one come here, if `config.gather_limit` allows it."""

import functools

import numpy.testing
from numpy.testing import *  # noqa: F403

from ._local import unwrap

_OF_ARRAYS = """
assert_equal assert_almost_equal assert_approx_equal assert_array_equal assert_array_almost_equal assert_array_less
assert_allclose
assert_array_almost_equal_nulp assert_array_max_ulp
""".split()


def _of_ours(name):
    theirs = getattr(numpy.testing, name)

    @functools.wraps(theirs)
    def function(*arguments, **keywords):
        __tracebackhide__ = True
        return theirs(*map(unwrap, arguments), **unwrap(keywords))

    function.__module__ = __name__
    function.__doc__ = f"As `numpy.testing.{name}`, for arrays of ours, too."
    return function


globals().update({_name: _of_ours(_name) for _name in _OF_ARRAYS})


def __getattr__(name):
    return getattr(numpy.testing, name)
