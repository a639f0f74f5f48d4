# SPDX-License-Identifier: BSD-3-Clause
"""Elements of a long row by their place in its order, without a sort. A sample, taken at even distances, says between which
two numbers each of them lies. The elements in between are picked; among many of them it selects again, few are partitioned here.
A sample that misleads (it shows when elements are counted) or too many equal elements lead to a sort, after all. Triggers
evaluation. What is picked depends on the row alone, never on the number of engines."""

import math

import numpy

from .. import _core
from .._folds._bounds import remember
from .._folds._reductions import reduce
from .._indexing._gather import take_along
from .._indexing._positions import positions_of, selected
from .._local import is_distributed
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
    """An element for each place of a row, and for each of `ends`, which are computed in the same pass, as numbers that are here;
    None if a sort must find them. The row is here or on the engines."""
    brackets = _brackets(row, places)
    if brackets is None:
        return None
    asked, in_any = _compared(row, brackets)
    picked = [] if in_any is None else [_count(in_any)]
    looked_at = _here([*asked, *picked, *ends.values()])
    counts, found = (int(count) for count in looked_at), dict(zip(ends, looked_at[len(asked) + len(picked) :]))
    ranges = []
    for low, high, mine in brackets:
        before = 0 if low is None else next(counts)
        if not _is_one_number(low, high):
            ranges.append((high, mine, before))
        elif before <= mine[0] and mine[-1] < before + next(counts):
            found.update((place, low) for place in mine)
        else:
            return None  # a sample that misleads
    if not ranges:
        return found
    count = next(counts)
    if 4 * count > row.size:
        return None
    candidates = selected(row, in_any, count) if is_distributed(row) else row[in_any]
    inner = _among(candidates, ranges)
    return None if inner is None else found | inner


def _compared(row, brackets):
    """How many elements are below each bracket and, where it is one number, equal to it; and where elements are in any other one.
    It keeps nothing else, so no other mask is stored."""
    asked, in_any = [], None
    for low, high, _ in brackets:
        below = None if low is None else row < low
        if below is not None:
            asked.append(_count(below))
        if _is_one_number(low, high):
            asked.append(_count(row == low))
            continue
        # What is below is not above: so either is true, or none.
        inside = row >= low if high is None else row <= high if below is None else (row <= high) ^ below
        in_any = inside if in_any is None else in_any | inside
    return asked, in_any


def _is_one_number(low, high):
    return low is not None and low == high


def _count(mask):
    return reduce("sum", mask, dtype=_INTP) if is_distributed(mask) else numpy.count_nonzero(mask)


def _here(values):
    """What is on the engines, looked at at once; the rest as it is."""
    asked = [value for value in values if is_distributed(value)]
    looked_at = iter(_core.fetch(asked) if asked else ())
    return [next(looked_at) if is_distributed(value) else value for value in values]


def _among(candidates, ranges):
    """An element for each place of each range (greatest, its places, how many of the row are below it); None if one is not
    in its range. Ranges rise and have nothing in common, so their elements have one order."""
    if candidates.size <= _MOST_HERE:
        (candidates,) = _here([candidates])
    ends = [int(count) for count in _here([_count(candidates <= high) for high, _, _ in ranges[:-1]])]
    wanted, first = {}, 0
    for (_, places, before), end in zip(ranges, [*ends, candidates.size]):
        wanted.update((place, first + place - before) for place in places)
        if wanted[places[0]] < first or wanted[places[-1]] >= end:
            return None  # NaNs, or a sample that misleads
        first = end
    return dict(zip(wanted, _in_order(candidates, list(wanted.values()))))


def _in_order(row, places):
    """The elements that a sort of a row without NaNs would put at these places; of zeros, one of any sign."""
    if not is_distributed(row):
        found = _selected(row, places, {}) if row.size >= _LEAST else None
        return numpy.partition(row, places)[places] if found is None else [found[place] for place in places]
    (elements,) = _core.fetch([take_along(sort(row), asarray_of(places), 0)])
    return elements


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
    order = concatenate([positions_of(mask, count) for mask, count in parts if count])
    remember(order, 0, row.size - 1)
    return order
