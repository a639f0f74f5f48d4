# SPDX-License-Identifier: BSD-3-Clause
"""Reads the subscripts of einsum, in both of NumPy's forms, against the shapes of the operands. Every axis gets a label; those
under an ellipsis get labels of their own, counted from the right."""

import string

import numpy

_LETTERS = string.ascii_uppercase + string.ascii_lowercase
_FIRST_HIDDEN = 0xE000  # Unicode's private use: no subscript of a user's


class Subscripts:
    """Labels of each operand and of the result, and the extent of each label."""

    def __init__(self, inputs, output, extents):
        self.inputs, self.output, self.extents = inputs, output, extents


def _letters(numbers):
    """A list of numbers and Ellipsis, of the second form, as text."""
    text = ""
    for number in numbers:
        if number is Ellipsis:
            text += "..."
            continue
        if isinstance(number, (bool, numpy.bool_)) or getattr(number, "ndim", 0):
            raise TypeError("each subscript must be either an integer or an ellipsis")
        try:
            text += _LETTERS[number] if 0 <= number < 52 else _refuse(number)
        except TypeError:
            raise TypeError("For this input type lists must contain either int or Ellipsis") from None
    return text


def _refuse(number):
    raise ValueError(f"subscript is not within the valid range [0, 52): got {number}")


def split(arguments):
    """Subscripts as text, and the operands, of einsum's arguments."""
    if not arguments:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least one operand "
            "and its corresponding subscripts list"
        )
    if isinstance(arguments[0], (str, bytes)):
        text = arguments[0] if isinstance(arguments[0], str) else arguments[0].decode("ascii")
        return text.replace(" ", ""), list(arguments[1:])
    operands, lists = list(arguments[: len(arguments) // 2 * 2 : 2]), arguments[1::2]
    text = ",".join(map(_letters, lists))
    return text + ("->" + _letters(arguments[-1]) if len(arguments) % 2 else ""), operands


def _labels(term, dims):
    """The labels of a term for an operand of so many dimensions, None: of a result."""
    before, dots, after = term.partition("...")
    for letter in before + after:
        if letter not in _LETTERS:
            raise ValueError(f"invalid subscript '{letter}' in einstein sum subscripts string, subscripts must be letters")
    hidden = 0 if dims is None else dims - len(before) - len(after)
    if hidden < 0 or hidden and not dots:
        raise ValueError(f"operand has {dims} dimensions, but the subscripts '{term}' have {len(before) + len(after)}")
    return before, hidden if dots else 0, after


def _hidden(count):
    return "".join(chr(_FIRST_HIDDEN + k) for k in reversed(range(count)))


def read(text, shapes):
    """The subscripts for operands of these shapes; ValueError where NumPy raises it."""
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f"{len(terms)} operands in the einstein sum subscripts string, but {len(shapes)} were provided")
    if "-" in left + right or ">" in left + right or "," in right:
        raise ValueError("einstein sum subscripts string contains an invalid output")
    parts = [_labels(term, len(shape)) for term, shape in zip(terms, shapes)]
    most = max((hidden for _, hidden, _ in parts), default=0)
    inputs = [before + _hidden(hidden) + after for before, hidden, after in parts]
    seen = "".join(before + after for before, _, after in parts)
    if arrow:
        before, _, after = _labels(right, None)
        if most and "..." not in right:
            raise ValueError("output has fewer dimensions than the ellipses of the operands broadcast to")
        for letter in before + after:
            if letter not in seen:
                raise ValueError(
                    f"einstein sum subscripts string included output subscript '{letter}' which never appeared in an input"
                )
            if (before + after).count(letter) > 1:
                raise ValueError(f"einstein sum subscripts string includes output subscript '{letter}' multiple times")
        output = before + _hidden(most) + after
    else:
        output = _hidden(most) + "".join(sorted(letter for letter in set(seen) if seen.count(letter) == 1))
    return Subscripts(inputs, output, _extents(inputs, shapes))


def _extents(inputs, shapes):
    extents = {}
    for labels, shape in zip(inputs, shapes):
        own = {}
        for label, extent in zip(labels, shape):
            if own.setdefault(label, extent) != extent:
                raise ValueError(f"dimensions in operand for collapsing index '{label}' don't match ({own[label]} != {extent})")
        for label, extent in own.items():
            known = extents.get(label, 1)
            if known != extent and 1 not in (known, extent):
                raise ValueError(f"operands could not be broadcast together: '{label}' is {known} and {extent}")
            extents[label] = extent if known == 1 else known
    return extents
