# SPDX-License-Identifier: BSD-3-Clause
"""A notebook in a browser whose engines are killed in each cell and whose kernel is killed after each, at a small size;
in_chromium.py does the same by hand with 1 GB."""

import os
import shutil

import pytest

SEED = int(os.environ.get("GAMELAN_CHAOS_SEED", "1"))
CALLS, CELLS, RANKS = 200_000, 8, 2


@pytest.mark.timeout(600)
def test_every_cell_prints_what_it_prints_undisturbed(capsys):
    pytest.importorskip("selenium", reason="not installed: Debian's python3-selenium")
    from in_chromium import play
    from page import PROGRAMS

    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (Debian's jupyter-notebook, chromium, chromium-driver)")
    figures = play(CALLS, CELLS, RANKS, SEED)
    with capsys.disabled():
        print(f"\nin Chromium: {figures}")
    assert figures.kernels_killed == figures.cells == CELLS
    assert figures.engines_killed >= CELLS, "the engines were not there to be killed"
    assert not figures.wrong, figures.texts
