# SPDX-License-Identifier: BSD-3-Clause
# %engines restart moves all arrays: those that the log cannot make are written before, or the restart is refused.
import os
import shutil
import signal

import pytest

from notebook import Notebook
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

PROGRAM = """
import gamelan as np, numpy
np.config.log_bytes = 1_000_000
x = np.asarray(numpy.arange(500_000.0)); y = x * 2; w = np.zeros(300_000); np.publish("w", w)
held = {"z": [np.asarray(numpy.ones(400_000))]}; np.sync()
"""
SESSION = "import gamelan; gamelan._session.engines().session"
SUMS = str((sum(range(500_000)) * 1.0, sum(range(500_000)) * 2.0, 70.0))


@pytest.fixture
def environment(own_home, tmp_path):
    return ENVIRONMENT | {"XDG_STATE_HOME": str(tmp_path / "state"), "GAMELAN_ENGINES": "2"}


def test_all_arrays_move(environment):
    with Notebook(env=environment) as notebook, Notebook(env=environment) as guest:
        assert notebook.run(PROGRAM, timeout=60).status == "ok"
        session = notebook.run(SESSION).text.strip("'")
        guest.run(f"%engines attach {session}", timeout=60)
        assert guest.run("import gamelan as np; np.attach('w', writeable=True)[:10] = 7; np.sync()", timeout=60).status == "ok"
        assert notebook.run("%engines restart -n 3", timeout=60).status == "ok"
        assert notebook.run("float(x.sum()), float(y.sum()), float(w.sum())", timeout=60).text == SUMS
        assert notebook.run("np.config.protect").text == "''"
        assert notebook.run("float(held['z'][0].sum())").text == "400000.0"
        assert guest.run("float(np.attach('w').sum())", timeout=60).text == "70.0"


def test_arrays_that_no_variable_names_move(environment):
    with Notebook(env=environment) as notebook:
        assert notebook.run(PROGRAM + "\ndel x, y", timeout=60).status == "ok"
        assert notebook.run("%engines restart -n 1", timeout=60).status == "ok"
        assert notebook.run("float(held['z'][0].sum())", timeout=60).text == "400000.0"


def test_it_is_refused_where_they_cannot_be_written(environment):
    with Notebook(env=environment) as notebook:
        assert notebook.run(PROGRAM, timeout=60).status == "ok"
        rank = notebook.run("import gamelan; gamelan._session.engines().status()['processes'][1]['pid']").text
        notebook.run("u = np.asarray(numpy.ones(400_000)); np.sync()")
        os.kill(int(rank), signal.SIGSTOP)
        try:
            cell = notebook.send("float(u.sum())")
            notebook.until(cell, lambda cell: "is stopped (noticed at" in cell.err, timeout=60)
            notebook.control("interrupt_request")
            notebook.finish(cell, timeout=60)
            cell = notebook.send("%engines restart")  # its end waits for what was interrupted
            notebook.until(
                cell,
                lambda cell: "UsageError: u, x, y, arrays within other values would be lost with these" in cell.err,
                timeout=60,
            )
        finally:
            os.kill(int(rank), signal.SIGCONT)
        notebook.finish(cell, timeout=60)
        assert notebook.run("float(u.sum())", timeout=60).text == "400000.0"


def test_arrays_whose_checkpoint_somebody_has_removed_move(environment, tmp_path):
    """The log begins with files that are gone; the engines still have the arrays."""
    place = tmp_path / "kept"
    with Notebook(env=environment) as notebook:
        program = f"import gamelan as np; np.config.protect = {str(place)!r}; x = np.arange(300_000.0) * 2; np.checkpoint() > 0"
        assert notebook.run(program, timeout=60).text == "True"
        shutil.rmtree(place)
        assert notebook.run("%engines restart -n 1", timeout=60).status == "ok"
        assert notebook.run("float(x[7]), np.stats()['ranks']", timeout=60).text == "(14.0, 1)"
