# SPDX-License-Identifier: BSD-3-Clause
# %session undo in a notebook: what its line says, which cells count, and that lost engines and quick cells do not make it wrong.
import time

import pytest

from notebook import Notebook, wait_until
from test_kept import kept
from test_with_engines import ENVIRONMENT, LONG

pytestmark = pytest.mark.timeout(120)

PROGRAM = """
a = np.ones(500_000); b = a[::2]; k = [1]; same = k; generator = (each for each in ())
rng = np.random.default_rng(3)
def f(x): return x + k[0]
"""
KEEPER = "__import__('sys').modules['gamelan._saved._notebook'].keeper"
HISTORY = f"{KEEPER}.history"
IS_KEPT = f"[state.cells for state in {HISTORY}._states][-1:] == [len({HISTORY}._cells)]"


@pytest.fixture
def notebook():
    with Notebook(env=ENVIRONMENT) as notebook:
        run(notebook, "import gamelan as np")
        run(notebook, PROGRAM)
        yield notebook


def run(notebook, code):
    """A cell, and the pause after it in which its state is kept."""
    cell = notebook.run(code, timeout=60)
    if "undo" not in code:
        wait_until(lambda: time.sleep(0.15) or notebook.run(IS_KEPT, store_history=False).text == "True", 10, "kept")
    return cell


def test_the_line_and_the_state(notebook):
    run(notebook, "a[0] = 5; k.append(2); c = 1; rng.random(4)")
    run(notebook, "del f, k; 1 / 0")
    left = "; left as they are: generator (a generator)\n"
    assert notebook.run("%session undo").out == f"cell [4] is undone; as before: f, k, same{left}"
    again = "a (computed again), b (computed again)"
    assert notebook.run("%session undo").out == f"cell [3] is undone; as before: {again}, k, rng, same; gone: c{left}"
    result = notebook.run("float(a[0]), b.base is a, k is same, k, f(1), round(float(rng.random()), 4), 'c' in globals()")
    expected = notebook.run("round(float(np.random.default_rng(3).random()), 4)").text
    assert result.text == f"(1.0, True, True, [1], 2, {expected}, False)"
    assert run(notebook, "%session undo 2").out.startswith("cells [7], [8] are undone; as before: rng;")
    assert "goes back as far as before cell [2]" in notebook.run("%session").out
    assert "3 cells have run since" in notebook.run("%session undo 9").reply["evalue"]
    assert notebook.run("%session undo 0").ename == "UsageError"


def test_what_a_front_end_runs_unseen_counts_for_no_cell(notebook):
    run(notebook, "k.append(2)")
    assert notebook.run("k", store_history=False).text == "[1, 2]"
    notebook.run("k.append(3)", silent=True)
    assert notebook.run("%session undo").out.startswith("cell [3] is undone; as before: k, same;")
    assert notebook.run("k").text == "[1]"


def test_an_interrupted_cell_is_undone(notebook):
    cell = notebook.send(f"k.append(2)\na += 1\n{LONG}\nk.append(3)")
    time.sleep(0.5)
    notebook.manager.interrupt_kernel()
    assert notebook.finish(cell, 60).ename == "KeyboardInterrupt"
    again = "a (computed again), b (computed again)"
    assert notebook.run("%session undo", timeout=60).out.startswith(f"cell [3] is undone; as before: {again}, k, same")
    assert notebook.run("float(a[7]), b.base is a, k").text == "(1.0, True, [1])"


# The engines compute for a while behind a cell that an interrupt ends here.
BEHIND = "m = np.ones((1200, 1200)); k.append(2); behind = m @ m\nprint('here')\nimport time\nwhile True: time.sleep(0.05)"
# The keeper's thread looks once, too early, and not again before the next cell; `ended`: then the engines have done all.
TOO_EARLY = """
def arrange(ended):
    import threading, gamelan._saved._notebook as module
    looked, real = threading.Event(), module._has_unfinished
    def watch():
        looked.wait()
        while module._core.has_unfinished():
            module._core.hear_replies()
            time.sleep(0.01)
        module._has_unfinished = real
        open(ended, "w").close()
    module._has_unfinished, module.keeper._look_again = lambda: True, looked.set
    threading.Thread(target=watch, daemon=True).start()
"""


@pytest.mark.parametrize("is_early", [False, True])
def test_the_state_behind_an_interrupted_cell_is_kept_when_the_engines_have_done_it(tmp_path, is_early):
    environment = ENVIRONMENT | {"JPY_SESSION_NAME": str(tmp_path / "a.ipynb"), "XDG_STATE_HOME": str(tmp_path / "state")}
    ended = tmp_path / "ended"
    with Notebook(env=environment) as notebook:
        run(notebook, "import gamelan as np, time; a = np.ones(500_000); k = [1]")
        if is_early:
            notebook.run(f"{TOO_EARLY}\narrange({str(ended)!r})", timeout=60)
        cell = notebook.send(BEHIND)
        notebook.until(cell, lambda cell: "here" in cell.out, timeout=60)
        notebook.manager.interrupt_kernel()
        assert notebook.finish(cell, 60).ename == "KeyboardInterrupt"
        manifest = kept(environment) / "manifest.json"
        wait_until(ended.exists if is_early else lambda: '"behind"' in manifest.read_text(), 60, "done")
        notebook.run("k.append(3); a += 1")
        assert notebook.run("%session undo", timeout=60).out.endswith("is undone; as before: a (computed again), k\n")
        assert notebook.run("k, float(a[7]), float(behind[0, 0])").text == "([1, 2], 1.0, 1200.0)"


def test_engines_that_died_meanwhile(notebook):
    """They compute what is needed now, and then what was: 3 commands of the one, 2 of the other."""
    run(notebook, "before = a * 3")
    run(notebook, "before = a[1:] + 1; a = np.zeros(500_000)")
    run(notebook, "import os, gamelan\nos.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)")
    cell = run(notebook, "float(before.sum()), float(b.sum())")
    assert cell.text == "(999998.0, 250000.0)" and "computed again: 3 commands" in cell.err
    out = notebook.run("%session undo 3", timeout=60).out
    assert out.startswith("cells [4], [5], [6] are undone; as before: a, before (computed again); gone: gamelan, os")
    assert notebook.run("a[0] = 9; float(before.sum()), float(b[0]), float(a.sum())").text == "(1500000.0, 9.0, 500008.0)"


def test_engines_that_died_unnoticed(notebook):
    run(notebook, "c = a * 3; d = 2")
    run(notebook, "c += 1; del b")
    run(notebook, "import os, gamelan\nos.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)")
    time.sleep(1)
    cell = notebook.run("%session undo 2", timeout=60)
    assert "gone: gamelan, os" in cell.out and "as before: b, c (computed again);" in cell.out and "killed by" in cell.err
    assert notebook.run("float(c.sum()), float(b.sum()), float(a.sum()), d").text == "(1500000.0, 250000.0, 500000.0, 2)"


def test_arrays_of_engines_that_were_left_are_named(notebook):
    run(notebook, "c = 5")
    run(notebook, "%engines stop")
    run(notebook, "k.append(7); b = 1")
    out = notebook.run("%session undo 2").out
    assert "as before: k, same" in out and "could not come back: a, b (its distributed array" in out
    assert notebook.run("k, c").text == "([1], 5)"


def test_cells_that_follow_each_other_at_once(notebook):
    """What is not kept is said, and nothing is done."""
    cells = [notebook.send(f"k.append({number})") for number in range(2, 8)]
    for cell in cells:
        notebook.finish(cell)
    cell = notebook.run("%session undo")
    said = cell.reply.get("evalue", "")
    if said:
        assert "the state before cell [8] is not kept: it began at once after the cell before" in said
        assert notebook.run("len(k)").text == "7"
        assert "are undone" in notebook.run(f"%session undo {int(said.split('%session undo ')[1].split()[0]) + 1}").out
        assert notebook.run("k == list(range(1, len(k) + 1)) and len(k) < 6").text == "True"
    else:
        assert notebook.run("len(k)").text == "6"


def test_nothing_is_kept_where_nobody_wants_it():
    with Notebook(env=ENVIRONMENT | {"GAMELAN_KEPT_BYTES": "0"}) as notebook:
        notebook.run("import gamelan as np; k = 1", timeout=60)
        notebook.run("k = 2")
        assert "np.config.kept_bytes is 0" in notebook.run("%session undo").reply["evalue"]
        assert notebook.run("k").text == "2"


def test_a_second_kernel_of_the_notebook_undoes_its_own_cells(tmp_path):
    environment = ENVIRONMENT | {"JPY_SESSION_NAME": str(tmp_path / "a.ipynb"), "XDG_STATE_HOME": str(tmp_path / "state")}
    with Notebook(env=environment) as first, Notebook(env=environment) as second:
        first.run("import gamelan as np", timeout=60)
        assert "another kernel has this notebook" in run(second, "import gamelan as np").err
        run(second, "k = 1")
        run(second, "k = 2")
        assert second.run("%session undo").out == "cell [3] is undone; as before: k\n"
        assert second.run("k").text == "1"


COUNTED = """
a = np.ones(500_000); k = [1]; rng = np.random.default_rng(3); s = float(a.sum())
"""


@pytest.fixture
def counted():
    """A notebook in which everything can be kept."""
    with Notebook(env=ENVIRONMENT) as notebook:
        run(notebook, "import gamelan as np")
        run(notebook, COUNTED)
        yield notebook


def test_a_cell_that_only_looks_counts_for_none(counted):
    run(counted, "k.append(2)")
    run(counted, "print(k, a[:3], float(a.sum()))")
    run(counted, "%session")
    counted.run("k")
    assert counted.run("%session undo").out == "cell [3] is undone; as before: k\n", "at once: it had no pause"
    run(counted, "a += 1")
    run(counted, "rng.random()")
    run(counted, "np.random.random(2)")
    run(counted, "float(a[0])")
    assert counted.run("%session undo").out == "cell [10] is undone; it had changed no variable\n", "but random numbers"
    assert counted.run("%session undo 2").out == "cells [8], [9] are undone; as before: a (computed again), rng\n"
    assert counted.run("float(a[0]), k").text == "(1.0, [1])"


def test_run_all_leaves_states_behind_cells_that_take_long_enough_and_says_why_others_have_none():
    with Notebook(env=ENVIRONMENT) as notebook:
        none_left = f"{KEEPER}._earned_s = -9.0"  # of the time that may be spent on keeping
        long = "k.append(2); time.sleep(1.5)"
        codes = ["import gamelan as np, time", "k = [1]; time.sleep(1.5)", long, f"k.append(3); {none_left}", "k.append(4)"]
        for cell in [notebook.send(code) for code in codes]:
            assert notebook.finish(cell, 60).status == "ok"
        wait_until(lambda: time.sleep(0.15) or notebook.run(IS_KEPT, store_history=False).text == "True", 10, "kept")
        said = notebook.run("%session undo").reply.get("evalue", "")
        assert said.startswith(
            "%session: the state before cell [5] is not kept: it began at once after the cell before (Run All)"
        )
        assert said.endswith("; %session undo 2 goes back to the state before cell [4]")
        assert (
            "the state before cell [1] is not kept: gamelan was not imported yet"
            in notebook.run("%session undo 5").reply["evalue"]
        )
        assert notebook.run("%session undo 2").out == "cells [4], [5] are undone; as before: k\n"
        assert notebook.run("k").text == "[1, 2]"


def test_a_state_that_is_too_long_ago(counted):
    run(counted, "np.config.kept_bytes = 5000")
    for number in range(4):
        run(counted, f"k = bytes([{number}]) * 3000")
    said = counted.run("%session undo 4").reply["evalue"]
    assert "is not kept: it is too long ago (np.config.kept_bytes, or more than 50 states)" in said
