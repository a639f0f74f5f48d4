# SPDX-License-Identifier: BSD-3-Clause
"""What np.roll and concatenation put together is never stored: the plan reads its parts where they lie."""

import re

import gamelan as np
import numpy
import pytest

PROGRAMS = {
    "ring": lambda u, w: 2 * u - w + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u),
    "joined": lambda u, w: np.concatenate([u, w]) * 2,
    "after another": lambda u, w: np.roll(u + 1, 1, 0) - w,
    "rolled twice": lambda u, w: np.roll(np.roll(u, 1, 0), -2, 1) * 2 - w,
    "rolled three times": lambda u, w: np.roll(np.roll(np.roll(u, 1, 0), -2, 1), 5, 0) * 2 - w,
    "rolled and joined": lambda u, w: np.concatenate([np.roll(u, 3, 0), w]) * 2,
    "life": lambda u, w: life(np, u),
}


def life(np, u):
    """One turn of Conway's game, as most people write it on a torus."""
    around = sum(np.roll(np.roll(u, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    return (around == 3) | ((u == 1) & (around == 2))


def changed(np, u):
    """The roll has the elements of before; both of its steps are read again, in parts and as a whole."""
    once = np.roll(u, 7, 0)
    twice = np.roll(once, -3, 1)
    u += 1
    return twice * 2 - once, once[3:90, 5:] + 1, u * 2 - np.roll(np.roll(u, 7, 0), -3, 1)


def many(np, u):
    """More parts than are followed, of an array that is read as a whole, too."""
    rolled = [np.roll(u, 1, 0)]
    for k in range(1, 9):
        rolled.append(np.roll(np.roll(rolled[-1], 2 * k, 0), 3 * k, 1))
    return [each * 2 - u for each in rolled]


def joined(np, u):
    first = np.concatenate([np.roll(u, 3, 1)[:100], u[:50] * 2])
    second = np.pad(first, 2)
    return second + 1, np.stack([first, first]) * 2


@pytest.mark.parametrize("program", [life, changed, many, joined])
@pytest.mark.parametrize("dtype", ["int8", "float64"])
def test_what_is_put_together_of_what_is_put_together_has_its_elements(engine, program, dtype):
    u = numpy.random.default_rng(3).integers(0, 2, (211, 307)).astype(dtype)
    expected, found = program(numpy, u.copy()), program(np, np.asarray(u.copy()))
    for right, left in zip(expected, found) if isinstance(expected, (list, tuple)) else [(expected, found)]:
        assert left.dtype == right.dtype
        numpy.testing.assert_array_equal(numpy.asarray(left), right)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_put_together(engine, ranks, name):
    if not ranks:
        pytest.skip("the model has no plans")
    u, w = (np.asarray(each) for each in numpy.random.default_rng(2).random((2, 211, 307)))
    np.sync()
    plan = np.explain(PROGRAMS[name](u, w))
    slots = re.findall(r"^s\d+: .* (?:211|422)x307 on.*", plan, re.MULTILINE)
    assert sum("input" not in slot for slot in slots) == 1, plan  # the result
