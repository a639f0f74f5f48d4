# SPDX-License-Identifier: BSD-3-Clause
"""Notebooks whose kernel or engines are killed, or whose engines are moved: the state is that of a cell's end, and nothing is
lost. GAMELAN_CHAOS_SECONDS is the time of each test (10 by default); kernels.py does the same by hand."""

import os

import pytest

from kernels import KINDS, play

SECONDS = float(os.environ.get("GAMELAN_CHAOS_SECONDS", "10"))
SEED = int(os.environ.get("GAMELAN_CHAOS_SEED", "1"))


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_what_befalls_leaves_the_state_of_a_cells_end(kind, ranks, capsys):
    figures = play(kind, ranks, SEED + 100_000 * ranks, seconds=SECONDS)
    with capsys.disabled():
        print(f"\n{kind} on {ranks} ranks: {figures}")
    assert not figures.wrong, "\n".join(figures.wrong)
    assert figures.rounds, "the machine was too busy for a single round"
    assert figures.outcomes["whole"] == figures.rounds, str(figures)
