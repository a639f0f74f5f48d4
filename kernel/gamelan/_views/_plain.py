# SPDX-License-Identifier: BSD-3-Clause
"""Functions that answer with another view of the elements: NumPy makes it of the array or of its proxy, and reads nothing."""

import functools

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._imported_numpy import BROADCASTS_GIVE_BACK, SEVERAL
from .._local import gathered, has_own_class, is_distributed

__all__ = [
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "diagonal",
    "dsplit",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "moveaxis",
    "rollaxis",
    "rot90",
    "split",
    "squeeze",
    "swapaxes",
    "transpose",
    "vsplit",
]


def _wrap_views(array, data, result):
    if isinstance(result, (list, tuple)):
        return type(result)(_wrap_views(array, data, item) for item in result)
    if isinstance(result, numpy.generic):  # `flip` of an array without axes that is here
        return result
    return array if result is data and not has_own_class(result) else _core.view(array, result)


_SUMMARIES = {
    "transpose": "The array with its axes permuted.",
    "swapaxes": "The array with two axes exchanged.",
    "moveaxis": "The array with axes moved to other positions.",
    "rollaxis": "The array with an axis moved backwards to a position.",
    "squeeze": "The array without axes of extent 1.",
    "expand_dims": "The array with new axes of extent 1.",
    "broadcast_to": "Broadcast an array to a shape.",
    "flip": "The array with its elements in reverse order along axes.",
    "fliplr": "The array with its elements in reverse order along the second axis.",
    "flipud": "The array with its elements in reverse order along the first axis.",
    "rot90": "Rotate an array by 90 degrees in the plane of two axes.",
    "diagonal": "The diagonals of an array.",
    "split": "Split an array into equal parts along an axis.",
    "array_split": "Split an array into parts along an axis.",
    "hsplit": "Split an array along its second axis, or its only one.",
    "vsplit": "Split an array along its first axis.",
    "dsplit": "Split an array along its third axis.",
}


def _view_function(name):
    """NumPy's function applied to the array or its proxy: for functions that never read an element."""
    function = getattr(numpy, name)

    @functools.wraps(function, updated=())
    def apply(a, *arguments, **keywords):
        a = asarray(a)
        # Only the proxy itself may meet NumPy: another array of ours would send NumPy back here with it.
        arguments = tuple(map(gathered, arguments))
        keywords = {key: gathered(value) for key, value in keywords.items()}
        if a.ndim == 0 and is_distributed(a) and name != "broadcast_to":
            # Some of them index, and would read the number: the shape comes from a stand-in.
            return _core.reshape_view(a, numpy.shape(function(numpy.empty((), a.dtype), *arguments, **keywords)))
        data = a._a
        return _wrap_views(a, data, function(data, *arguments, **keywords))

    apply.__module__ = "gamelan"  # where pickles find it
    views = "The parts are views and need" if "split" in name else "The result is a view and needs"
    apply.__doc__ = f"{_SUMMARIES[name]}\n\n{views} no evaluation."
    return apply


transpose = _view_function("transpose")
swapaxes = _view_function("swapaxes")
moveaxis = _view_function("moveaxis")
rollaxis = _view_function("rollaxis")
squeeze = _view_function("squeeze")
expand_dims = _view_function("expand_dims")
broadcast_to = _view_function("broadcast_to")
flip = _view_function("flip")
fliplr = _view_function("fliplr")
flipud = _view_function("flipud")
rot90 = _view_function("rot90")
diagonal = _view_function("diagonal")
split = _view_function("split")
array_split = _view_function("array_split")
hsplit = _view_function("hsplit")
vsplit = _view_function("vsplit")
dsplit = _view_function("dsplit")


def _at_least(name):
    function = getattr(numpy, name)

    @functools.wraps(function, updated=())
    def apply(*arys):
        results = [_wrap_views(array, data, function(data)) for array, data in ((each, each._a) for each in map(asarray, arys))]
        return results[0] if len(results) == 1 else SEVERAL(results)

    apply.__module__ = "gamelan"
    apply.__doc__ = (
        f"View the arguments as arrays with at least {name[-2]} axes.\n\nThe results are views and need no evaluation."
    )
    return apply


atleast_1d = _at_least("atleast_1d")
atleast_2d = _at_least("atleast_2d")
atleast_3d = _at_least("atleast_3d")


def broadcast_arrays(*args, subok=False):
    """Broadcast arrays against each other.

    The results are read-only views; with NumPy 2 an array that has the shape already is given back. No evaluation is needed.
    """
    arrays = [asarray(array) for array in args]
    shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    return SEVERAL(array if BROADCASTS_GIVE_BACK and array.shape == shape else broadcast_to(array, shape) for array in arrays)
