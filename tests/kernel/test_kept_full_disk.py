# SPDX-License-Identifier: BSD-3-Clause
# What a notebook's user hears when the variables cannot be written that are kept for its next kernel.
import time

import pytest

from notebook import Notebook, wait_until
from test_kept import read
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def environment(tmp_path):
    name = {"JPY_SESSION_NAME": str(tmp_path / "a.ipynb"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return ENVIRONMENT | name


FULL = """
import resource, signal  # a limit for files is to a program what a full disk is: writing fails
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))
"""


def test_a_full_disk_is_told_once_at_a_cells_end(environment):
    with Notebook(env=environment) as notebook:
        assert notebook.run("import gamelan as np, os; n = 1", timeout=60).err == ""
        notebook.run(FULL.format(size=200_000) + "large = os.urandom(400_000)")
        time.sleep(0.5)  # it is tried
        told = notebook.run("n = 2").err
        assert told.startswith("gamelan: variables are not kept: File too large") and "%session save DIR saves them" in told, told
        time.sleep(0.5)
        assert notebook.run("n = 3").err == "" and "variables are not kept: File too large" in notebook.run("%session").out
        notebook.run("del large; n = 4")
        wait_until(lambda: '"large"' not in read(environment) and _keeps(notebook), 10, "kept")


def _keeps(notebook):
    return "kept at" in notebook.run("%session").out
