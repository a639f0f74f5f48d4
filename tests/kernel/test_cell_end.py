# SPDX-License-Identifier: BSD-3-Clause
# The end of a cell: what was recorded happens, errors are errors of the cell and show the line that recorded them,
# and a cell whose engines are long busy shows a bar. With a stand-in for gamelan, so that engines fail on command.
import pathlib
import re
import time

import pytest

from notebook import Notebook

STAND_IN = pathlib.Path(__file__).parent / "stand_in"


@pytest.fixture(scope="module")
def shared(own_home):
    with Notebook() as notebook:
        notebook.run(f"import sys; sys.path.insert(0, {str(STAND_IN)!r})")
        yield notebook


def plain(traceback):
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(traceback))


def flushes(notebook):
    return int(notebook.run("print(sys.modules['gamelan._session'].flushes)").out)


def test_bar_in_the_very_cell_that_imports_gamelan(own_home):
    with Notebook() as notebook:
        notebook.run(f"import sys; sys.path.insert(0, {str(STAND_IN)!r})")
        assert notebook.run("import gamelan\ngamelan.record(1.6)").of_type("update_display_data")


def test_each_cell_is_flushed_once(shared):
    shared.run("import gamelan")
    before = flushes(shared)
    shared.run("gamelan.record(); gamelan.record()\n1")
    shared.run("1 / 0")
    shared.run("%%time\npass")
    assert flushes(shared) >= before + 4
    assert shared.run("gamelan._session.recorded").text == "[]"


def test_recorded_work_is_done_before_the_reply(shared):
    start = time.monotonic()
    shared.run("import gamelan; gamelan.record(0.5)")
    assert time.monotonic() - start > 0.5


def test_error_of_the_flush_is_the_cells_and_shows_its_line(shared):
    cell = shared.run("import gamelan\nx = 1\ngamelan.record(error='[add] no memory')\ny = 2")
    assert (cell.status, cell.ename, cell.reply["evalue"]) == ("error", "EngineError", "[add] no memory")
    (error,) = cell.of_type("error")
    text = plain(error["traceback"])
    assert re.search(r"-+> 3 gamelan\.record\(error='\[add\] no memory'\)", text), text
    assert "flush_cell" not in text and "gamelan_kernel" not in text
    assert plain(cell.reply["traceback"]) == text
    assert shared.run("y").text == "2"


def test_line_inside_a_function_of_an_earlier_cell(shared):
    shared.run("import gamelan\ndef work():\n    a = 1\n    gamelan.record(error='deep')\n    return a")
    text = plain(shared.run("work()").of_type("error")[0]["traceback"])
    assert re.search(r"-+> 4 +gamelan\.record\(error='deep'\)", text), text


def test_error_of_the_cell_comes_first_and_both_are_shown(shared):
    cell = shared.run("import gamelan\ngamelan.record(error='of the engines')\n1 / 0")
    assert [e["ename"] for e in cell.of_type("error")] == ["ZeroDivisionError", "EngineError"]
    assert cell.ename == "ZeroDivisionError"


def test_failed_flush_aborts_the_queue(shared):
    first = shared.send("import gamelan; gamelan.record(0.3, error='x')")
    second = shared.send("print('no')")
    shared.finish(first)
    assert shared.finish(second).reply["status"] == "aborted"


def test_interrupt_of_the_flush(shared):
    cell = shared.send("import gamelan\nprint('ready', flush=True)\ngamelan.record(60)")
    shared.until(cell, lambda c: "ready" in c.out)
    time.sleep(0.2)
    shared.manager.interrupt_kernel()
    start = time.monotonic()
    assert shared.finish(cell).ename == "KeyboardInterrupt"
    assert time.monotonic() - start < 1
    assert shared.run("1").text == "1"


def test_interrupted_cell_ends_at_once_and_says_so(shared):
    cell = shared.send("import gamelan, time\ngamelan.record(60)\nprint('ready', flush=True)\ntime.sleep(60)")
    shared.until(cell, lambda c: "ready" in c.out)
    start = time.monotonic()
    shared.manager.interrupt_kernel()
    assert shared.finish(cell).ename == "KeyboardInterrupt"
    assert time.monotonic() - start < 1
    assert shared.run("gamelan._session.stops").text == "1"
    assert time.monotonic() - start < 2


def test_bar_appears_moves_and_is_gone(shared):
    cell = shared.run("import gamelan\ngamelan.record(2.5)")
    (first,) = cell.of_type("display_data")
    updates = cell.of_type("update_display_data")
    bars = [c["data"]["text/plain"] for c in [first, *updates[:-1]]]
    assert all(c["transient"] == first["transient"] for c in updates)
    assert "sum of squares" in bars[0] and "<progress" in first["data"]["text/html"]
    assert [b.count("#") for b in bars] == sorted(b.count("#") for b in bars) and bars[0] != bars[-1]
    assert 3 <= len(bars) <= 16, "ten updates per second at most"
    assert updates[-1]["data"] == {"text/plain": "", "text/html": ""}
    seen = [m["seen"] for m in cell.messages if m["msg_type"] == "display_data"][0]
    assert seen - cell.messages[0]["seen"] > 0.9


def test_no_bar_for_a_short_cell(shared):
    assert shared.run("import gamelan; gamelan.record(0.8)").shown == []


def test_bar_of_an_interrupted_cell_is_gone(shared):
    cell = shared.send("import gamelan\ngamelan.record(60)")
    shared.until(cell, lambda c: c.of_type("display_data"))
    shared.manager.interrupt_kernel()
    shared.finish(cell)
    assert cell.of_type("update_display_data")[-1]["data"]["text/html"] == ""
    assert cell.ename == "KeyboardInterrupt"


@pytest.mark.parametrize("code", ["%%time\ngamelan.record(0.5)", "%time gamelan.record(0.5)"])
def test_time_includes_the_engines(shared, code):
    shared.run("import gamelan")
    cell = shared.run(code)
    wall = re.search(r"Wall time: ([\d.]+) ms", cell.out)
    assert wall and 490 < float(wall[1]) < 900, cell.out


def test_timeit_includes_the_engines(shared):
    shared.run("import gamelan")
    cell = shared.run("%timeit -n 2 -r 1 gamelan.record(0.2)")
    assert re.search(r"20\d(\.\d+)? ms|21\d ms", cell.out), cell.out


def test_error_inside_time(shared):
    shared.run("import gamelan")
    cell = shared.run("%%time\ngamelan.record(error='timed')")
    assert cell.ename == "EngineError"


def test_engines_magic_loads_on_first_use(own_home):
    with Notebook() as notebook:
        notebook.run(f"import sys; sys.path.insert(0, {str(STAND_IN)!r})")
        assert notebook.run("'gamelan' in sys.modules").text == "False"
        assert notebook.run("%engines status").out == "engines: status\n"
        assert notebook.run("%engines stop").out == "engines: stop\n"
