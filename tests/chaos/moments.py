# SPDX-License-Identifier: BSD-3-Clause
"""Which moment of a program a state is of: that after so many of its statements, all names together. What may differ from that
is named, and anything else is wrong."""

from dataclasses import dataclass, field

import numpy

import gamelan
from programs import GENERATOR, LARGE, SMALL, VALUES, kept

LOST = (gamelan.CancelledError, gamelan.EngineLostError)  # the errors that may stand in an array's place
WHOLE, BEHIND, GONE, WRONG = "whole", "behind", "lost", "wrong"


@dataclass
class Found:
    """whole: all names are of one moment. behind: all arrays are of one, Python's own names of a later one. lost: some arrays
    raise one of LOST, the others are of one moment. wrong: `why` says what."""

    outcome: str
    done: int = 0  # statements
    state: dict = field(default_factory=dict)  # by numpy, after them
    lost: tuple = ()  # names
    why: str = ""


def position(generator):
    """How far a generator has drawn."""
    return getattr(generator, "generator", generator).bit_generator.state["state"]["counter"]


def read(names):
    """name -> the value now; None for an array that is lost. Any other error is the caller's."""
    values = {}
    for name in LARGE:
        try:
            values[name] = numpy.array(names[name])
        except LOST:
            values[name] = None
    values.update({name: numpy.array(names[name]) for name in SMALL})
    values.update({name: names[name] for name in VALUES})
    values[GENERATOR] = position(names[GENERATOR])
    return values


def _is_equal(got, expected):
    if not isinstance(expected, numpy.ndarray):
        return got == expected
    # The first elements tell most moments apart.
    return (
        got.shape == expected.shape
        and got.dtype == expected.dtype
        and got.flat[0] == expected.flat[0]
        and bool((got == expected).all())
    )


def find(program, start, begun, values):
    """Found, for values that were read after `begun` statements of a program had begun."""
    lost = tuple(name for name in LARGE if values[name] is None)
    names = kept(start)
    whole = arrays = python = nearest = None
    with numpy.errstate(all="ignore"):
        for done in range(begun + 1):
            differ = [name for name in LARGE if values[name] is not None and not _is_equal(values[name], names[name])]
            theirs = [name for name in (*SMALL, *VALUES) if not _is_equal(values[name], names[name])]
            before = position(names[GENERATOR])
            is_told = len(lost) < len(LARGE) or not theirs  # else nothing tells this moment from others
            state = kept(names) if is_told and not differ else None
            if done < begun:
                exec(program.code[done], names)
            # A draw that is cut off has moved its generator, as NumPy's has.
            if values[GENERATOR] not in (before, position(names[GENERATOR])):
                theirs.append(GENERATOR)
            if state:
                arrays = done, state
            if not theirs:
                python = done
            if state and not theirs:
                whole = done, state
            if nearest is None or len(differ + theirs) < len(nearest[1]):
                nearest = done, differ + theirs
    if whole:
        return Found(GONE if lost else WHOLE, *whole, lost)
    if arrays and python is not None and arrays[0] <= python:
        return Found(GONE if lost else BEHIND, *arrays, lost)
    what = f"arrays of no moment among {begun}; nearest is that after {nearest[0]}, but for {', '.join(nearest[1])}"
    return Found(WRONG, lost=lost, why=f"{what}; lost: {', '.join(lost) or 'none'}")
