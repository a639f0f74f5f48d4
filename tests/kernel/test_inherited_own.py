# SPDX-License-Identifier: BSD-3-Clause
# Engines that a notebook's kernel has started outlive it for a while, and for as long as others use them: the next kernel takes them
# over with their arrays, and is their owner. Others who use them go where their owner goes.
import contextlib
import json
import os
import pathlib
import signal
import time

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
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "GAMELAN_ENGINES": "2", "GAMELAN_IDLE_TIMEOUT": "60"}
    return {name: value for name, value in ENVIRONMENT.items() if name != "GAMELAN_CONNECT"} | state


def named(environment, tmp_path, name):
    return environment | {"JPY_SESSION_NAME": str(tmp_path / name)}


@contextlib.contextmanager
def shared(environment, tmp_path, program=PROGRAM):
    """A notebook that has run the program, to be killed; the name of its engines, and another notebook that uses them."""
    first = Notebook(env=named(environment, tmp_path, "a.ipynb"))
    assert first.run(program, timeout=60).status == "ok"
    session = first.run(SESSION).text.strip("'")
    other = named(environment, tmp_path, "b.ipynb") | {"XDG_STATE_HOME": str(tmp_path / "other")}
    with Notebook(env=other) as guest:
        assert guest.run(f"%engines attach {session}", timeout=60).status == "ok"
        yield first, session, guest


def kill(notebook, environment):
    wait_until(lambda: (folder := kept(environment)) and '"v"' in (folder / "manifest.json").read_text(), 10, "kept")
    os.kill(notebook.pid, signal.SIGKILL)
    wait_until(lambda: not notebook.manager.is_alive(), 10)
    notebook.close()


def test_the_next_kernel_owns_the_engines_that_others_use(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    with shared(environment, tmp_path) as (first, session, guest):
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
            # A cell of the guest's that runs meanwhile waits for the engines that the owner starts.
            done = tmp_path / "done"
            turns = f"import os\nprint('begun')\nwhile not os.path.exists({str(done)!r}): s = float(np.ones(400_000).sum())\ns"
            guest.until(cell := guest.send(turns), lambda cell: "begun" in cell.out, timeout=60)
            assert notebook.run("%engines restart -n 1", timeout=60).status == "ok"
            done.touch()
            guest.finish(cell, timeout=60)
            assert cell.text == "400000.0" and f"the engines of session {after} were stopped" in cell.err, (cell.reply, cell.err)


def test_they_end_with_the_next_kernel(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    first = Notebook(env=own)
    assert first.run(PROGRAM, timeout=60).status == "ok"
    process = first.run("import gamelan; (e := gamelan._session.engines()).status()['processes'][0]['pid']").text
    folder = os.path.dirname(first.run("str(e.connection_file)").text.strip("'"))
    kill(first, environment)
    with Notebook(env=own) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "2 arrays lie on the engines" in notebook.run("%session restore", timeout=60).err
        assert os.path.exists(folder) and os.path.exists(f"/proc/{process}")
    assert not os.path.exists(folder)
    wait_until(lambda: is_over(process), 10, "rank 0 has ended")


def is_over(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def test_what_was_taken_over_stays_when_an_interrupt_ends_the_wait_for_it(environment, tmp_path):
    """Another notebook's batch keeps the engines busy; there is no log from which the arrays could be made."""
    own = named(environment, tmp_path, "a.ipynb")
    program = "import numpy, gamelan as np; u = np.asarray(numpy.ones(300_000)); v = u * 2; np.sync()"
    with shared(environment | {"GAMELAN_LOG_BYTES": "1000"}, tmp_path, program) as (first, _, guest):
        guest.run("import gamelan as np; m = np.random.default_rng(1).random((3000, 3000)); np.sync()", timeout=60)
        kill(first, environment)
        busy = guest.send("n = m\nfor _ in range(8): n = n @ m * 1e-3\nfloat(n[0, 0])")
        guest.until(busy, lambda cell: cell.of_type("display_data"), timeout=60)
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            cell = notebook.send("%session restore")
            notebook.until(cell, lambda cell: "attached" in cell.err, timeout=60)
            time.sleep(0.5)
            notebook.control("interrupt_request")
            notebook.finish(cell, timeout=60)
            guest.finish(busy, timeout=100)
            again = notebook.run("%session restore", timeout=60)
            assert notebook.run("float(u.sum()), float(v.sum())", timeout=60).text == "(300000.0, 600000.0)", (
                cell.reply,
                again.out,
            )


def test_who_is_refused_does_not_become_the_owner(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    first = Notebook(env=own)
    assert first.run(PROGRAM, timeout=60).status == "ok"
    kill(first, environment)
    name = kept(environment).name
    with Notebook(env=own) as second:
        second.run("import gamelan as np", timeout=60)
        assert "2 arrays lie on the engines" in second.run("%session restore", timeout=60).err
        (kept(environment).parent / "lock").unlink()  # as on a file system that has none
        ended = tmp_path / "ended"
        talk = second.send(f"import os, time\nwhile not os.path.exists({str(ended)!r}): np.status(); time.sleep(0.05)")
        with Notebook(env=own) as third:
            third.run("import gamelan as np", timeout=60)
            cell = third.run(f"%session restore --of {name}", timeout=60)
            assert cell.ename == "UsageError" and "it was heard a moment ago" in cell.reply["evalue"], cell.reply
        ended.touch()
        assert second.finish(talk, timeout=60).status == "ok"
        assert second.run("float(v.sum())", timeout=60).text == str(sum(range(300_000)) * 2.0)


def test_a_kernel_that_has_other_engines_hears_of_those_left_behind(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    with shared(environment, tmp_path) as (first, session, guest):
        guest.run("import gamelan as np; w = np.attach('u', writeable=True); w[0] = -5; np.sync()", timeout=60)
        kill(first, environment)
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np; float(np.ones(300_000).sum())", timeout=60)
            cell = notebook.run("%session restore", timeout=60)
            assert f"the engines of the earlier kernel still run (session {session})" in cell.err, cell.err
            assert notebook.run("float(u[2]), float(v[1])").text == "(2.0, 2.0)"


def test_where_the_engines_are_lost_too_arrays_are_published_again_and_others_follow(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    with shared(environment, tmp_path) as (first, session, guest):
        assert guest.run("import gamelan as np; z = np.ones(400_000); float(z.sum())", timeout=60).text == "400000.0"
        processes = first.run("[each['pid'] for each in gamelan._session.engines().status()['processes']]").text
        kill(first, environment)
        rank_0, rank_1 = json.loads(processes)
        os.kill(rank_1, signal.SIGKILL)
        wait_until(lambda: is_over(rank_0), 20, "rank 0 has ended, too")
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            assert "compute 2 arrays" in notebook.run("%session restore", timeout=60).err
            after = notebook.run(SESSION).text.strip("'")
            cell = guest.run("float(z.sum())", timeout=60)
            assert cell.text == "400000.0" and f"Connected to session {after}, which its owner started" in cell.err, cell.err
            assert guest.run("w = np.attach('u', writeable=True); w[0] = 5; float(w[1])", timeout=60).text == "1.0"
            assert notebook.run("float(u[0])").text == "5.0"
            assert "notebook b.ipynb, process " in notebook.run("%engines arrays").text


@pytest.mark.parametrize("are_lost", [False, True])
def test_checkpoints_in_memory_go_with_the_next_kernel(environment, tmp_path, are_lost):
    own = named(environment, tmp_path, "a.ipynb")
    first = Notebook(env=own)
    assert first.run(f"{PROGRAM}; np.config.protect = 'memory'; np.checkpoint() > 0", timeout=60).text == "True"
    left = pathlib.Path(f"/dev/shm/gamelan-kept-{os.geteuid()}")
    assert len(list(left.glob(f"*-{first.pid}-*"))) == 1
    if are_lost:
        first.run(RANK)
    kill(first, environment)
    with Notebook(env=own) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert notebook.run("%session restore", timeout=60).out.startswith("restored in ")
        assert notebook.run("float(v.sum())", timeout=60).text == str(sum(range(300_000)) * 2.0)
        assert len(list(left.glob(f"*-{first.pid}-*"))) == 1, "this kernel's log reads there"
    assert not list(left.glob(f"*-{first.pid}-*"))


def test_a_kernel_that_was_only_stopped_leaves_the_engines_to_its_heir(environment, tmp_path):
    own = named(environment, tmp_path, "a.ipynb")
    first = Notebook(env=own)
    try:
        assert first.run(PROGRAM, timeout=60).status == "ok"
        wait_until(lambda: (folder := kept(environment)) and '"v"' in (folder / "manifest.json").read_text(), 10, "kept")
        (kept(environment).parent / "lock").unlink()  # as on a file system that has none
        os.kill(first.pid, signal.SIGSTOP)
        with Notebook(env=own) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            assert "2 arrays lie on the engines" in notebook.run("%session restore", timeout=60).err
            session = notebook.run(SESSION).text
            os.kill(first.pid, signal.SIGCONT)
            cell = first.run("float(v.sum())", timeout=60)
            assert cell.ename == "EngineLostError" and "has taken over" in cell.reply["evalue"], cell.reply
            first.run("float(np.ones(300_000).sum())", timeout=60)
            first.close()
            assert notebook.run("float(v.sum())", timeout=60).text == str(sum(range(300_000)) * 2.0)
            assert notebook.run(SESSION).text == session
    finally:
        if first.manager.has_kernel:
            os.kill(first.pid, signal.SIGCONT)
            first.close()
