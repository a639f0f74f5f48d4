# SPDX-License-Identifier: BSD-3-Clause
"""Elements of a long row by their place in its order, without a sort. A sample, taken at even distances, says between which
two numbers each of them lies; the elements in between are picked, and few of them are partitioned here. A sample that misleads
(it shows when the elements below are counted) or too many equal elements lead to a sort, after all. Triggers evaluation. What is
picked depends on the row alone, never on the number of engines."""

import math

import numpy

from .. import _core
from .._creation._filled import filled
from .._folds._bounds import remember
from .._folds._reductions import reduce
from .._indexing._gather import take_along
from .._local import is_distributed
from .._promotion import OPS, dtype_number
from .._views._join import concatenate
from .._views._reshape import reshape
from ._sort import sort

_LEAST = 1 << 15  # elements: below it a sort is as fast
_SAMPLES = 4096
_MANY = 1 << 20  # elements: from here on a larger sample costs less than the elements that it excludes
_DEVIATIONS = 4  # standard ones, that a place may be off in the sample: of 10,000 random samples one is further off
_MOST_HERE = 1 << 17  # candidates: so many are sooner here than sorted there
_MOST_PLACES = 8
_INTP = numpy.dtype(numpy.intp)


def can_select(row, places):
    """True when a selection is faster than a sort."""
    return (
        is_distributed(row) and row.ndim == 1 and row.size >= _LEAST and row.dtype.kind in "iuf" and len(places) <= _MOST_PLACES
    )


def elements_at(row, places):
    """The elements of a distributed row that a sort would put at these places (rising numbers), as a row; NaN is last."""
    if not can_select(row, places):
        return take_along(sort(row), asarray_of(places), 0)
    if not places:
        return row[:0]
    ends = {}
    if 0 in places:
        ends[0] = reduce("reduce_fmin" if row.dtype.kind == "f" else "min", row)
    if row.size - 1 in places:
        ends[row.size - 1] = reduce("max", row)
    inner = [place for place in places if place not in ends]
    if not inner:
        return concatenate([reshape(ends[place], (1,)) for place in places])
    found = _selected(row, inner, ends)
    if found is None:
        return take_along(sort(row), asarray_of(places), 0)
    return _core.upload(numpy.array([found[place] for place in places], row.dtype))


def asarray_of(places):
    """An index of a few numbers, on the engines."""
    return _core.upload(numpy.array(places, _INTP))


def _selected(row, places, ends):
    """An element for each place, as numbers that are here, and for each of `ends`, which are computed in the same pass; None if
    a sort must find them."""
    brackets = _brackets(row, places)
    if brackets is None:
        return None
    masks, asked = [], []
    for low, high, _ in brackets:
        below = None if low is None else row < low
        inside = row <= high if below is None else row >= low if high is None else (row >= low) & (row <= high)
        masks.append(inside)
        asked += [reduce("sum", mask, dtype=_INTP) for mask in ([] if below is None else [below]) + [inside]]
    looked_at = _core.fetch([*asked, *ends.values()])
    counts, found = (int(count) for count in looked_at[: len(asked)]), dict(zip(ends, looked_at[len(asked) :]))
    wanted, in_any, picked = {}, None, 0
    for (low, high, mine), mask in zip(brackets, masks):
        before = 0 if low is None else next(counts)
        count = next(counts)
        if mine[0] < before or mine[-1] >= before + count:
            return None  # NaNs, or a sample that misleads
        if low is not None and low == high:
            found.update((place, low) for place in mine)
            continue
        # The brackets rise and have nothing in common: so the candidates of all of them have one order.
        wanted.update((place, picked + place - before) for place in mine)
        in_any = mask if in_any is None else in_any | mask
        picked += count
    if 4 * picked > row.size:
        return None
    if wanted:
        candidates = take_along(row, positions_counted(in_any, picked), 0)
        found.update(zip(wanted, _in_order(candidates, list(wanted.values()))))
    return found


def _in_order(row, places):
    """The elements that a sort of a row without NaNs would put at these places; of zeros, one of any sign."""
    if row.size > _MOST_HERE:
        (elements,) = _core.fetch([take_along(sort(row), asarray_of(places), 0)])
        return elements
    (here,) = _core.fetch([row])
    return numpy.partition(here, places)[places]


def _brackets(row, places):
    """Between which numbers the places lie: (least or None, greatest or None, places); None if it does not say."""
    step = max(row.size // (_SAMPLES if row.size < _MANY else 4 * _SAMPLES), 1) | 1
    sample = numpy.asarray(row[::step])
    bounds = []
    for place in places:
        share = place / row.size
        margin = 2 + math.ceil(_DEVIATIONS * math.sqrt(sample.size * share * (1 - share)))
        first, last = place // step - margin, place // step + margin + 1
        bounds.append((first if first >= 0 else None, last if last < sample.size else None))
    sample = numpy.partition(sample, numpy.array([bound for pair in bounds for bound in pair if bound is not None], _INTP))
    brackets = []
    for place, (first, last) in zip(places, bounds):
        low = None if first is None else sample[first]
        high = None if last is None or sample[last] != sample[last] else sample[last]
        if low is not None and low != low:
            return None
        if brackets and (low is None or brackets[-1][1] is None or low <= brackets[-1][1]):
            low, before, mine = brackets.pop()
            high = None if high is None or before is None else max(before, high)
            brackets.append((low, high, [*mine, place]))
        else:
            brackets.append((low, high, [place]))
    return None if any(low is None and high is None for low, high, _ in brackets) else brackets


def positions_counted(mask, count):
    """Where a row of bools is true, if it is known how often."""
    if count == 0:
        return filled((0,), _INTP, 0)
    result = _core.empty((count,), dtype_number(_INTP), mask)
    _core.record(OPS["nonzero"], dtype_number(mask.dtype), result, True, (mask,), ())
    remember(result, 0, mask.size - 1)
    return result


def partitioned(row, place):
    """The order of a row in which smaller elements come before the one at that place of a sort, and others after it; None
    if it must be sorted."""
    if not can_select(row, [place]):
        return None
    value = elements_at(row, [place])
    is_less, is_equal = row < value, row == value
    rest = ~(is_less | is_equal)
    less, equal = (int(count) for count in _core.fetch([reduce("sum", mask, dtype=_INTP) for mask in (is_less, is_equal)]))
    if equal == 0:
        return None  # the element is a NaN
    parts = zip((is_less, is_equal, rest), (less, equal, row.size - less - equal))
    order = concatenate([positions_counted(mask, count) for mask, count in parts if count])
    remember(order, 0, row.size - 1)
    return order
