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
}
STORED = {"ring": 1, "joined": 1, "after another": 2}  # results, and what must be whole before it is read elsewhere


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_put_together(engine, ranks, name):
    if not ranks:
        pytest.skip("the model has no plans")
    u, w = (np.asarray(each) for each in numpy.random.default_rng(2).random((2, 211, 307)))
    np.sync()
    plan = np.explain(PROGRAMS[name](u, w))
    slots = re.findall(r"^s\d+: .* (?:211|422)x307 on.*", plan, re.MULTILINE)
    assert sum("input" not in slot for slot in slots) == STORED[name], plan
