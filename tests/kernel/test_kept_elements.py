# SPDX-License-Identifier: BSD-3-Clause
# A program's own elements may be more than is kept for the next kernel: what was made from them is named, all other arrays come
# back. Where the next kernel finds them on the engines, checkpoints keep them from then on.
import os

import pytest

from notebook import Notebook, wait_until
from test_kept import kept
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

PROGRAM = "import gamelan as np, numpy; x = np.asarray(numpy.arange(500_000.0)); s = np.ones(300_000); np.sync()"
MORE = "y = x * 2; z = s + 1; np.sync()"
KILL = "import gamelan, os; os.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)"
PIDS = "import gamelan; [each['pid'] for each in gamelan._session.engines().status()['processes']]"
SUM = str(sum(range(500_000)) * 2.0)


@pytest.fixture
def environment(own_home, tmp_path):
    name = {"JPY_SESSION_NAME": str(tmp_path / "a.ipynb"), "XDG_STATE_HOME": str(tmp_path / "state"), "GAMELAN_ENGINES": "2"}
    return ENVIRONMENT | name


def manifest(environment):
    return (kept(environment) / "manifest.json").read_text() if kept(environment) else ""


def is_whole(text):
    """Nothing waits for a checkpoint, says this manifest."""
    return "-short" not in text and "log-" in text


def killed_after(environment, *cells, engines=False, until=lambda text: True):
    """What the cells wrote to stderr. `until`: what the manifest of what is kept must say before."""
    with Notebook(env=environment) as notebook:
        told = [notebook.run(code, timeout=60).err for code in cells]
        wait_until(lambda: '"z"' in (text := manifest(environment)) and until(text), 20, "kept")
        # The kernel first: it would have other engines compute the arrays again.
        pids = [notebook.pid, *(eval(notebook.run(PIDS).text) if engines else ())]
        for pid in pids:
            os.kill(pid, 9)
        wait_until(lambda: not notebook.manager.is_alive(), 10)
    return told


def test_only_what_needs_them_is_lost_with_kernel_and_engines(environment):
    environment = environment | {"GAMELAN_KEPT_BYTES": "1000000", "GAMELAN_IDLE_TIMEOUT": "1"}
    told = killed_after(environment, PROGRAM, MORE, "%session", engines=True)
    assert told[0].startswith("gamelan: x would be lost with this kernel and its engines: more elements"), told
    assert told[1] == "", "told once"
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        cell = notebook.run("%session restore", timeout=60)
        assert "not loaded: x, y (" in cell.out and "too many to be kept (np.config.kept_bytes)" in cell.out, cell.out
        assert notebook.run("float(s.sum()), float(z.sum())").text == "(300000.0, 600000.0)"


def test_many_small_parts_are_left_out_like_a_large_one(environment):
    environment = environment | {"GAMELAN_KEPT_BYTES": "1000000", "GAMELAN_IDLE_TIMEOUT": "1"}
    rows = "import gamelan as np, numpy; x = np.zeros((60, 5000)); s = np.ones(300_000)\nfor i in range(60): x[i] = numpy.random.rand(5000)"
    told = killed_after(environment, rows, "z = s + 1; np.sync()", engines=True)
    assert told[0].startswith("gamelan: x would be lost with this kernel and its engines: "), told
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "not loaded: x (" in notebook.run("%session restore", timeout=60).out
        assert notebook.run("float(s.sum()), float(z.sum())").text == "(300000.0, 600000.0)"


def test_what_was_made_before_they_came_in_comes_back(environment):
    environment = environment | {"GAMELAN_KEPT_BYTES": "1000000", "GAMELAN_IDLE_TIMEOUT": "1"}
    program = "import gamelan as np, numpy; x = np.ones(500_000); z = x + 1; np.sync(); x[:] = numpy.arange(500_000.0); np.sync()"
    told = killed_after(environment, program, "y = x * 2; np.sync()", engines=True)
    assert told[0].startswith("gamelan: x would be lost with this kernel and its engines: "), told
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "not loaded: x, y (" in notebook.run("%session restore", timeout=60).out
        notebook.run(KILL)
        assert notebook.run("float(z.sum())", timeout=60).text == "1000000.0"


def test_session_names_what_would_be_lost(environment):
    with Notebook(env=environment | {"GAMELAN_KEPT_BYTES": "1000000"}) as notebook:
        notebook.run(PROGRAM, timeout=60)
        notebook.run(MORE)
        out = notebook.run("%session").out
        assert "would be lost with this kernel and its engines: x, y: more elements" in out, out
        notebook.run("np.config.protect = 'memory'; np.checkpoint()")
        assert "would be lost" not in notebook.run("%session").out


def test_checkpoints_keep_them_for_the_next_kernel(environment):
    environment = environment | {"GAMELAN_KEPT_BYTES": "1000000", "GAMELAN_IDLE_TIMEOUT": "1"}
    protect = "import gamelan as np; np.config.protect = 'memory'"
    again = "w = np.asarray(numpy.arange(500_000.0)) + 1; np.sync()"  # more of them, behind the first checkpoint
    temporary = "t = float((np.asarray(numpy.arange(600_000.0)) * 2).sum())"
    made = "n = np.stats()['log_bytes'] < 1_000_000"
    told = killed_after(environment, protect, PROGRAM, again, temporary, made, MORE, engines=True, until=is_whole)
    assert not any(told), told
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "not loaded" not in notebook.run("%session restore", timeout=60).out
        cell = notebook.run("n, float(y.sum()), float(z.sum()), float(w.sum())", timeout=60)
        assert cell.text == f"(True, {SUM}, 600000.0, {float(SUM) / 2 + 500_000})", cell.reply


@pytest.mark.parametrize("place", ["memory", "folder"])
def test_an_idle_notebook_is_kept_with_its_last_checkpoint(environment, tmp_path, place):
    environment = environment | {"GAMELAN_KEPT_BYTES": "1000000", "GAMELAN_IDLE_TIMEOUT": "1"}
    place = "memory" if place == "memory" else str(tmp_path / "checkpoints")

    with Notebook(env=environment) as notebook:
        notebook.run(f"import gamelan as np, numpy, os; np.config.protect = {place!r}", timeout=60)
        pids = notebook.run(
            "[each['pid'] for each in (np.ones(300_000).sum(), np._session.engines().status()['processes'])[1]]"
        ).text
        for name in "vw":  # each more than is kept
            notebook.run(f"{name} = np.asarray(numpy.arange(500_000.0)) + 1; np.sync()")
        wait_until(lambda: '"w"' in (text := manifest(environment)) and is_whole(text), 20, "kept")  # no cell follows
        os.kill(notebook.pid, 9)
        for pid in eval(pids):
            os.kill(pid, 9)
        wait_until(lambda: not notebook.manager.is_alive(), 10)
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "not loaded" not in notebook.run("%session restore", timeout=60).out
        assert notebook.run("float(v.sum() + w.sum())", timeout=60).text == str(float(SUM) + 1_000_000)


@pytest.mark.parametrize("limit", ["GAMELAN_KEPT_BYTES", "GAMELAN_LOG_BYTES"])
def test_checkpoints_keep_what_the_next_kernel_has_found(environment, limit):
    environment = environment | {limit: "1000000", "GAMELAN_IDLE_TIMEOUT": "60"}
    killed_after(environment, PROGRAM, MORE)
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "4 arrays lie on the engines" in notebook.run("%session restore", timeout=60).err
        assert "would be lost with the engines: x, y: its elements came from" in notebook.run("%session").out
        notebook.run("y += 1")
        notebook.run("np.config.protect = 'memory'")
        notebook.run(KILL)
        cell = notebook.run("float(y.sum()), float(x.sum() * 2), float(z.sum())", timeout=60)
        assert cell.text == f"({float(SUM) + 500_000}, {SUM}, 600000.0)", cell.reply
