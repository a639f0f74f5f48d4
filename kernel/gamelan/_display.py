# SPDX-License-Identifier: BSD-3-Clause
"""How arrays look: text equal to NumPy's made from the corners alone, and a card for notebooks with the distribution."""

import html
import itertools
import json
import math
import threading

import numpy

from . import _core
from ._errors import GamelanError
from ._launch._tables import size
from ._local import is_distributed

__all__ = ["set_string_function"]


def _corners(array, edge):
    """A NumPy array that NumPy prints as it would print the whole: each long axis cut to its ends and a filler between."""
    pieces_of_axis = []
    for extent in array.shape:
        if extent > 2 * edge + 1:
            # The element between the ends is never printed; any one will do.
            pieces_of_axis.append(
                [(slice(0, edge + 1), slice(0, edge + 1)), (slice(extent - edge, extent), slice(edge + 1, 2 * edge + 1))]
            )
        else:
            pieces_of_axis.append([(slice(0, extent), slice(0, extent))])
    result = numpy.empty([min(extent, 2 * edge + 1) for extent in array.shape], array.dtype)
    pieces = list(itertools.product(*pieces_of_axis))
    views = [_core.view(array, array._a[tuple(source for source, _ in piece) + (Ellipsis,)]) for piece in pieces]
    for piece, values in zip(pieces, _core.fetch(views)):
        result[tuple(target for _, target in piece)] = values
    return result


def _printable(array, threshold=None, edgeitems=None):
    """A NumPy array and the print options under which its text is that of the whole array."""
    options = numpy.get_printoptions()  # all of them: numpy.printoptions() forgets a formatter that it is not given
    if not is_distributed(array):
        return array._a, options
    if array.size <= (options["threshold"] if threshold is None else threshold):
        return _core.fetch([array])[0], options
    return _corners(array, options["edgeitems"] if edgeitems is None else edgeitems), {**options, "threshold": 0}


_string_functions = {True: None, False: None}  # what the user set, by whether it is for repr()


def set_string_function(f, repr=True):
    """Set the function that makes the text of an array.

    Triggers no evaluation. The function gets the array itself, whose elements may be on the engines.
    """
    numpy.set_string_function(f, repr)
    _string_functions[bool(repr)] = f


_being_shown = set()  # arrays and threads: an array of objects may hold itself


def text(array, is_repr):
    """What repr() and str() give."""
    function = _string_functions[is_repr]
    if function is not None:
        return function(array)
    this = id(array), threading.get_ident()
    if this in _being_shown:
        return "array(..., dtype=object)" if is_repr else "..."
    _being_shown.add(this)
    try:
        return array_repr(array) if is_repr else array_str(array)
    finally:
        _being_shown.discard(this)


def array_str(array, *options):
    """As `numpy.array_str`; triggers evaluation and fetches the corners only."""
    data, summary = _printable(array)
    with numpy.printoptions(**summary):
        return numpy.array_str(data, *options)


def array_repr(array, max_line_width=None, *options):
    """As `numpy.array_repr`; triggers evaluation and fetches the corners only."""
    override = numpy.get_printoptions().get("override_repr")  # NumPy 2 has one
    if override is not None:
        return override(array)
    data, summary = _printable(array)
    with numpy.printoptions(**summary):
        text = numpy.array_repr(data, max_line_width, *options)
    if data.shape == array.shape:
        return text
    return _with_shape(text, data.shape, array.shape, max_line_width or summary["linewidth"])


def _with_shape(text, shown, shape, width):
    """The text of the corners with the shape of the whole array, where NumPy says it, on a line of its own if it must be."""
    elements, mark, rest = text.rpartition(f"shape={shown}")
    if not mark:
        return text
    elements, rest = elements.rstrip(), f"shape={shape}{rest}"
    is_wide = len(elements) - (elements.rfind("\n") + 1) + len(rest) + 1 > width
    return elements + ("\n      " if is_wide else " ") + rest


def array2string(array, *options, threshold=None, edgeitems=None, **named):
    """As `numpy.array2string`; triggers evaluation and fetches the corners only."""
    data, _ = _printable(array, threshold, edgeitems)
    return numpy.array2string(data, *options, threshold=0 if data.size < array.size else threshold, edgeitems=edgeitems, **named)


def layout_of(array):
    """How the array's base lies on the engines: per axis the number of parts, the first cuts and the step from rank to rank;
    None when unknown."""
    try:
        layout = json.loads(_core.explain([array]))["layouts"][0]
    except (ValueError, LookupError, TypeError):  # the tests' model has no layouts
        return None
    return layout or None


_MOST_DRAWN = 32  # blocks of an axis
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d")


def _drawing(layout):
    """An SVG of the base's last two axes: its blocks to scale, coloured by the rank that owns them."""
    axes = layout["axes"]
    extents, parts, cuts = layout["extents"], [axis["parts"] for axis in axes], [axis["cuts"] for axis in axes]
    strides = [axis["rank_stride"] for axis in axes]
    while len(extents) < 2:
        extents, parts, cuts, strides = [1, *extents], [1, *parts], [[0, 1], *cuts], [0, *strides]
    rows, columns = extents[-2:]
    largest = max(rows, columns, 1)
    height, width = max(24, 120 * rows / largest), max(24, 120 * columns / largest)
    layers = math.prod(parts[:-2])
    # Of many blocks the first ones stand for all.
    down, across = (list(itertools.islice(itertools.pairwise(each), _MOST_DRAWN)) for each in cuts[-2:])
    shapes = []
    for layer in reversed(range(min(layers, 4))):
        shift = 6 * layer
        first_rank = layout["first_rank"] + _rank_of_layer(layer, parts[:-2], strides[:-2])
        for row, (top, bottom) in enumerate(down):
            for column, (left, right) in enumerate(across):
                rank = first_rank + row * strides[-2] + column * strides[-1]
                shapes.append(
                    f'<rect x="{shift + left * width / max(columns, 1):.1f}" y="{shift + top * height / max(rows, 1):.1f}" '
                    f'width="{(right - left) * width / max(columns, 1):.1f}" '
                    f'height="{(bottom - top) * height / max(rows, 1):.1f}" '
                    f'fill="{_COLOURS[rank % len(_COLOURS)]}" stroke="white"><title>engine {rank}</title></rect>'
                )
    return (
        f'<svg width="{width + 24:.0f}" height="{height + 24:.0f}" role="img" aria-label="distribution">'
        + "".join(shapes)
        + "</svg>"
    )


def _rank_of_layer(layer, parts, strides):
    """The first rank of the layer-th block of the axes before the last two, counted in C order."""
    rank = 0
    for count, stride in zip(reversed(parts), reversed(strides)):
        layer, coordinate = divmod(layer, count)
        rank += coordinate * stride
    return rank


def _blocks(layout):
    """In words: "4 x 1", or what else there is to know."""
    if layout["replicated"]:
        return "the same on all"
    return " × ".join(str(axis["parts"]) for axis in layout["axes"])


def array_html(array):
    """The card of an array in a notebook; None (text is used) for small ones. Triggers evaluation for the corners."""
    if not is_distributed(array) or array.ndim == 0:
        return None
    try:
        text = html.escape(array_repr(array))
    except GamelanError:
        return None  # the text says it, once
    layout = layout_of(array)
    facts = [
        ("shape", " × ".join(map(str, array.shape))),
        ("dtype", array.dtype.name),
        ("size", size(array.nbytes)),
        ("engines", _core.ranks() or "model"),
    ]
    if layout:
        facts.append(("blocks", _blocks(layout)))
        # The blocks drawn are the base's: of a view, say so.
        if tuple(layout["extents"]) != array.shape or not array._a.flags.c_contiguous:
            facts.append(("view of", " × ".join(map(str, layout["extents"]))))
    drawing = _drawing(layout) if layout else ""
    rows = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{html.escape(str(value))}</td></tr>'
        for name, value in facts
    )
    return '<div style="display:flex;gap:1.5em;align-items:flex-start">' f"<table>{rows}</table>{drawing}</div><pre>{text}</pre>"
