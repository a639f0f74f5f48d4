# SPDX-License-Identifier: BSD-3-Clause
"""Transforms, contractions and redistribution need three times their operands at most, three times the result where that is
larger, at any number of ranks; and no element passes through the notebook."""

import pytest

import peaks

BOUNDED = [program for program in peaks.PROGRAMS if program.most is not None]


@pytest.mark.parametrize("program", BOUNDED, ids=lambda program: f"{program.family}: {program.name}")
def test_peak(ranks, engine, program):
    if ranks == 0:
        pytest.skip("the model has no heap")
    peak, operands, results = peaks.measured(program)
    few = ranks * 65536 + 0.03 * peak  # blocks that are not of one length, rounded up to a class of the allocator
    assert peak <= program.most * max(operands, results) + few
