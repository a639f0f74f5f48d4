# SPDX-License-Identifier: BSD-3-Clause
# Sentences that a user reads when something went wrong: each place once, in the notebook's words, and only the user's lines.
import time

import pytest

from notebook import Notebook, wait_until
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def shared(own_home):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_HEAP": "64M"}) as notebook:
        assert (
            notebook.run("import gamelan as np; a = np.ones((8000, 1000)); b = np.ones((5000, 1000)); np.sync()").status == "ok"
        )
        yield notebook


def test_a_full_memory_names_its_place_once_and_what_failed_is_not_listed(shared):
    cell = shared.run("x = a + 1; y = x + 1; np.sync()")
    told = cell.reply["evalue"]
    assert cell.ename == "MemoryError" and told.startswith("[memory] add needs 30.5 MiB on each of 2 ranks"), told
    assert told.endswith(f"(recorded at In [{cell.reply['execution_count']}], line 1)") and "ipython" not in told
    assert shared.run("np.explain(x)").text.startswith("was not computed: add needs 30.5 MiB on each of 2 ranks")
    table = shared.run("%engines memory").text
    row = next(line for line in table.splitlines() if line.startswith("x "))
    assert row.split()[4:] == ["float64", "not", "computed"]


def test_a_plan_that_does_not_fit_names_its_line(shared):
    cell = shared.run("%%explain\nx = (a + 1) @ np.ones((1000, 1000)); y = x + 1")
    assert cell.status == "ok" or cell.ename == "MemoryError"
    assert "<ipython" not in cell.out
    shared.run("x = y = 0")


def test_a_name_that_is_not_published_shows_the_users_line_only(shared):
    for code in ("np.attach('nothing')", "np.unpublish('nothing')"):
        cell = shared.run(code)
        assert cell.ename == "KeyError" and "nothing is published as 'nothing'" in cell.reply["evalue"]
        assert "_published.py" not in "\n".join(cell.reply["traceback"])


def test_a_wrong_heap_is_said_before_anything_starts(shared):
    cell = shared.run("%engines start --heap lots")
    assert cell.status == "error" or "expected bytes" in cell.out + cell.err
    assert "expected bytes, with K, M, G or T if you like: 512M, 4G" in cell.out + cell.err + str(cell.reply.get("evalue"))
    code = "from gamelan import launch\ntry: launch.start(1, heap='4 GB')\nexcept launch.LaunchError as error: print(error)"
    assert "memory of an engine (heap, GAMELAN_HEAP): got '4 GB', expected bytes" in shared.run(code).out


def test_attach_takes_more_than_jobs(shared):
    assert "WHERE" in shared.run("%engines attach --help").out


def test_what_others_wrote_and_what_is_copied_is_said(shared, own_home, tmp_path):
    shared.run("%engines stop\n%engines start -n 2 --heap 64M", timeout=60)
    shared.run("g = np.zeros(200_000); np.publish('g', g)", timeout=60)
    shared.run("k = 5")
    mark = f"mark_{time.monotonic_ns()}"  # no other in a second try
    code = f"import subprocess, sys, os; {mark} = 1; file = str(gamelan._session.engines().connection_file)"
    assert shared.run(f"import gamelan; {code}").status == "ok"
    kept = "state/gamelan-notebooks/*/*/manifest.json"
    wait_until(lambda: any(mark in each.read_text() for each in own_home.glob(kept)), 30, "the state is kept in the pause")
    program = "import gamelan as np; w = np.attach('g', writeable=True); w[0] = 3; np.sync()"
    variables = "{**os.environ, 'GAMELAN_CONNECT': file}"
    assert shared.run(f"subprocess.run([sys.executable, '-c', {program!r}], env={variables}, check=True); k = 6", timeout=60)
    cell = shared.run("%session undo")
    assert "other clients have written into g, which is not undone" in cell.out, (cell.out, cell.reply)
    assert shared.run("float(g[0]), k").text == "(3.0, 5)"
    assert "published or attached, saved as copies: g\n" in shared.run(f"%session save {tmp_path}/s --only g,k").out


def test_engines_that_were_stopped_elsewhere_say_by_whom(shared):
    shared.run("c = np.ones(200_000); np.sync()", timeout=60)
    program = "f'from gamelan import launch; launch.find({gamelan._session.engines().session!r}).stop()'"
    code = f"print(subprocess.run([sys.executable, '-c', {program}]))"
    assert "returncode=0" in shared.run(f"import time\n{code}; time.sleep(1)", timeout=60).out
    told = shared.run("float((c + 1).sum())", timeout=60)
    assert "were stopped by process" in told.err + str(told.reply.get("evalue")) and "mpiexec" not in told.err, told.err
