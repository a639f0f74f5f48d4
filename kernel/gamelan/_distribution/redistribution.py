# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that lie as chosen: `redistribute`, the keyword `distribution=`, and how an array lies now."""

import functools
import inspect

import numpy

from .. import _core
from .._arguments import check_device
from .._creation._from_data import asarray
from .._display import layout_of
from .._local import call_numpy, decides_functions, is_distributed
from .._promotion import OPS, dtype_number
from .._session import ensure_engines
from .choice import distribution

__all__ = ["redistribute"]


def redistribute(a, distribution):
    """A copy of an array with a chosen distribution over the engines.

    Lazy. The copy keeps its distribution, and what is computed from it element by element has the same one. Takes the memory of
    both arrays until the first is gone.

    Parameters
    ----------
    a : array_like
        The array. A small one is distributed, too.
    distribution : gamelan.distribution
        The distribution of the copy.

    Returns
    -------
    ndarray
        A distributed array with the shape and the values of `a`.

    Raises
    ------
    ValueError
        If the distribution does not fit the shape, or takes more ranks than there are engines.

    See Also
    --------
    gamelan.distribution : the distributions

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.redistribute(np.arange(12.0).reshape(4, 3), np.distribution.replicated())
    >>> a.distribution
    distribution.replicated()
    """
    a = asarray(a)
    integers = _integers(distribution, a.shape)
    if a.size == 0:
        return a.copy()
    source = a if is_distributed(a) else _core.upload(numpy.ascontiguousarray(a._a).reshape(a.shape))
    return _make(a.shape, a.dtype, source, integers)


def _integers(choice, shape):
    if not isinstance(choice, distribution):
        raise TypeError(f"expected a gamelan.distribution, got {type(choice).__name__}")
    if not _core.is_connected():
        ensure_engines()
    return choice.integers(shape, _core.ranks() or 1)


def _make(shape, dtype, source, integers):
    number = dtype_number(dtype)
    result = _core.empty(shape, number)
    _core.record(OPS["redistribute"], number, result, True, (source,), integers)
    return result


# As NumPy 2 has it. `asarray` looks at its own.
_TAKE_A_DEVICE = frozenset("zeros ones full empty arange linspace eye zeros_like ones_like full_like empty_like".split())


def accepts_distribution(create):
    """The function that makes arrays, with two keywords more: `distribution`, and `device` as in NumPy 2. What it makes like
    another library's array is that library's, which NumPy asks."""
    theirs = getattr(numpy, create.__name__)
    takes_device = create.__name__ in _TAKE_A_DEVICE

    @functools.wraps(create)
    def function(*arguments, distribution=None, **keywords):
        if keywords:
            if decides_functions(keywords.get("like")):
                return call_numpy(theirs, create.__name__, arguments, keywords)
            if takes_device:
                check_device(keywords.pop("device", None))
        made = create(*arguments, **keywords)
        return made if distribution is None else redistribute(made, distribution)

    function.__module__ = "gamelan"  # where pickles find it
    signature = inspect.signature(create)
    keyword = inspect.Parameter("distribution", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters = list(signature.parameters.values())
    at = next((place for place, each in enumerate(parameters) if each.kind is each.VAR_KEYWORD), len(parameters))
    device = [keyword.replace(name="device")] if takes_device else []
    function.__signature__ = signature.replace(parameters=[*parameters[:at], *device, keyword, *parameters[at:]])
    return function


def base_layout(array):
    """How a whole array lies, as the engines tell it; ValueError for a view of another one."""
    layout = layout_of(array)
    if layout is None:
        raise ValueError("nothing is known of where this array lies")
    if array._b.nbytes != array.nbytes or not array._a.flags.c_contiguous:
        raise ValueError("a view lies where its array does: ask that, or take a copy")
    return layout


def distribution_of(array):
    """The `distribution` by which a distributed array lies; None for an array that is here. Asks the engines."""
    if not is_distributed(array):
        return None
    layout = base_layout(array)
    if layout["replicated"]:
        return distribution.replicated()
    parts = [axis["parts"] for axis in layout["axes"]]
    count = int(numpy.prod(parts))
    ranks = None if layout["first_rank"] == 0 and count == (_core.ranks() or 1) else (layout["first_rank"], count)
    dealt = _dealt_axis(layout["extents"], array.shape, parts)
    if dealt is not None:
        return distribution.cyclic(dealt, layout["extents"][dealt + 2], ranks)
    cuts = [axis["cuts"] for axis in layout["axes"]]
    even = all(each == [extent * c // n for c in range(n + 1)] for each, extent, n in zip(cuts, layout["extents"], parts))
    if even and tuple(layout["extents"]) == array.shape:
        return distribution.block(tuple(parts), ranks)
    return distribution.irregular(*(each[1:-1] for each in cuts), ranks=ranks)


def _dealt_axis(extents, shape, parts):
    """The axis of the shape that is dealt out in turns, when the extents have three axes in its place; else None."""
    if len(extents) != len(shape) + 2:
        return None
    for axis, extent in enumerate(shape):
        own = extents[axis : axis + 3]
        rest = [*extents[:axis], *extents[axis + 3 :]]
        if numpy.prod(own) == extent and rest == [*shape[:axis], *shape[axis + 1 :]] and parts[axis + 1] == numpy.prod(parts):
            return axis
    return None
