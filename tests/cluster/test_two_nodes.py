# SPDX-License-Identifier: BSD-3-Clause
"""What a notebook with engines on two nodes may expect while nothing is broken: interrupts, counters, and sleep."""

import os
import time

import pytest
from two_nodes import engines_on, orchestra


@pytest.mark.parametrize("wait_s", [0.0, 0.3, 0.7, 1.1])
def test_an_interrupted_cell_leaves_arrays_as_some_step_left_them(cluster, wait_s):
    with orchestra(cluster) as o:
        for _ in range(3):
            cell = o.start_computing()
            time.sleep(wait_s)
            begin = time.monotonic()
            o.notebook.manager.interrupt_kernel()
            o.notebook.finish(cell, timeout=10)
            assert cell.ename == "KeyboardInterrupt" and time.monotonic() - begin < 1
            # A turn that was cut in two: the numbers are those before it, after it, or of its first half.
            kept = o.run(
                "found = numpy.asarray(a)\nfound.shape == (size,) and "
                "any(numpy.array_equal(found, numpy.roll(numpy.arange(float(size)), shift * n)) "
                "for n in range(max(0, turns - 30), turns + 2))"
            )
            assert kept.text == "True", (kept.text, kept.of_type("error"))
            assert o.run("a = np.arange(float(size)); turns = 0\nturn()\nis_right()").text == "True"


def test_an_interrupted_long_batch_stops_on_all_nodes(cluster):
    """Nothing is read in this cell: the engines are far behind the loop when it is interrupted."""
    with orchestra(cluster) as o:
        cell = o.notebook.send("print('ready', flush=True)\nfor _ in range(100_000): turn()\nnp.sync()")
        o.notebook.until(cell, lambda c: "ready" in c.out)
        time.sleep(1.5)
        begin = time.monotonic()
        o.notebook.manager.interrupt_kernel()
        o.notebook.finish(cell, timeout=10)
        taken = time.monotonic() - begin
        print(f"interrupted after {taken:.2f} s")
        assert cell.ename == "KeyboardInterrupt" and taken < 2.5  # a second, and what cores that others use add
        assert o.run("a = np.arange(float(size)); turns = 0\nturn()\nis_right()").text == "True"


def test_counters_of_both_nodes_come_while_computing_and_while_idle(cluster):
    with orchestra(cluster) as o:
        idle = o.run("found = np.stats(); (found['ranks'], len(str(found)) > 100)")
        assert idle.text == "(4, True)", idle.of_type("error")
        cell = o.notebook.send(
            "import threading\nseen, stop = [], threading.Event()\n"
            "def look():\n    while not stop.wait(0.1): seen.append(_session.status())\n"
            "from gamelan import _session\n"
            "watcher = threading.Thread(target=look); watcher.start()\n"
            "end = time.monotonic() + 3\n"
            "while time.monotonic() < end: turn()\n"
            "np.sync(); stop.set(); watcher.join()\n"
            "len(seen) >= 3, {each['ranks'] for each in seen}, is_right()"
        )
        o.notebook.finish(cell, timeout=30)
        assert cell.text == "(True, {4}, True)", (cell.text, cell.of_type("error"))


def cpu_seconds(cluster):
    """{(node, rank): seconds of processor time}"""
    used = {}
    for node in cluster.nodes:
        for rank, pid in engines_on(cluster, node).items():
            words = cluster.run(node, ["cat", f"/proc/{pid}/stat"], check=True).stdout.rpartition(")")[2].split()
            used[node, rank] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return used


def test_idle_engines_on_two_nodes_sleep(cluster):
    with orchestra(cluster) as o:
        o.notebook.finish(o.start_computing(seconds=1))
        time.sleep(2)
        before, seconds = cpu_seconds(cluster), 6
        time.sleep(seconds)
        after = cpu_seconds(cluster)
        assert len(after) == 4
        shares = {each: (after[each] - before[each]) / seconds for each in after}
        print(shares)
        assert max(shares.values()) < 0.02, shares


def test_ranks_that_wait_for_their_client_between_batches_do_not_keep_it_waiting(cluster):
    """After a pause as after none: the first batch of a sleeping orchestra takes no second."""
    with orchestra(cluster) as o:
        o.run("turn()\nfloat(a[0])")
        time.sleep(3)
        assert float(o.run("begin = time.monotonic(); turn(); float(a[0]); time.monotonic() - begin").text) < 0.5
