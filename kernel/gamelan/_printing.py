# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that make text of an array. What the text looks like is _display's business."""

from . import _display
from ._creation._from_data import asarray

__all__ = ["array2string", "array_repr", "array_str"]


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
