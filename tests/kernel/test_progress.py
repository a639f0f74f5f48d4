# SPDX-License-Identifier: BSD-3-Clause
# What the bar under a long cell says, with real engines: operations done of those recorded, the line that computes, the
# turns of a loop. It never goes back and is never full.
import re
import sys

import pytest

from notebook import BUILD, Notebook
from test_with_engines import ENVIRONMENT

sys.path.append(str(BUILD / "python"))

from gamelan_kernel import progress  # noqa: E402

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def shared(own_home):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_IDLE_TIMEOUT": "60"}) as notebook:
        cell = notebook.run("import gamelan as np\na = np.ones(2_000_000)\nm = np.ones((1500, 1500))\nfloat(a.sum())", timeout=60)
        assert cell.text == "2000000.0", (cell.reply, cell.err)
        yield notebook


class Shown:
    """A shell that keeps what it would show, and when."""

    def __init__(self, clock):
        self.clock, self.display_pub, self.times = clock, self, []

    def publish(self, data, transient, update):
        self.times.append(self.clock.now)


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


def test_the_bar_comes_after_a_second_and_changes_three_times_a_second(monkeypatch):
    """Reports come as often as there are waits; a front end draws each change, and a saved notebook may keep it."""
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    shown, bar = Shown(clock), progress.Progress()
    bar.begin(shown)
    bar.all_recorded()
    while clock.now < 111.0:
        bar.report(3, 10)
        clock.now += 0.01
    bar.end()
    assert 101.0 <= shown.times[0] < 101.1 and 25 <= len(shown.times) <= 32, shown.times


def bars(notebook, code):
    """The texts and pages of the bar of a cell, the last (empty) one left out."""
    cell = notebook.run(code, timeout=120)
    assert cell.status == "ok", cell.reply
    shown = [c["data"] for c in cell.of_type("display_data", "update_display_data")]
    assert len(shown) > 3 and shown[-1] == {"text/plain": "", "text/html": ""}, shown
    return [each["text/plain"] for each in shown[:-1]], [each["text/html"] for each in shown[:-1]]


def times_for(notebook, seconds, statement):
    """How often the statement runs in so many seconds on this machine, today: the bar says nothing of what is quickly over."""
    run = f"import time\nbegin = time.monotonic()\nb = a\nfor i in range(20): {statement}\nnp.sync(); print(time.monotonic() - begin)"
    notebook.run(run, timeout=60)
    return int(20 * seconds / float(notebook.run(run, timeout=60).out)) + 1


def numbers(texts, pattern):
    return [tuple(map(int, found.groups())) for found in (re.search(pattern, text) for text in texts) if found]


def test_a_loop_tells_its_turns_and_is_never_full(shared):
    count = times_for(shared, 7, "b = np.sin(b) * 1.1")
    texts, pages = bars(shared, f"b = a\nfor i in range({count}):\n    b = np.sin(b) * 1.1")
    turns = numbers(texts, r"turn (\d+) of (\d+)")
    assert turns == sorted(turns) and {total for _, total in turns} == {count} and len(set(turns)) > 3, texts
    done = numbers(texts, r"(\d+) of (\d+) operations done")
    assert len(done) == len(texts) and done == sorted(done) and all(a < b for a, b in done), texts
    assert all(total <= 2 * count for _, total in done) and done[-1][0] > count
    filled = [text.count("#") for text in texts]
    assert filled == sorted(filled) and filled[-1] < 30, texts
    share = [float(value) for value in re.findall(r'value="([\d.]+)"', "".join(pages))]
    assert share == sorted(share) and share[-1] < 1
    assert any(re.search(r"In \[\d+\], line 3", text) for text in texts), texts
    assert any("left" in text for text in texts), texts


def test_what_is_recorded_ahead_is_not_done(shared):
    """Products are recorded in microseconds each; the bar counts those that are computed."""
    count = times_for(shared, 4, "c = m @ m")
    texts, _ = bars(shared, f"for i in range({count}): c = m @ m")
    assert numbers(texts, rf"turn (\d+) of {count}"), texts
    done = numbers(texts, r"(\d+) of (\d+) operations done")
    assert done and done == sorted(done) and all(computed < recorded for computed, recorded in done), texts
    both = numbers(texts, r"turn (\d+) of \d+ · (\d+) of \d+ operations")
    assert both and all(turn <= computed + 1 for turn, computed in both), texts


def test_one_long_batch_is_not_full(shared):
    """One operation that takes seconds is none done, until it is."""
    size = 5_000_000 * min(times_for(shared, 4, "s = np.sort(np.random.rand(5_000_000)); np.sync()"), 12)
    texts, pages = bars(shared, f"r = np.random.rand({size})\ns = np.sort(r)\nt = np.sort(1 - r)\nu = np.sort(2 - r)\n")
    done = numbers(texts, r"(\d+) of (\d+) operations done")
    assert done[0][0] < done[0][1] and all(a < b for a, b in done) and done == sorted(done), texts
    assert all(text.count("#") < 30 for text in texts)
    assert any(re.search(r"In \[\d+\], line [1234]", text) for text in texts), texts
    assert "so far" not in texts[-1]


def test_a_loop_that_other_loops_follow_fills_no_bar(shared):
    texts, _ = bars(shared, "for i in range(4):\n    for j in range(9): float((m @ m)[0, 0])\nfor k in range(2): d = m + 1")
    first = [text for text in texts if "of 4" in text]
    assert first and not any("#" in text for text in first), texts


def test_the_bar_of_an_interrupted_cell_is_gone(shared):
    cell = shared.send("for i in range(10_000): c = m @ m")
    shared.until(cell, lambda c: c.of_type("display_data"), timeout=20)
    shared.control("interrupt_request")
    shared.finish(cell)
    assert cell.of_type("update_display_data")[-1]["data"]["text/html"] == ""
