# SPDX-License-Identifier: BSD-3-Clause
# Engines that outlive a notebook's kernel: the next kernel takes its arrays over as they lie there, what was changed later is
# computed again, and two kernels never have one notebook.
import os
import signal

import pytest

from notebook import Notebook, wait_until
from test_kept import kept
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

PROGRAM = """
import gamelan as np
a = np.random.default_rng(3).random((900, 400)); b = a * 2; tail = b[1:]; held = [a.T, 5]
other = np.arange(300_000.0); gone = np.ones(200_000); n = 4
"""
SUMS = "[float(a.sum()), float(b.sum()), float(tail.sum()), float(held[0][3, 7]), float(other.sum()), float(gone.sum()), n]"
HELD = "np.arrays().clients"


@pytest.fixture
def engines(own_home):
    from gamelan import launch

    started = launch.start(2, idle_timeout=60, lease="10m")
    yield started
    started.stop()


@pytest.fixture
def environment(tmp_path, engines):
    name = {"JPY_SESSION_NAME": str(tmp_path / "a.ipynb"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return ENVIRONMENT | name | {"GAMELAN_CONNECT": str(engines.connection_file)}


def killed_after(environment, *cells, amid=""):
    """What the sums were of a kernel that ran these cells and was killed when they were kept; `amid`: another cell ran then."""
    notebook = Notebook(env=environment)
    try:
        for code in (PROGRAM, *cells, "last = 1"):
            assert notebook.run(code, timeout=60).status == "ok"
        sums = notebook.run(SUMS, timeout=60).text
        wait_until(lambda: (folder := kept(environment)) and '"last"' in (folder / "manifest.json").read_text(), 10, "kept")
        if amid:
            cell = notebook.send(f"{amid}\nnp.sync(); print('computed', flush=True); import time; time.sleep(60)")
            notebook.until(cell, lambda cell: "computed" in cell.out, timeout=60)
        os.kill(notebook.pid, 9)
        wait_until(lambda: not notebook.manager.is_alive(), 10)
    finally:
        notebook.close()
    return sums


def test_a_second_restore_says_that_it_computes_again(environment):
    sums = killed_after(environment)
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "arrays lie on the engines" in notebook.run("%session restore", timeout=60).err
        assert " lost, restored " in notebook.run("%session").out, "at once, not only for the kernel after this one"
        notebook.run("a += 1; n = 9")
        cell = notebook.run("%session restore", timeout=60)
        assert cell.out.startswith("restored again in ") and "arrays of the earlier kernel again" in cell.err, (
            cell.out,
            cell.err,
        )
        assert "replaced: " in cell.out and notebook.run(SUMS, timeout=60).text == sums


def test_the_next_kernel_has_the_arrays_as_they_lie(environment):
    sums = killed_after(environment, "b += 1")
    with Notebook(env=environment) as notebook:
        assert "%session restore" in notebook.run("import gamelan as np", timeout=60).err
        cell = notebook.run("%session restore", timeout=60)
        assert "4 arrays lie on the engines as the earlier kernel left them\n" in cell.err, cell.err
        assert "compute" not in cell.err and "not loaded" not in cell.out, cell.out
        assert notebook.run(SUMS, timeout=60).text == sums
        clients = notebook.run(HELD).text
        assert clients.count("notebook a.ipynb") == 0 and "('this program', 4, " in clients, clients
        assert notebook.run("del a, b, tail, held; np.sync(); len(np.arrays())").text == "2"


def test_what_was_changed_since_is_computed_again(environment):
    sums = killed_after(environment, amid="a -= 1; del gone; new = np.ones(500_000); other[3] = 7")
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        cell = notebook.run("%session restore", timeout=60)
        assert "1 array lies on the engines as the earlier kernel left them; 3 had changed and were computed again" in cell.err
        assert notebook.run(SUMS, timeout=60).text == sums
        assert notebook.run("'new' in globals(), sum(each.bytes for each in np.arrays())").text.startswith("(False, ")
        assert "('this program', 4, " in notebook.run(HELD).text


def test_what_was_taken_over_comes_back_when_the_engines_die(environment):
    """A rank dies behind it: the log of the earlier kernel goes on in this one."""
    environment = {name: value for name, value in environment.items() if name != "GAMELAN_CONNECT"} | {"GAMELAN_ENGINES": "2"}
    from gamelan import launch

    engines = launch.start(2, idle_timeout=60)
    try:
        sums = killed_after(environment | {"GAMELAN_CONNECT": str(engines.connection_file)})
        with Notebook(env=environment) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            cell = notebook.run("%session restore", timeout=60)
            assert f"attached to the engines of session {engines.session}, which the earlier kernel used" in cell.err, cell.err
            assert "4 arrays lie on the engines" in cell.err
            notebook.run("b *= 3")
            os.kill(engines.status()["processes"][1]["pid"], 9)
            lost = notebook.run("float(b.sum())", timeout=60)
            assert lost.ename == "EngineLostError", lost.reply
            notebook.run("%engines start -n 3", timeout=60)
            notebook.run("b /= 3")
            assert notebook.run(SUMS, timeout=60).text == sums
    finally:
        engines.stop()


def test_parts_of_a_session_one_after_the_other(environment):
    sums = killed_after(environment)
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        assert "4 arrays lie on" in notebook.run("%session restore --only other,n", timeout=60).err
        assert notebook.run("other[:] = -1; np.sync()").status == "ok"
        cell = notebook.run("%session restore --only a,b,tail,held,gone", timeout=60)
        assert cell.err == "" and "not loaded" not in cell.out, (cell.err, cell.out)
        cell = notebook.run("%session restore --only other", timeout=60)
        assert notebook.run(SUMS, timeout=60).text == sums, cell.err


def test_published_and_attached_arrays_go_along(environment, engines):
    with Notebook(env=environment | {"JPY_SESSION_NAME": environment["JPY_SESSION_NAME"] + "2"}) as third:
        third.run("import gamelan as np; theirs = np.full(150_000, 2.0); np.publish('theirs', theirs)", timeout=60)
        cells = "np.publish('mine', b); c = np.attach('theirs', writeable=True); d = c + 1"
        sums = killed_after(environment, cells)
        third.run("theirs += 1; m = np.attach('mine', writeable=True); m[0] = 9; np.sync()")
        with Notebook(env=environment) as notebook:
            notebook.run("import gamelan as np", timeout=60)
            cell = notebook.run("%session restore", timeout=60)
            assert "6 arrays lie on" in cell.err and "not loaded" not in cell.out, (cell.err, cell.out)
            assert notebook.run("float(c[0]), float(d[0]), float(b[0, 0])").text == "(3.0, 3.0, 9.0)"
            assert notebook.run("c += 1; float(c[1])").text == "4.0"
            assert notebook.run("np.unpublish('mine'); float(a.sum())").text == sums[1:].split(",")[0]
        assert third.run("float(theirs[5]), float(m[0, 1])").text == "(4.0, 9.0)"


def test_checkpoints_know_that_others_may_have_written_what_nobody_has_asked_for(environment, tmp_path):
    (tmp_path / "checkpoints").mkdir(mode=0o700)
    protected = environment | {"GAMELAN_PROTECT": str(tmp_path / "checkpoints")}
    killed_after(protected, "np.publish('shared', other)", "np.checkpoint()")
    with Notebook(env=protected) as notebook:
        notebook.run("import gamelan as np; from gamelan import _core", timeout=60)
        assert notebook.run("%session restore --only a,b,tail,held", timeout=60).status == "ok"
        lengths = "sorted({each[2][0] for each in _core.log_arrays() if each[0] in _core.unchanged_arrays()})"
        assert notebook.run(lengths, timeout=60).text == "[900, 200000]"  # not the 300,000 of `other`


def test_a_kernel_that_lives_keeps_its_arrays(environment, tmp_path):
    """Two kernels that do not see each other's lock, as on a file system that has none: the second one gets a clear error."""
    with Notebook(env=environment) as first:
        for code in (PROGRAM, "last = 1"):
            first.run(code, timeout=60)
        wait_until(lambda: (folder := kept(environment)) and '"last"' in (folder / "manifest.json").read_text(), 10, "kept")
        sums = first.run(SUMS).text
        (kept(environment).parent / "lock").unlink()
        # It is heard all the time: a machine that stands still for a second or two is no silence of the kernel's.
        ended = tmp_path / "ended"
        talk = first.send(f"import os, time\nwhile not os.path.exists({str(ended)!r}): np.status(); time.sleep(0.05)")
        with Notebook(env=environment) as second:
            second.run("import gamelan as np; a = 5", timeout=60)
            cell = second.run("%session restore", timeout=60)
            assert cell.ename == "UsageError" and "it was heard a moment ago" in cell.reply["evalue"], cell.reply
            assert "Two kernels cannot have one notebook" in cell.reply["evalue"] and second.run("a").text == "5"
        ended.touch()
        assert first.finish(talk, timeout=60).status == "ok"
        assert first.run(SUMS).text == sums


def test_a_stopped_kernel_whose_arrays_were_taken_says_so(environment):
    first = Notebook(env=environment)
    try:
        for code in (PROGRAM, "last = 1"):
            first.run(code, timeout=60)
        wait_until(lambda: (folder := kept(environment)) and '"last"' in (folder / "manifest.json").read_text(), 10, "kept")
        sums = first.run(SUMS).text
        (kept(environment).parent / "lock").unlink()
        os.kill(first.pid, signal.SIGSTOP)
        with Notebook(env=environment) as second:
            second.run("import gamelan as np", timeout=60)
            assert "4 arrays lie on" in second.run("%session restore", timeout=60).err
            os.kill(first.pid, signal.SIGCONT)
            cell = first.run("float(a.sum())", timeout=60)
            assert cell.ename == "EngineLostError" and "has taken over" in cell.reply["evalue"], cell.reply
            assert second.run(SUMS, timeout=60).text == sums
    finally:
        os.kill(first.pid, signal.SIGCONT)
        first.close()


def test_a_second_kernel_has_the_notebook_when_the_first_has_ended(environment):
    first = Notebook(env=environment)
    try:
        first.run("import gamelan as np; n = 1", timeout=60)
        with Notebook(env=environment) as second:
            assert "another kernel has this notebook" in second.run("import gamelan as np", timeout=60).err
            second.run("k = 7")
            first.close()
            assert "the variables of this one are kept from now on" in second.run("k = 8").err
            wait_until(lambda: '"k"' in (kept(environment) / "manifest.json").read_text(), 10, "kept")
            assert "another kernel" not in second.run("%session").out
            assert second.run("%session restore").out.splitlines()[0].endswith(": np, n")
        with Notebook(env=environment) as third:
            third.run("import gamelan as np", timeout=60)
            third.run("%session restore")
            assert third.run("k").text == "8"
    finally:
        if first.manager.has_kernel:
            first.close()
