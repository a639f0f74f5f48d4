# SPDX-License-Identifier: BSD-3-Clause
# The kernel with real engines: the end of a cell, interrupts that reach them, deaths on either side. What arrays
# compute is tested elsewhere; here it matters who waits, who is told, and who is left over.
import os
import random
import re
import signal
import time

import pytest

from notebook import Notebook, children_of, is_alive, wait_until

ENVIRONMENT = {
    "GAMELAN_ENGINES": "2",
    "GAMELAN_IDLE_TIMEOUT": "4",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
SETUP = "import gamelan as np\na = np.ones(500_000)\nfloat(a.sum())"
LONG = "b = a\nfor i in range(300_000): b = b * 1.0000001 + 1.0"

pytestmark = pytest.mark.timeout(120)


def start():
    notebook = Notebook(env=ENVIRONMENT)
    cell = notebook.run(SETUP, timeout=60)
    assert cell.text == "500000.0", (cell.reply, cell.err)
    return notebook


@pytest.fixture(scope="module")
def shared(own_home):
    with start() as notebook:
        yield notebook


@pytest.fixture
def fresh(own_home):
    with start() as notebook:
        yield notebook


def engine_pids(notebook):
    pids = []
    for pid in children_of(notebook.pid):
        with open(f"/proc/{pid}/comm") as name:
            if name.read().startswith("gamelan-engin"):
                pids.append(pid)
    return pids


def test_cell_ends_when_its_work_is_done(shared):
    shared.run("c = a + 1\nd = c * 2")
    assert shared.run("np.stats()['pending_commands']").text == "0"


@pytest.mark.parametrize(
    "code", ["(a + 1).", "np.zeros((3, 3)).", "a.sum().", "a[1:].T.", "print(np.sqrt(a * 2).", "(a > 0).", "b = 2 * -a."]
)
def test_tab_after_an_expression_offers_what_an_array_has_and_computes_nothing(shared, code):
    sent = "np._core.stats()['sent_batches'], np._core.stats()['recorded_commands']"
    before = shared.run(sent).text
    reply = shared.ask("complete", code=code)
    assert {"mean", "T", "distribution", "astype"} <= set(reply["matches"]) and "as_integer_ratio" not in reply["matches"]
    assert reply["cursor_start"] == reply["cursor_end"] == len(code)
    assert shared.ask("complete", code=code + "cums")["matches"] == ["cumsum"]
    assert shared.run(sent).text == before


def test_a_cell_that_runs_again_warns_again(shared):
    shared.run("z = np.zeros(500_000)")
    cells = [shared.run("for _ in range(3):\n    w = (z + 1) / z\n    float(w[0])") for _ in range(2)]
    assert [cell.err.count("divide by zero") for cell in cells] == [1, 1]
    assert shared.run("'__warningregistry__' in globals()").text == "False"


def test_tab_after_what_is_no_array(shared):
    assert "append" in shared.ask("complete", code="a.tolist().")["matches"]
    assert shared.ask("complete", code="a.shape.")["matches"] == ["count", "index"]
    assert "cumsum" not in shared.ask("complete", code="a.sort().")["matches"]
    assert "upper" in {match.split(".")[-1] for match in shared.ask("complete", code="'text'.")["matches"]}
    assert "ones_like" in {match.split(".")[-1] for match in shared.ask("complete", code="np.ones_")["matches"]}


def test_tab_after_engines_offers_its_commands(shared):
    assert shared.ask("complete", code="x = 1\n%engines st")["matches"] == ["start", "status", "stop"]
    offered = shared.ask("complete", code="%engines ")["matches"]
    listed = "from gamelan._magics import _parser\nsorted(_parser()._subparsers._group_actions[0].choices)"
    assert shared.run(listed).text == repr(offered)


def test_user_errors_come_at_their_line_at_once(shared):
    cell = shared.run("x = 1\ny = np.ones((100, 1000)) + np.ones(3)\nz = 2")
    assert cell.ename == "ValueError" and "broadcast" in cell.reply["evalue"]
    assert any("----> 2" in line or "> 2" in line for line in "".join(cell.reply["traceback"]).split("\n"))


@pytest.mark.parametrize("code, name", [
    ("np.linalg.inv(np.zeros((300, 300)))", "LinAlgError"), ("np.is_busday(a)", "NotImplementedError"),
    ("a + np.array([None])", "NotImplementedError")])  # fmt: skip
def test_a_traceback_ends_at_the_users_line(shared, code, name):
    (told,) = shared.run(code).of_type("error")
    text = "\n".join(told["traceback"])
    assert told["ename"] == name and "/gamelan/" not in text and "line" in text


def test_a_lost_array_that_is_shown_says_so_without_frames(fresh):
    cell = fresh.run("np._core.lose('they were taken away'); a")
    (told,) = cell.of_type("error")
    text = "\n".join(told["traceback"])
    assert "they were taken away" in text and "/gamelan/" not in text and "formatters.py" not in text and "pretty.py" not in text


def test_interrupts_at_random_moments(shared):
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(20):
        cell = shared.send(LONG)
        time.sleep(2 * chance.random())
        start_time = time.monotonic()
        shared.control("interrupt_request")
        shared.finish(cell)
        took = time.monotonic() - start_time
        assert took < 1, seed
        assert cell.ename == "KeyboardInterrupt", (cell.reply, seed)
        after = shared.run("float(a.sum())", timeout=10)
        assert after.text == "500000.0", (after.reply, seed)
        state = shared.run("float(b.max() - b.min())", timeout=10)
        # What the loop had passed is computed, alike on every engine.
        assert state.text == "0.0", (state.reply, took, seed)


def test_the_iterate_of_an_interrupted_loop_is_there(shared):
    shared.run("p = np.eye(1000) * 1.0000001\nq = p\nn = 0\nnp.sync()")
    for delay in (0.3, 0.7):
        cell = shared.send("while True:\n    q = q @ p\n    n += 1")
        time.sleep(delay)
        start_time = time.monotonic()
        shared.control("interrupt_request")
        assert shared.finish(cell).ename == "KeyboardInterrupt"
        assert time.monotonic() - start_time < 1
        found = shared.run("abs(float(np.log(q[0, 0])) / 1e-7 - n)", timeout=60)
        assert float(found.text) < 2.01, found.reply


def test_a_second_interrupt_cuts_and_says_where(shared):
    shared.run("r = s = np.ones((1500, 1500))\nnp.sync()")
    cell = shared.send("for i in range(40): r = s @ (r + 1) @ s @ s @ s @ s")
    time.sleep(1)
    shared.control("interrupt_request")
    assert shared.finish(cell).ename == "KeyboardInterrupt"
    number = cell.reply["execution_count"]
    cell = shared.send("float(r[0, 0])")
    time.sleep(0.02)
    shared.control("interrupt_request")
    shared.finish(cell)
    if cell.ename != "KeyboardInterrupt":
        pytest.skip("a machine that had computed it by then")
    told = cell.err + shared.run("print(1)").err
    lost = shared.run("float(r[0, 0])").ename
    assert lost == "CancelledError" and f"arrays stand where In [{number}], line 1 begins" in told or lost is None, (lost, told)


def test_bar_while_the_engines_are_busy(shared):
    cell = shared.send(LONG)
    shared.until(cell, lambda c: c.of_type("display_data"), timeout=20)
    shared.control("interrupt_request")
    shared.finish(cell)
    assert cell.of_type("update_display_data")[-1]["data"]["text/html"] == ""


@pytest.mark.parametrize(
    "code, at_least", [("%timeit -n 30 -r 1 a + 1", 30), ("%timeit -n 30 -r 1 c = a * 2", 30), ("%time c = a + 1", 1)]
)
def test_what_is_timed_is_computed(shared, code, at_least):
    before = int(shared.run("np.stats()['steps']").text)
    assert shared.run(code).status == "ok"
    assert int(shared.run("np.stats()['steps']").text) - before >= at_least
    shared.run("d = a + 1\ndel d")
    after = int(shared.run("np.stats()['steps']").text)
    shared.run("d = a + 1\ndel d")
    assert int(shared.run("np.stats()['steps']").text) == after, "outside a clock what nobody reads is not computed"


def test_time_is_honest(shared):
    quick = shared.run(
        "import time\nt = time.perf_counter()\n%time b = a; [b := b * 1.1 + 1 for i in range(300)][0];\nprint('SECONDS', time.perf_counter() - t)"
    )
    assert quick.status == "ok", quick.reply
    assert shared.run("np.stats()['pending_commands']").text == "0"


@pytest.mark.parametrize("how", ["shutdown", "restart", "exit", "SIGTERM"])
def test_no_engine_is_left_over(fresh, how):
    engines, kernel = engine_pids(fresh), fresh.pid
    assert len(engines) == 2
    if how == "shutdown":
        fresh.manager.shutdown_kernel()
    elif how == "restart":
        fresh.manager.restart_kernel()
    elif how == "exit":
        fresh.run("exit")
    else:
        os.kill(kernel, signal.SIGTERM)
    wait_until(lambda: not is_alive(kernel), 5, "kernel gone")
    wait_until(lambda: not any(map(is_alive, engines)), 5, "engines gone")


def test_engines_leave_after_a_killed_kernel(fresh):
    engines = engine_pids(fresh)
    os.kill(fresh.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_alive, engines)), 20, "engines gone")


def test_what_was_displayed_is_freed_when_it_is_forgotten(fresh):
    fresh.run("get_ipython().displayhook.cache_size = 10")
    for _ in range(25):
        assert fresh.run("(a + 1).sum(), 1").text in ("(1000000.0, 1)", "(np.float64(1000000.0), 1)")  # NumPy 2's
    count = "import gc; gc.collect(); np.sync(); print(np.stats()['arrays'])"
    kept = int(fresh.run(count).out)
    assert kept < 15, "what is over the size of the cache is held"
    fresh.run("%reset -f out")
    assert int(fresh.run(count).out) < kept - 5


def test_killed_engine_is_named_and_the_kernel_lives(fresh):
    fresh.run("np.config.log_bytes = 0")
    cell = fresh.send(LONG)
    time.sleep(1)
    os.kill(engine_pids(fresh)[-1], signal.SIGKILL)
    fresh.finish(cell, timeout=15)
    assert cell.ename == "EngineLostError"
    assert "SIGKILL" in cell.reply["evalue"] or "signal 9" in cell.reply["evalue"], cell.reply["evalue"]
    assert fresh.run("6 * 7").text == "42"
    again = fresh.run("float(np.ones(100_000).sum())", timeout=30)
    assert again.text == "100000.0", again.reply


def test_a_cell_goes_on_when_the_first_engines_are_killed_before_they_serve(own_home):
    with Notebook(env=ENVIRONMENT) as notebook:
        cell = notebook.send(SETUP)
        wait_until(lambda: engine_pids(notebook), 20, "engines")
        for pid in engine_pids(notebook):
            os.kill(pid, signal.SIGKILL)
        notebook.finish(cell, timeout=60)
        assert cell.text == "500000.0" and "before they served. New engines start" in cell.err, (cell.reply, cell.err)


def test_a_cell_goes_on_when_its_engines_are_killed(fresh):
    fresh.run("rng = np.random.default_rng(5)\nx = rng.random((700, 700)) / 700\ny = x[::2]\nstart = x.copy()\nnp.sync()")
    work = "for turn in range(400):\n    x[:] = x @ start + start\n"
    cell = fresh.send(work)
    time.sleep(1)
    os.kill(engine_pids(fresh)[-1], signal.SIGKILL)
    fresh.finish(cell, timeout=60)
    assert cell.status == "ok" and "SIGKILL" in cell.err and "the arrays are computed again" in cell.err, cell.reply
    right = "import numpy\nn = numpy.array(start)\nwant = n.copy()\nfor turn in range(400):\n    want = want @ n + n\n"
    equal = fresh.run(
        right + "bool(numpy.allclose(x, want, rtol=1e-9)), bool((y == x[::2]).all())", timeout=90
    )  # NumPy's products
    assert equal.text == "(True, True)"


def test_engines_lost_between_two_cells_are_replaced_in_the_next(fresh):
    fresh.run("np.config.log_bytes = 0")
    os.kill(engine_pids(fresh)[-1], signal.SIGKILL)
    wait_until(lambda: fresh.run("np._core.is_connected()").text == "False", 10, "loss noticed")
    again = fresh.run("float(np.ones(100_000).sum())", timeout=30)
    assert again.text == "100000.0", again.reply
    assert "SIGKILL" in again.err and "new engines start" in again.err, again.err
    lost = fresh.run("a + 1")
    assert lost.ename == "EngineLostError" and "SIGKILL" in lost.reply["evalue"], lost.reply
    assert fresh.run("np.sync(); float(np.ones(100_000).sum())").text == "100000.0"
    # What is gone is not listed as if it were there.
    whos, memory = fresh.run("%whos").out, fresh.run("print(repr(get_ipython().run_line_magic('engines', 'memory')))").out
    assert re.search(r"^a .*lost", whos, re.M), whos
    assert re.search(r"^a .*lost", memory, re.M), memory


def test_failed_cells_do_not_fill_the_memory(own_home):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_HEAP": "15M"}) as notebook:
        notebook.run(
            "import gamelan as np\nv = np.ones(363_000)\ndef f(v):\n    v = v + 1\n    np.sync()\n    raise ValueError",
            timeout=60,
        )
        assert [notebook.run("f(v)").ename for _ in range(13)] == ["ValueError"] * 13
        assert notebook.run("float((v + 1).sum())").text == "726000.0"


def test_the_arrays_of_another_notebook_are_listed_and_go_with_it(shared):
    connection = shared.run("from gamelan import _session; str(_session.engines().connection_file)").text.strip("'")
    with Notebook(env={**ENVIRONMENT, "GAMELAN_CONNECT": connection, "JPY_SESSION_NAME": "/tmp/tides.ipynb"}) as other:
        assert other.run(SETUP + "\nnp.publish('tides', a)", timeout=60).reply["status"] == "ok"
        told = shared.run("%engines arrays").text
        assert f"notebook tides.ipynb, process {other.pid} on" in told and "published as 'tides'" in told, told
        assert re.search(r"^a +500000 +float64 .*In \[\d+\], line 2", told, re.MULTILINE), told
        assert shared.run("float((np.attach('tides') + 1).sum())").text == "1000000.0"
    left = shared.run("%engines arrays").text
    assert "tides.ipynb" not in left.splitlines()[1] and "published as 'tides'" in left, left
    shared.run("np.unpublish('tides')")
    assert "tides" not in shared.run("%engines arrays").text
