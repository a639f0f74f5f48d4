# SPDX-License-Identifier: BSD-3-Clause
# With protection on, arrays for which the log has no room are in a checkpoint at the end of their cell. What lives no longer then
# costs none.
import pytest

from notebook import Notebook
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

PROGRAM = """
import numpy, gamelan as np, gamelan._protection as protection
made, copy = [], protection._Checkpoint.copy
def counting(self, is_behind):
    made.append(1)
    return copy(self, is_behind)
protection._Checkpoint.copy = counting
def upload(value): return np.asarray(numpy.full(500_000, value))
kept = np.ones(300_000)
"""
KILL = "import gamelan, os; os.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)"


@pytest.fixture
def notebook(own_home, tmp_path):
    environment = ENVIRONMENT | {"GAMELAN_PROTECT": "memory", "GAMELAN_LOG_BYTES": "3000000", "GAMELAN_IDLE_TIMEOUT": "60"}
    with Notebook(env=environment | {"XDG_STATE_HOME": str(tmp_path / "state")}) as notebook:
        assert notebook.run(PROGRAM, timeout=60).status == "ok"
        yield notebook


def test_a_temporary_upload_costs_no_checkpoint(notebook):
    for cell in (
        "x = upload(1.0); s = float(x.sum()); del x",
        "x = upload(2.0); np.sync(); s = float(x.sum()); y = float((x * 2 + kept[0]).sum()); x = None",
        "s = [float(upload(value).sum()) for value in range(3)]",
        "kept += 1; float(kept[0])",
    ):
        assert notebook.run(cell, timeout=60).status == "ok"
    assert notebook.run("len(made), y").text == "(0, 2500000.0)"
    notebook.run(KILL)
    assert notebook.run("float(kept.sum())", timeout=60).text == "600000.0"


def test_what_lives_and_what_was_made_from_it_is_in_one(notebook):
    notebook.run("x = upload(1.0); y = x * 2; float(y[0]); del x", timeout=60)
    assert notebook.run("len(made)").text == "1"
    notebook.run(KILL)
    assert notebook.run("float(y.sum())", timeout=60).text == "1000000.0"


def test_within_a_long_cell_one_is_made(notebook):
    notebook.run("np.config.protect_seconds = 0.2; import time")
    cell = "x = upload(1.0); np.sync(); time.sleep(0.3); np.sync(); y = x + 1; np.sync(); early = len(made)"
    assert notebook.run(cell, timeout=60).status == "ok"
    assert notebook.run("early").text == "1"
