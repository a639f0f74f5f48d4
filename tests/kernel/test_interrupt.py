# SPDX-License-Identifier: BSD-3-Clause
# Interrupts: each kind of waiting and computing ends in KeyboardInterrupt within a second, and nothing else is hurt.
import os
import random
import signal
import time

import pytest

from notebook import Notebook, children_of, wait_until

READY = "print('ready', flush=True)\n"


def interrupt_when_ready(notebook, code, limit=1.5, after=0.1, signal_directly=False):
    cell = notebook.send(code)
    notebook.until(cell, lambda c: "ready" in c.out)
    time.sleep(after)
    start = time.monotonic()
    if signal_directly:
        os.killpg(os.getpgid(notebook.pid), signal.SIGINT)
    else:
        notebook.manager.interrupt_kernel()
    notebook.finish(cell)
    assert time.monotonic() - start < limit
    return cell


CODES = {
    "loop": READY + "while True: pass",
    "sleep": "import time\n" + READY + "time.sleep(60)",
    "event": "import threading\n" + READY + "threading.Event().wait()",
    "lock": "import threading\nl = threading.Lock(); l.acquire()\n" + READY + "l.acquire()",
    "thread join": "import threading, time\nt = threading.Thread(target=time.sleep, args=(5,), daemon=True); t.start()\n"
    + READY
    + "t.join()",
    "asyncio": "import asyncio\n" + READY + "await asyncio.sleep(60)",
    "asyncio.run": "import asyncio\n" + READY + "asyncio.run(asyncio.sleep(60))",
    "numpy": "import numpy as np\na = np.ones(1000)\n" + READY + "while True: a = a * 1.0",
    "subprocess": "import subprocess\n" + READY + "subprocess.run(['sleep', '60'])",
    "prints": READY + "while True: print('x' * 50)",
    "displays": "from IPython.display import display\n" + READY + "while True: display(1)",
    "socket": "import socket\na, b = socket.socketpair()\n" + READY + "a.recv(1)",
    "select": "import select\n" + READY + "select.select([], [], [])",
    "shell": READY + "!sleep 60",
}


@pytest.mark.parametrize("name", CODES)
def test_keyboard_interrupt(shared, name):
    cell = interrupt_when_ready(shared, CODES[name], limit=4 if name == "shell" else 1.5)
    if name != "shell":  # IPython itself swallows it there, in ipykernel too, once the child has died of it
        assert cell.ename == "KeyboardInterrupt"
        assert cell.shown[-1] == "error"
    assert shared.run("6 * 7").text == "42"


def test_wait_of_the_kind_that_core_does(shared):
    # A C wait that releases the GIL, polls every 100 ms and asks PyErr_CheckSignals: as gamelan._core's waits do.
    code = (
        "import ctypes\n"
        "poll = ctypes.CDLL(None).poll\n" + READY + "while True:\n"
        "    poll(None, 0, 100)\n"
        "    ctypes.pythonapi.PyErr_CheckSignals()"
    )
    assert interrupt_when_ready(shared, code).ename == "KeyboardInterrupt"


def test_the_cell_may_handle_it(shared):
    cell = interrupt_when_ready(
        shared, "import time\ntry:\n    " + READY + "    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('handled')"
    )
    assert cell.status == "ok" and cell.out.endswith("handled\n")


def test_children_of_the_cell_get_it_too(shared):
    cell = interrupt_when_ready(shared, "import os\n" + READY + "status = os.system('sleep 60')\nprint(status)")
    assert cell.out.startswith("ready\n2")


def test_idle_interrupts_do_no_harm(shared):
    for _ in range(3):
        assert shared.control("interrupt_request") == {"status": "ok"}
    assert shared.run("import time; time.sleep(0.3); 42").text == "42"


def test_at_random_moments(shared):
    """Also at the edges of a cell: whatever the moment, the cell ends and the next one works."""
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(20):
        cell = shared.send("for i in range(3000): print(i)\nx = [j * j for j in range(20_000)]")
        time.sleep(chance.random() * 0.04)
        shared.control("interrupt_request")
        shared.finish(cell)
        assert cell.reply["status"] in ("ok", "error")
        after = shared.run("6 * 7")
        assert after.text == "42", (after.reply, seed)


def test_queued_cells_are_dropped_after_an_interrupt(shared):
    first = shared.send("import time\n" + READY + "time.sleep(60)")
    second = shared.send("print('must not run')")
    shared.until(first, lambda c: "ready" in c.out)
    shared.manager.interrupt_kernel()
    assert shared.finish(first).ename == "KeyboardInterrupt"
    shared.finish(second)
    assert second.reply["status"] == "aborted" and second.out == ""


def test_signal_mode_while_running_and_idle(fresh):
    """A front end that ignores interrupt_mode, or a user's `kill -INT`."""
    for _ in range(3):
        os.kill(fresh.pid, signal.SIGINT)
        os.killpg(os.getpgid(fresh.pid), signal.SIGINT)
        time.sleep(0.05)
    assert fresh.run("1").text == "1"
    for name in ("loop", "sleep", "asyncio"):
        assert interrupt_when_ready(fresh, CODES[name], signal_directly=True).ename == "KeyboardInterrupt"
    # A thread of the user's may receive the signal in the main thread's stead: it is passed on.
    fresh.run("import threading, time\nfor _ in range(8): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()")
    assert interrupt_when_ready(fresh, CODES["sleep"], signal_directly=True).ename == "KeyboardInterrupt"
    os.killpg(os.getpgid(fresh.pid), signal.SIGINT)
    assert fresh.run("2").text == "2"


def test_parent_that_ignores_sigint(own_home):
    """A server started with `&` ignores SIGINT, and its children inherit that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        notebook = Notebook()
    finally:
        signal.signal(signal.SIGINT, before)
    with notebook:
        assert interrupt_when_ready(notebook, CODES["sleep"]).ename == "KeyboardInterrupt"


def test_children_are_started_with_ordinary_signals(shared):
    cell = shared.run("!grep -E 'Sig(Blk|Ign)' /proc/self/status")
    blocked, ignored = (int(line.split()[1], 16) for line in cell.out.split("\n")[:2])
    assert blocked & (1 << (signal.SIGINT - 1)) == 0 and blocked & (1 << (signal.SIGTERM - 1)) == 0
    assert ignored & (1 << (signal.SIGINT - 1)) == 0


def test_control_channel_answers_while_a_cell_runs(shared):
    cell = shared.send("import re\n" + READY + "re.match('(a+)+$', 'a' * 40 + 'b')")  # C code that holds the GIL
    shared.until(cell, lambda c: "ready" in c.out)
    for _ in range(5):
        start = time.monotonic()
        assert shared.control("kernel_info_request")["implementation"] == "gamelan"
        assert time.monotonic() - start < 0.5
    assert shared.client.hb_channel.is_beating()
    shared.manager.interrupt_kernel()
    assert shared.finish(cell).ename == "KeyboardInterrupt"


def test_no_child_is_left_by_an_interrupted_shell_command(shared):
    interrupt_when_ready(shared, READY + "!sleep 61", limit=4)
    wait_until(lambda: not children_of(shared.pid), 5, "children gone")
