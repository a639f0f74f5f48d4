# SPDX-License-Identifier: BSD-3-Clause
# What is kept of a notebook at each cell's end: a new kernel of the same notebook brings it back after kill -9, a second kernel
# at the same time is told so, and the cells do not notice.
import json
import os
import pathlib
import pickle
import re
import shutil
import stat
import time

import pytest

from notebook import Notebook, wait_until
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(120)

PROGRAM = """
import gamelan as np
a = np.ones((2000, 500))
held = [a[1:], 1]
n, words, small = 3, ["a", "b"], np.arange(5)
tail, same = small[2:], (words,)
generator = (each for each in ())
def f(x): return x + n
rng = np.random.default_rng(5); rng.random(3)
"""
KEEPER = "from gamelan._saved._notebook import keeper as _keeper"


@pytest.fixture
def environment(tmp_path):
    name = {"JPY_SESSION_NAME": str(tmp_path / "a.ipynb"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return ENVIRONMENT | name


def kept(environment):
    """The folder of the newest kernel of the only notebook."""
    folders = pathlib.Path(environment["XDG_STATE_HOME"]).glob("gamelan-notebooks/*/*/manifest.json")
    return max((each.parent for each in folders), key=lambda folder: folder.name, default=None)


def lost(environment, *cells, program=PROGRAM):
    """A kernel that ran these cells and was killed when they were kept."""
    notebook, before = Notebook(env=environment), kept(environment)
    try:
        for code in (program, *cells, "last = 1"):
            assert notebook.run(code, timeout=60).status == "ok"
        wait_until(lambda: kept(environment) != before and '"last"' in read(environment), 10, "kept")
        os.kill(notebook.pid, 9)
        wait_until(lambda: not notebook.manager.is_alive(), 10)
    finally:
        notebook.close()


def test_values_come_back_after_kill_9_and_lost_arrays_are_named(environment):
    lost(environment, "n = 4; words.append('c')")
    with Notebook(env=environment) as notebook:
        cell = notebook.run("import gamelan as np", timeout=60)
        assert "that was lost (last cell at " in cell.err and "%session restore brings them back" in cell.err
        listed = (
            r"^KERNEL +KEPT +END +VARIABLES +SIZE +NAMES\n2\d+-\d+-\d+ +\d\d:\d\d:\d\d on .* lost +10 +7.63 MiB +a, held, n, "
        )
        assert re.search(listed, notebook.run("%session").out, re.MULTILINE)
        out = notebook.run("n = 1\n%session restore").out.splitlines()
        assert out[0].endswith(": np, a, held, n, words, small, tail, same, f, rng, last") and out[1] == "replaced: n"
        assert notebook.run("held[0][0] += 1; float(a.sum()), float(a[1, 3]), np.stats()['arrays']").text == "(1000500.0, 2.0, 1)"
        assert out[2] == "were not saved: generator (a generator)"
        assert notebook.run("n, words, same[0] is words, f(1), len(rng.random(3))").text == "(4, ['a', 'b', 'c'], True, 5, 3)"
        assert notebook.run("small[3] = 9; int(tail[1])").text == "9"
        assert notebook.run("n = 5\n%session restore --keep --only n,words").out.splitlines()[1] == "left as they are: n, words"
        assert notebook.run("%session restore --of nobody").ename == "UsageError"
        refused = notebook.run("%session restore --only n,typo,tipo")
        assert refused.reply["evalue"] == "that kernel has left no variable typo, tipo" and refused.ename == "UsageError"


def test_after_two_losses_a_restore_asks_which_is_meant(environment):
    """The second kernel, with its one variable, does not hide the first one's work."""
    lost(environment, "n = 4")
    first = kept(environment).name
    lost(environment, program="import gamelan as np; x1 = 1")
    second = kept(environment).name
    with Notebook(env=environment) as notebook:
        told = notebook.run("import gamelan", timeout=60).err
        assert "2 kernels of this notebook that were lost left variables: %session lists them" in told
        for asked in ("", "--of 2"):
            cell = notebook.run(f"%session restore {asked}")
            lines = cell.reply["evalue"].splitlines()[-2:]
            assert [line.split()[0] for line in lines] == [second, first]
            assert re.search(r" lost +2 +\d+ B +x1, last$", lines[0])
        for part in ("words", "x1"):
            assert notebook.run(f"%session restore --only {part}").out.startswith("restored in ")
        lines = notebook.run("%session restore").reply["evalue"].splitlines()[-2:]
        assert [line.split()[0] for line in lines] == [second, first], "of two that gave a part none goes on by itself"
        assert notebook.run(f"%session restore --of {second}").out.count("x1, last") == 1
        notebook.run(f"%session restore --of {first} --keep")
        assert notebook.run("n, x1, f(1)").text == "(4, 1, 5)"
        assert notebook.run("n = 7; mark = 1").status == "ok"
        wait_until(lambda: _mark(environment) == 1, 10, "kept")
        os.kill(notebook.pid, 9)
        wait_until(lambda: not notebook.manager.is_alive(), 10)
    with Notebook(env=environment) as notebook:
        assert notebook.run("%session restore", timeout=60).status == "ok", "who has restored has chosen"
        assert notebook.run("n, x1").text == "(7, 1)"
        assert re.search(rf"^{first} .* lost, restored ", notebook.run("%session").out, re.MULTILINE)


def test_options_come_back(environment, tmp_path):
    (tmp_path / "kept").mkdir()
    lost(
        environment,
        f"np.config.protect = {str(tmp_path / 'kept' / 'here')!r}; np.config.log_bytes = 77_000; np.config.gather_limit = 5",
    )
    os.rename(tmp_path / "kept", tmp_path / "away")
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np; np.config.gather_limit = 6", timeout=60)
        lines = notebook.run("%session restore").out.splitlines()
        assert lines[1] == "np.config as it was: log_bytes = 77000"
        assert lines[2].startswith("not as it was in np.config: protect (") and f"{tmp_path / 'kept' / 'here'}" in lines[2]
        assert "a folder that exists, or is to be made in one that exists" in lines[2]
        assert notebook.run("np.config.log_bytes, np.config.protect, np.config.gather_limit, n").text == "(77000, '', 6, 3)"
        os.rename(tmp_path / "away", tmp_path / "kept")
        assert f"np.config as it was: protect = '{tmp_path / 'kept' / 'here'}'" in notebook.run("%session restore").out
        assert notebook.run("np.checkpoint() > 8_000_000").text == "True"


def test_arrays_that_would_be_lost_with_the_engines_are_told_once_and_listed(environment):
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np, numpy; np.config.log_bytes = 1_000_000", timeout=60)
        told = notebook.run("big = np.asarray(numpy.ones(500_000)); np.sync()").err
        assert told.startswith("gamelan: big would be lost with the engines: ") and "np.config.protect = 'memory', or a" in told
        assert notebook.run("more = big + 1; np.sync()").err == ""
        assert "would be lost with the engines: big, more: its elements came from this program" in notebook.run("%session").out
        notebook.run("np.config.protect = 'memory'")
        assert "would be lost" not in notebook.run("%session").out
        notebook.run("import gamelan, os\nos.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)")
        assert notebook.run("float(big.sum()), float(more.sum())", timeout=60).text == "(500000.0, 1000000.0)"


def test_protection_that_is_set_behind_a_loss_costs_no_other_cell(environment, tmp_path):
    from gamelan import launch

    (tmp_path / "kept").mkdir(mode=0o700)
    engines = launch.start(2, idle_timeout=60)
    try:
        with Notebook(env=environment | {"GAMELAN_CONNECT": str(engines.connection_file)}) as notebook:
            notebook.run("import gamelan as np, numpy; np.config.log_bytes = 1_000", timeout=60)
            notebook.run("big = np.asarray(numpy.ones(500_000)); np.sync()")
            os.kill(engines.status()["processes"][1]["pid"], 9)
            wait_until(lambda: engines.ending, 10, "the engines have ended")
            notebook.run(f"np.config.protect = {str(tmp_path / 'kept')!r}")
            assert [notebook.run("1 + 1").text for _ in range(3)] == ["2"] * 3
            assert notebook.run("float(big.sum())", timeout=60).ename == "EngineLostError"
        assert not os.listdir(tmp_path / "kept")
    finally:
        engines.stop()


def test_files_are_private_and_go_when_they_change(environment):
    lost(environment, "words = 'new'")
    folder = kept(environment)
    for path in [folder.parent.parent, folder.parent, *folder.parent.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    text = (folder / "manifest.json").read_text()
    pickles = list(folder.glob("*.pickle"))
    logs = list(folder.glob("log-*"))
    assert pickles and all(each.stem in text for each in pickles) and len(logs) == 1 and logs[0].name in text
    assert len(os.listdir(folder)) == len(pickles) + 2


def test_a_second_kernel_is_told(environment):
    with Notebook(env=environment) as first, Notebook(env=environment) as second:
        assert first.run("import gamelan as np; n = 1", timeout=60).err == ""
        told = f"another kernel has this notebook (process {first.pid} on "
        assert told in second.run("import gamelan as np", timeout=60).err
        assert told in second.run("%session").out
        refused = second.run("%session restore").reply["evalue"]
        assert told in refused and "are not kept" not in refused and refused.endswith("and its variables with it: end it first")
    with Notebook(env=environment) as third:
        told = third.run("import gamelan as np", timeout=60).err
        assert "kernel of this notebook that ended (last cell at " in told and "left 1 variable (n): %session restore" in told
        third.run("%session restore")
        assert third.run("n").text == "1"


def test_the_first_cell_may_restore_and_is_not_told_to(environment):
    lost(environment, "n = 4")
    with Notebook(env=environment) as notebook:
        cell = notebook.run("%session restore", timeout=60)
        assert (
            re.match(r"restored in [\d.]+ s, as kept at \d\d:\d\d:\d\d on \d\d \w+: np, ", cell.out)
            and "brings them" not in cell.err
        )


def test_an_unknown_name_in_the_first_cell_reminds_of_the_lost_kernel(environment):
    with Notebook(env=environment) as notebook:
        cell = notebook.run("n", timeout=60)
        assert cell.ename == "NameError" and not cell.err, "nothing was lost"
        assert notebook.run("import sys; 'gamelan' in sys.modules").text == "False"
    lost(environment, "n = 4")
    with Notebook(env=environment) as notebook:
        cell = notebook.run("n", timeout=60)
        assert cell.ename == "NameError" and "%session restore brings them back" in cell.err
        notebook.run("%session restore", timeout=60)
        assert notebook.run("n").text == "4"


def test_a_kernel_that_ends_in_order_is_offered_like_one_that_was_lost(environment):
    with Notebook(env=environment) as notebook:
        notebook.run(PROGRAM, timeout=60)
        notebook.run("n = 77")
    with Notebook(env=environment) as notebook:
        told = notebook.run("import gamelan as np", timeout=60).err
        assert "of this notebook that ended (last cell at " in told and "left 9 variables (a, held, n, " in told, told
        assert re.search(r"^2\S+ +\S+ on .* in order +9 ", notebook.run("%session").out, re.MULTILINE)
        notebook.run("%session restore")
        assert notebook.run("n").text == "77"


def test_an_automatic_restart_is_known_by_the_connection_file(environment):
    environment = {name: value for name, value in environment.items() if name != "JPY_SESSION_NAME"}
    with Notebook(env=environment) as notebook:
        notebook.run(PROGRAM, timeout=60)
        wait_until(lambda: kept(environment), 10)
        folder = kept(environment)
        os.kill(notebook.pid, 9)
        wait_until(lambda: not notebook.manager.is_alive(), 10)
        notebook.manager.restart_kernel(now=True)
        notebook.client.wait_for_ready(timeout=30)
        assert "%session restore" in notebook.run("import gamelan as np", timeout=60).err
        notebook.run("%session restore")
        assert notebook.run("words").text == "['a', 'b']"
    wait_until(lambda: not folder.exists(), 10, "removed, since no kernel has this connection file again")


def test_what_others_could_write_or_what_is_damaged_is_not_read(environment):
    lost(environment)
    folder = kept(environment)
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        os.chmod(folder / "manifest.json", 0o666)
        assert "can be written by others" in notebook.run("%session restore").reply["evalue"]
        os.chmod(folder / "manifest.json", 0o600)
        for path in folder.glob("*.pickle"):
            if b"append" not in path.read_bytes() and path.stat().st_size > 1000:
                continue
            path.write_bytes(path.read_bytes()[:-2])
        cell = notebook.run("%session restore")
        assert re.search(r"\bwords\b.* \(its file is damaged", cell.out) and notebook.run("words").ename == "NameError"


def test_without_a_pause_cells_keep_at_their_end(environment):
    """Of cells that follow each other at once a save takes no more than its share of their time."""
    with Notebook(env=environment) as notebook:
        notebook.run(f"{PROGRAM}\nimport time\nvalues = [np.arange(1000.0) for _ in range(20)]", timeout=60)
        wait_until(lambda: kept(environment), 10)
        cells = [notebook.send(f"values[{n}] = {n}; k = {n}; time.sleep(0.3)") for n in range(20)]
        seen = set()
        for cell in cells:
            notebook.finish(cell)
            if (folder := kept(environment)) is not None:
                seen.add((folder / "manifest.json").read_text())
        spent, all_s = eval(notebook.run(f"{KEEPER}\n_keeper.spent_s, _keeper.cells_s").text)
        print(f"kept {len(seen)} times in 20 cells; {spent / all_s:.2%} of their {all_s:.1f} s")
        assert len(seen) > 1 and spent < 0.02 * all_s


def test_a_value_that_is_too_large_is_named_and_holds_up_nobody(environment):
    with Notebook(env=environment | {"GAMELAN_KEPT_BYTES": "1000000"}) as notebook:
        notebook.run("import gamelan as np, numpy\nlong = list(range(3_000_000)); wide = numpy.zeros(200_000); n = 1", timeout=60)
        wait_until(lambda: kept(environment), 10)
        started = time.monotonic()
        for n in range(20):
            notebook.run(f"n = {n}")
        assert time.monotonic() - started < 10
        wait_until(lambda: "kept at" in notebook.run("%session").out, 10)
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        out = notebook.run("%session restore").out
        assert "long (a list: too large to be kept at each cell's end; %session save takes it)" in out and "wide (" in out
        assert notebook.run("n").text == "19"


SLOW = """
import time
class Slow:
    def __reduce__(self):
        time.sleep(2)
        return int, ()
slow = Slow(); n = 1
"""


def test_a_cell_does_not_wait_for_a_value_that_is_slow_to_pickle(environment):
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        notebook.run(SLOW)
        for number in range(4):
            time.sleep(0.3)  # the thread is amid its two seconds
            started = time.monotonic()
            assert notebook.run(f"n = {number}").status == "ok" and time.monotonic() - started < 0.5
        wait_until(lambda: '"slow"' in read(environment), 15, "kept, in a pause that is long enough")


def read(environment):
    folder = kept(environment)
    return (folder / "manifest.json").read_text() if folder is not None else ""


def test_an_interrupt_before_the_first_line_ends_the_cell(environment):
    """While the cell waits until nobody reads the variables."""
    with Notebook(env=environment) as notebook:
        notebook.run("import gamelan as np", timeout=60)
        notebook.run(f"{KEEPER}\nimport time; before = _keeper.before_cell; _keeper.before_cell = lambda: time.sleep(3)")
        cell = notebook.send("_keeper.before_cell = before; ran = True")
        time.sleep(0.5)
        started = time.monotonic()
        notebook.manager.interrupt_kernel()
        assert notebook.finish(cell).ename == "KeyboardInterrupt" and time.monotonic() - started < 2
        assert notebook.run("_keeper.before_cell = before; 'ran' in globals()").text == "False"


def test_nothing_is_kept_when_nobody_wants_it(environment):
    with Notebook(env=environment | {"GAMELAN_KEPT_BYTES": "0"}) as notebook:
        assert notebook.run(PROGRAM, timeout=60).status == "ok"
        time.sleep(0.3)
        assert "np.config.kept_bytes is 0" in notebook.run("%session").out and kept(environment) is None


def test_a_folder_that_cannot_be_made_is_said_once(environment, tmp_path):
    shutil.rmtree(tmp_path / "state", ignore_errors=True)
    (tmp_path / "state").write_text("a file")
    with Notebook(env=environment) as notebook:
        assert "variables are not kept: " in notebook.run("import gamelan as np", timeout=60).err
        assert notebook.run("n = 1").err == ""


CELLS = """
rng = np.random.default_rng(4); a = rng.random((900, 400)); turn = 0
b = a[::3] * 2; rows = a[:, 5]; turn += 1
a[10:20] = b[:10]; c = np.sort(b, axis=0); turn += 1
small = np.arange(9.0); a -= a.mean(); held = {"c": c, "column": c[:, 1]}; turn += 1
for k in range(20): a *= 0.9; a += small[k % 9]; turn += 1
d = a @ a.T[:, :600]; rows[3] = 7; small[2] = -1; turn += 1
held["column"][4] = 3; e = np.concatenate([d[0], rng.random(80_000)]); turn += 1
""".strip().splitlines()


def test_a_notebook_whose_kernel_and_engines_are_killed_at_every_cell(environment):
    """After each cell the kernel, in each cell an engine: no cell is run again, and the result is the undisturbed one."""
    result = "[turn, *map(float, (a.sum(), b.sum(), c[5, 5], held['c'][4, 1], d.sum(), e.sum(), small.sum(), rows[3]))]"
    with Notebook(env=ENVIRONMENT) as notebook:
        assert all(notebook.run(code, timeout=60).status == "ok" for code in ("import gamelan as np", *CELLS))
        expected = notebook.run(result).text
    for number, code in enumerate(CELLS):
        notebook = Notebook(env=environment)
        try:
            assert notebook.run("import os" if number else "import gamelan, os\nimport gamelan as np", timeout=60).status == "ok"
            if number:
                restored = notebook.run("%session restore", timeout=60)
                assert restored.status == "ok" and "not loaded" not in restored.out, restored.out
            kill = "import gamelan\nos.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)\n" if number else ""
            cell = notebook.run(f"{kill}{code}\nmark = {number}", timeout=60)
            assert cell.status == "ok", cell.reply
            if number == len(CELLS) - 1:
                assert notebook.run(result, timeout=60).text == expected
            wait_until(lambda: _mark(environment) == number, 20, "kept")
            os.kill(notebook.pid, 9)
            wait_until(lambda: not notebook.manager.is_alive(), 10)
        finally:
            notebook.close()


def _mark(environment):
    """The value of the variable `mark` that is kept."""
    folder = kept(environment)
    if folder is None:
        return None
    for each in json.loads((folder / "manifest.json").read_text())["session"]["pickles"]:
        if each["names"] == ["mark"]:
            return pickle.loads((folder / f"{each['sha256']}.pickle").read_bytes())["mark"]
    return None
