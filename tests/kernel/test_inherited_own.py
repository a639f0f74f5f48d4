# SPDX-License-Identifier: BSD-3-Clause
# Engines that a notebook's kernel has started outlive it for a while, and for as long as others use them: the next kernel takes them
# over with their arrays, and is their owner. Others who use them go where their owner goes.
import os
import signal

import pytest

from notebook import Notebook, wait_until
from test_kept import kept
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

PROGRAM = "import gamelan as np; u = np.arange(300_000.0); v = u * 2; np.publish('u', u); float(v.sum())"
RANK = "import gamelan, os; os.kill(gamelan._session.engines().status()['processes'][0]['pid'], 9)"
SESSION = "import gamelan; gamelan._session.engines().session"


@pytest.fixture
def environment(own_home, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "GAMELAN_ENGINES": "2"}
    return {name: value for name, value in ENVIRONMENT.items() if name != "GAMELAN_CONNECT"} | state


def named(environment, tmp_path, name):
    return environment | {"JPY_SESSION_NAME": str(tmp_path / name)}


def kill(notebook, environment):
    wait_until(lambda: (folder := kept(environment)) and '"v"' in (folder / "manifest.json").read_text(), 10, "kept")
    os.kill(notebook.pid, signal.SIGKILL)
    wait_until(lambda: not notebook.manager.is_alive(), 10)
    notebook.close()


def test_the_next_kernel_owns_the_engines_that_others_use(environment, tmp_path):
    own, other = (named(environment, tmp_path, name) for name in ("a.ipynb", "b.ipynb"))
    first = Notebook(env=own)
    assert first.run(PROGRAM, timeout=60).status == "ok"
    session = first.run(SESSION).text.strip("'")
    with Notebook(env=other | {"XDG_STATE_HOME": str(tmp_path / "other")}) as guest:
        guest.run(f"%engines attach {session}", timeout=60)
        assert guest.run("import gamelan as np; w = np.attach('u', writeable=True); w[0]", timeout=60).text == "0.0"
        kill(first, environment)
        guest.run("w[0] = -5; np.sync()")
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            cell = notebook.run("%session restore", timeout=60)
            assert f"attached to the engines of session {session}" in cell.err and "2 arrays lie on the engines" in cell.err
            assert notebook.run("float(u[0]), float(v[1])").text == "(-5.0, 2.0)", "what the guest wrote is there"
            assert notebook.run("u[1] = 7; np.sync()").status == "ok" and guest.run("float(w[1])").text == "7.0"
            # It replaces them when they are lost, and the guest follows.
            notebook.run(RANK)
            assert notebook.run("float(v.sum())", timeout=60).text == str(sum(range(300_000)) * 2.0)
            after = notebook.run(SESSION).text.strip("'")
            cell = guest.run("float(np.ones(300_000).sum())", timeout=60)
            assert cell.text == "300000.0" and f"Connected to session {after}, which its owner started in their place" in cell.err
            assert notebook.run("%engines restart -n 1", timeout=60).status == "ok"
            cell = guest.run("float(np.ones(400_000).sum())", timeout=60)
            assert cell.text == "400000.0" and f"the engines of session {after} were stopped" in cell.err, cell.err
            folder = os.path.dirname(notebook.run("str(gamelan._session.engines().connection_file)").text.strip("'"))
        assert not os.path.exists(folder), "they end with their new owner"


def test_a_kernel_that_has_other_engines_hears_of_those_left_behind(environment, tmp_path):
    own, other = (named(environment, tmp_path, name) for name in ("a.ipynb", "b.ipynb"))
    first = Notebook(env=own)
    assert first.run(PROGRAM, timeout=60).status == "ok"
    session = first.run(SESSION).text.strip("'")
    with Notebook(env=other | {"XDG_STATE_HOME": str(tmp_path / "other")}) as guest:
        guest.run(f"%engines attach {session}", timeout=60)
        guest.run("import gamelan as np; w = np.attach('u', writeable=True); w[0] = -5; np.sync()", timeout=60)
        kill(first, environment)
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np; float(np.ones(300_000).sum())", timeout=60)
            cell = notebook.run("%session restore", timeout=60)
            assert f"the engines of the earlier kernel still run (session {session})" in cell.err, cell.err
            assert notebook.run("float(u[2]), float(v[1])").text == "(2.0, 2.0)"
