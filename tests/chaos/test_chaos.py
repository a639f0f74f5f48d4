# SPDX-License-Identifier: BSD-3-Clause
"""What befalls a program leaves the state of one of its statements, and it goes on from there to NumPy's result.

GAMELAN_CHAOS_SECONDS is the time of each test (10 by default), GAMELAN_CHAOS_SEED the first seed; chaos.py does the same by hand.
"""

import os

import pytest

from chaos import KINDS, play

SECONDS = float(os.environ.get("GAMELAN_CHAOS_SECONDS", "10"))
SEED = int(os.environ.get("GAMELAN_CHAOS_SEED", "1"))

# The greatest share of rounds in which arrays may be lost, by a named error, or be behind Python's own names. A second interrupt
# cuts: what was not computed by then is lost.
MAY_BE_LOST = {"interrupt": 0.0, "two_interrupts": 1.0, "kill": 0.0, "stop": 0.0}
MAY_BE_BEHIND = {"interrupt": 0.0, "two_interrupts": 1.0, "kill": 0.0, "stop": 0.0}
SOON_S = 20.0  # on a machine that does much else; the figures that are printed are the measure


@pytest.mark.timeout(SECONDS + 200)
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_what_befalls_leaves_a_moment_of_the_program(kind, ranks, capsys):
    figures = play(kind, ranks, SEED + 100_000 * ranks, seconds=SECONDS)
    with capsys.disabled():
        print(f"\n{kind} on {ranks} ranks: {figures}")
    assert not figures.wrong, "\n".join(figures.wrong)
    assert figures.rounds, "the machine was too busy for a single round"
    assert figures.share("lost") <= MAY_BE_LOST[kind] and figures.share("behind") <= MAY_BE_BEHIND[kind], str(figures)
    assert max(figures.go_on_s) < SOON_S
