# SPDX-License-Identifier: BSD-3-Clause
"""What a notebook's variables are, in a few bytes: computed in its kernel after what befell it, and by NumPy after each cell."""

import hashlib

import numpy

from gamelan import CancelledError, EngineLostError
from programs import GENERATOR, LARGE, SMALL, VALUES

ABSENT = "absent"
LOST = "lost"


def _of_array(value):
    array = numpy.array(value)
    return f"{array.dtype.str} {array.shape} {hashlib.sha1(array.tobytes()).hexdigest()}"


def _of(name, names):
    if name not in names:
        return ABSENT
    try:
        if name in (*LARGE, *SMALL):
            return _of_array(names[name])
    except (CancelledError, EngineLostError) as error:
        return f"{LOST}: {type(error).__name__}: {error}"
    if name == GENERATOR:
        generator = names[name]
        return str(getattr(generator, "generator", generator).bit_generator.state["state"]["counter"])
    return repr(names[name])


def state_of(names):
    """name -> text, equal when and only when the values are, to the bit. An array that is lost says so."""
    return {name: _of(name, names) for name in (*LARGE, *SMALL, *VALUES, GENERATOR)}
