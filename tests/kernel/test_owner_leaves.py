# SPDX-License-Identifier: BSD-3-Clause
# The notebook that has started engines ends in good order. Others that use them go on, and the engines end with the last of them.
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from notebook import Notebook, wait_until
from test_inherited_own import SESSION, is_over, named, shared
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

IDLE_S = 4
FOLDER = "import gamelan, os; os.path.dirname(str(gamelan._session.engines().connection_file))"
ROOT = "import gamelan; gamelan._session.engines().status()['processes'][0]['pid']"


@pytest.fixture
def environment(own_home, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "GAMELAN_ENGINES": "2", "GAMELAN_IDLE_TIMEOUT": str(IDLE_S)}
    return {name: value for name, value in ENVIRONMENT.items() if name != "GAMELAN_CONNECT"} | state


def test_who_uses_the_engines_goes_on_when_their_owner_ends(environment, tmp_path):
    with shared(environment, tmp_path) as (owner, session, guest), owner:
        guest.run("import gamelan as np; w = np.attach('u', writeable=True); own = np.ones(300_000)", timeout=60)
        folder, root = pathlib.Path(owner.run(FOLDER).text.strip("'")), owner.run(ROOT).text
        assert float(guest.run("float(own.sum() + w[1])", timeout=60).text) == 300_001.0
        owner.close()
        assert "has ended; left to notebook b.ipynb, process " in (folder / "engines.log").read_text()
        cell = guest.run("w[0] = 5; float(w[0] + own.sum())", timeout=60)
        assert cell.text == "300005.0" and not cell.err, cell.reply
        time.sleep(2 * IDLE_S)
        assert guest.run("float((w * 2)[0])", timeout=60).text == "10.0", "who says that it is there keeps them"
        assert guest.run("[each.published for each in np.arrays() if each.published]").text == "['u']"
        assert guest.run("len({each.client for each in np.arrays()})").text == "1", "the owner's other arrays went with it"
    wait_until(lambda: is_over(root), IDLE_S + 20, "the engines end after their last client")


def test_a_loss_without_an_owner_is_told_at_length_once(environment, tmp_path):
    with shared(environment, tmp_path) as (owner, session, guest), owner:
        guest.run("import gamelan as np; own = np.ones(300_000); np.sync()", timeout=60)
        root = owner.run(ROOT).text
        owner.close()
        os.kill(int(root), signal.SIGKILL)
        first, second = (guest.run("float(own.sum())", timeout=60) for _ in range(2))
        assert first.ename == second.ename == "EngineLostError"
        told, again = first.reply["evalue"], second.reply["evalue"]
        assert "SIGKILL" in told and "did not start these engines" in told and "%engines start" in told, told
        assert "%engines start" in again and len(again) < len(told) / 2 and "\n" not in again, again
        assert guest.run("%engines start -n 1", timeout=60).status == "ok"
        assert guest.run("float(own.sum())", timeout=60).text == "300000.0", "the next engines compute it again"


def test_the_next_kernel_of_the_notebook_finds_them_and_owns_them(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    with shared(environment, tmp_path) as (owner, session, guest), owner:
        guest.run("import gamelan as np; w = np.attach('u', writeable=True); w[0] = 5; np.sync()", timeout=60)
        root = owner.run(ROOT).text
        owner.close()
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            cell = notebook.run("%session restore", timeout=60)
            assert f"attached to the engines of session {session}" in cell.err, (cell.err, cell.reply)
            assert (
                "what was published as 'u' is computed again, for this kernel alone: np.attach gives what others use" in cell.err
            ), cell.err
            assert notebook.run("float(v[1]), np.arrays().clients != []", timeout=60).text == "(2.0, True)"
            assert notebook.run(f"{SESSION}, gamelan._session.engines().is_owned").text == f"('{session}', True)"
            assert guest.run("float(w[0])", timeout=60).text == "5.0"
            assert notebook.run("float(u[0]), float(np.attach('u')[0])", timeout=60).text == "(0.0, 5.0)"
            guest.close()
        wait_until(lambda: is_over(root), 2, "nobody else used them")


@pytest.mark.parametrize("is_killed", [False, True])
def test_without_another_client_they_end_at_once(environment, tmp_path, is_killed):
    """One that has left, or was killed a while ago, is none."""
    with shared(environment | {"GAMELAN_IDLE_TIMEOUT": "100"}, tmp_path) as (owner, session, guest), owner:
        guest.run("import gamelan as np; w = np.attach('u'); own = np.ones(300_000); np.sync()", timeout=60)
        folder, root = owner.run(FOLDER).text.strip("'"), owner.run(ROOT).text
        if is_killed:
            os.kill(guest.pid, 9)
            time.sleep(5)
            assert "notebook b.ipynb" in owner.run("%engines arrays").text, "its lease waits"
        guest.close()
        owner.close()
        assert is_over(root) and not os.path.exists(folder)


def test_a_stop_ends_them_whoever_uses_them(environment, tmp_path):
    with shared(environment, tmp_path) as (owner, session, guest), owner:
        guest.run("import gamelan as np; w = np.attach('u'); np.sync()", timeout=60)
        root = owner.run(ROOT).text
        assert f"engines of session {session} stopped" in owner.run(f"%engines stop {session}", timeout=60).out
        assert is_over(root)
        owner.close()


SCRIPT = "import sys, gamelan as np; u = np.ones(300_000); np.publish('u', u); np.sync(); print(np._session.engines().session, flush=True); sys.stdin.read()"


def test_a_script_says_for_whom_it_leaves_them(environment, tmp_path):
    piped = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    owner = subprocess.Popen([sys.executable, "-c", SCRIPT], env=os.environ | environment, text=True, **piped)
    try:
        session = owner.stdout.readline().strip()
        with Notebook(env=named(environment, tmp_path, "b.ipynb")) as guest:
            assert guest.run(f"%engines attach {session}", timeout=60).status == "ok"
            guest.run("import gamelan as np; w = np.attach('u'); np.sync()", timeout=60)
            _, told = owner.communicate(timeout=30)
            assert told.startswith("gamelan: left to notebook b.ipynb, process ") and "after the last client" in told, told
            assert guest.run("float((w + 1).sum())", timeout=60).text == "600000.0"
    finally:
        owner.kill()
        owner.communicate()
