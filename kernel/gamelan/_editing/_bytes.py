# SPDX-License-Identifier: BSD-3-Clause
"""byteswap: shifts of the same bytes seen as unsigned numbers. The dtype stays, as in NumPy; the numbers are others."""

from .. import _core
from .._creation._from_data import copy_of
from .._local import wrap_here


def byteswap(array, inplace=False):
    """The array with the bytes of each element reversed; each part of a complex number is reversed by itself."""
    if array._b is None:
        result = array._a.byteswap(inplace)
        return array if inplace else wrap_here(result)
    swapped = copy_of(array)
    width = array.itemsize // (2 if array.dtype.kind == "c" else 1)
    if width > 1 and array.size:
        words = swapped.reshape(-1)
        words = _core.view(words, words._a.view(f"u{width}"))
        _swap(words, width)
    if not inplace:
        return swapped
    array[...] = swapped
    return array


def _swap(words, width):
    """Halves change places, then halves of halves."""
    step = width * 8
    mask = (1 << step) - 1
    while step > 8:
        step //= 2
        mask ^= (mask << step) & ((1 << width * 8) - 1)
        low = words.dtype.type(mask)
        words[...] = ((words >> words.dtype.type(step)) & low) | ((words & low) << words.dtype.type(step))
