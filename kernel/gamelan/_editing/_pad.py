# SPDX-License-Identifier: BSD-3-Clause
"""pad: the array in the middle of a larger one, whose rims are filled axis by axis from what is inside. Every rim is a slice
of the result, and so is what it is made of."""

import math

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._creation._ranges import linspace
from .._errors import unimplemented
from .._local import call_numpy, is_distributed
from .._sorting._sort import sort
from .._ufuncs._objects import UFUNCS
from .._ufuncs._where import either

__all__ = ["pad"]

_KEYWORDS = {
    "empty": (),
    "edge": (),
    "wrap": (),
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
}


def _pairs(given, dims, is_count=False):
    """The argument for both ends of every axis."""
    if given is None:
        return [(None, None)] * dims
    given = numpy.asarray(given)
    if is_count:
        given = numpy.round(given).astype(numpy.intp)
        if given.size and given.min() < 0:
            raise ValueError("index can't contain negative values")
    return [tuple(pair) for pair in numpy.broadcast_to(given.reshape(-1) if given.size == 1 else given, (dims, 2))]


class _Region:
    """The array being filled, complete along the axes before `axis`: of that one, [first, last) is known."""

    def __init__(self, padded, shape, widths, axis):
        inner = tuple(slice(before, before + extent) for (before, _), extent in zip(widths, shape))
        self.array = padded[(slice(None),) * (axis + 1) + inner[axis + 1 :]]
        self.axis, self.extent = axis, padded.shape[axis]
        self.first = int(widths[axis][0])
        self.last = self.first + shape[axis]

    def _key(self, start, stop, step=1):
        return (slice(None),) * self.axis + (slice(start, stop, step),)

    def part(self, start, stop):
        return self.array[self._key(start, stop)]

    def backwards(self, start, stop):
        return self.part(start, stop)[self._key(None, None, -1)]

    def before(self, values, count=None):
        """Fills the places before the known ones, `count` of them or all; returns how many."""
        count = self.first if count is None else count
        if count:
            self.array[self._key(self.first - count, self.first)] = values
        return count

    def after(self, values, count=None):
        count = self.extent - self.last if count is None else count
        if count:
            self.array[self._key(self.last, self.last + count)] = values
        return count

    @property
    def missing(self):
        return self.first, self.extent - self.last


def _constant(region, values):
    region.before(values[0])
    region.after(values[1])


def _edge(region, _):
    region.before(region.part(region.first, region.first + 1))
    region.after(region.part(region.last - 1, region.last))


def _linear_ramp(region, ends):
    before, after = region.missing
    edges = region.part(region.first, region.first + 1), region.part(region.last - 1, region.last)
    for count, end, edge, fill in ((before, ends[0], edges[0], region.before), (after, ends[1], edges[1], region.after)):
        if count:
            ramp = linspace(end, edge.squeeze(region.axis), count, False, False, edge.dtype, region.axis)
            fill(ramp if fill == region.before else ramp[region._key(None, None, -1)])


def _median(part, axis):
    """The middle of the sorted numbers, the mean of the two in the middle, NaN if there is one."""
    part = sort(part, axis)
    along = (slice(None),) * axis
    middle, extent = part.shape[axis] // 2, part.shape[axis]
    result = part[along + (slice(middle - 1 + extent % 2, middle + 1),)].mean(axis, keepdims=True)
    if part.dtype.kind not in "fc":
        return result
    last = part[along + (slice(extent - 1, extent),)]
    return either(last != last, last, result)


def _statistic(name):
    def fill(region, lengths):
        known = region.last - region.first
        lengths = [known if length is None else min(int(length), known) for length in lengths]
        if 0 in lengths and name in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")

        def value(part):
            methods = {"maximum": "max", "minimum": "min", "mean": "mean"}
            result = _median(part, region.axis) if name == "median" else getattr(part, methods[name])(region.axis, keepdims=True)
            if part.dtype.kind in "iu" and result.dtype.kind == "f":
                result = UFUNCS["rint"](result)
            return result

        before = value(region.part(region.first, region.first + lengths[0]))
        after = before if lengths == [known, known] else value(region.part(region.last - lengths[1], region.last))
        region.before(before)
        region.after(after)

    return fill


def _mirror(skipped):
    """Mirrors the known part at its ends, as often as needed; `skipped`: how many elements at an end do not come twice."""

    def fill(region, kind):
        if region.last - region.first == 1 and skipped:
            _edge(region, None)
            return
        while any(region.missing):
            before, after = region.missing
            known = region.last - region.first - skipped
            first, last = region.first, region.last
            count, other = min(known, before), min(known, after)
            values = region.backwards(first + skipped, first + skipped + count)
            others = region.backwards(last - skipped - other, last - skipped)
            if kind == "odd":
                values = 2 * region.part(first, first + 1) - values
                others = 2 * region.part(last - 1, last) - others
            region.first -= region.before(values, count)
            region.last += region.after(others, other)

    return fill


def _wrap(region, _):
    while any(region.missing):
        before, after = region.missing
        first, last = region.first, region.last
        count, other = min(last - first, before), min(last - first, after)
        values, others = region.part(last - count, last), region.part(first, first + other)
        region.first -= region.before(values, count)
        region.last += region.after(others, other)


_FILL = {
    "constant": _constant,
    "edge": _edge,
    "linear_ramp": _linear_ramp,
    "reflect": _mirror(1),
    "symmetric": _mirror(0),
    "wrap": _wrap,
    **{name: _statistic(name) for name in ("maximum", "minimum", "mean", "median")},
}


def pad(array, pad_width, mode="constant", **kwargs):
    """Pad an array at its edges.

    Lazy, but "linear_ramp" may trigger evaluation. A function as `mode` takes arrays that are not distributed.

    Examples
    --------
    >>> import gamelan as np
    >>> np.pad([1, 2, 3], (1, 2), "reflect").tolist()
    [2, 1, 2, 3, 2, 1]
    """
    array = asarray(array)
    pad_width = numpy.asarray(_of_axes(pad_width, array.ndim) if isinstance(pad_width, dict) else pad_width)
    if pad_width.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    widths = _pairs(pad_width, array.ndim, True)
    shape = tuple(extent + int(before) + int(after) for extent, (before, after) in zip(array.shape, widths))
    if not is_distributed(array) and math.prod(shape) < _core.threshold():
        return call_numpy(numpy.pad, "pad", (array, pad_width, mode), kwargs)
    if callable(mode):
        raise unimplemented(
            "pad(mode=function)", "it would call the function for every line; the modes with a name are computed on the engines"
        )
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_KEYWORDS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if array.size == 0 and mode not in ("constant", "empty"):
        for axis, width in enumerate(widths):
            if array.shape[axis] == 0 and any(width):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    options = _options(mode, kwargs, array.ndim)
    padded = filled(shape, array.dtype, 0)
    padded[tuple(slice(int(before), int(before) + extent) for (before, _), extent in zip(widths, array.shape))] = array
    if mode != "empty" and math.prod(shape) and (array.size or mode == "constant"):
        for axis in range(array.ndim):
            if any(widths[axis]):
                _FILL[mode](_Region(padded, array.shape, widths, axis), options[axis])
    return padded


def _nothing(width):
    """Zero for a whole number, and for each of a pair; anything else as it is."""
    if isinstance(width, tuple):
        return tuple(map(_nothing, width))
    return 0 if isinstance(width, int) else width


def _of_axes(widths, dims):
    """The widths of each axis, of a dict by axes; as it is where the imported NumPy knows no dict (before 2.2)."""
    try:  # with nothing to add: the widths may be large
        numpy.pad(numpy.empty((1,) * dims), {axis: _nothing(width) for axis, width in widths.items()}, "empty")
    except TypeError:
        return widths
    pairs = [(0, 0)] * dims
    for axis, width in widths.items():
        pairs[axis] = width if isinstance(width, tuple) else (width, width)
    return pairs


def _options(mode, kwargs, dims):
    """What the mode is told about each axis."""
    if mode == "constant":
        return _pairs(kwargs.get("constant_values", 0), dims)
    if mode == "linear_ramp":
        return _pairs(kwargs.get("end_values", 0), dims)
    if "stat_length" in _KEYWORDS[mode]:
        return _pairs(kwargs.get("stat_length"), dims, True)
    return [kwargs.get("reflect_type", "even")] * dims
