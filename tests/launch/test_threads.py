# SPDX-License-Identifier: BSD-3-Clause
# Threads that need engines at the same moment.
import subprocess
import sys

import pytest

PROGRAM = """
import threading
import gamelan as np
from gamelan import _session, launch
started, really_start = [], launch.start
def start(*arguments, **keywords):
    started.append(1)
    return really_start(*arguments, **keywords)
launch.start = start
values = []
def work(number):
    values.append(float(np.full(100_000, number).sum()))
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(values), len(started))
"""


def test_they_get_the_same_engines():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "[0.0, 100000.0, 200000.0, 300000.0] 1", done.stderr


DAEMONS = """
import sys, threading, time
import gamelan as np
a = np.ones((700, 700))
begun = threading.Barrier(4)
def work(number):
    begun.wait()
    while True:
        if number == 0: float((a * 2).sum())
        elif number == 1: (a + 1)[3, 4].item()
        else: a @ a; np.sync()
for number in range(3):
    threading.Thread(target=work, args=(number,), daemon=True).start()
np.sync()
begun.wait()
time.sleep(float(sys.argv[1]))
"""


SMALL = """
import threading, time
import gamelan as np
def work():
    u = np.ones((300, 300))
    while True: STATEMENT
threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.parametrize("statement", ["u = u * .5 + 1", "np.sin(u).sum()", "u @ u"])
def test_a_thread_that_computes_small_arrays_while_python_ends(statement):
    """NumPy computes them, beneath functions of ours: Python ends the thread there."""
    program = SMALL.replace("STATEMENT", statement)
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("seconds", [0.05, 0.2, 0.4, 0.6])
def test_threads_that_compute_while_python_ends(runtime, seconds):
    """Daemon threads are left where they are: no engines start for them, and the process ends as it would without."""
    done = subprocess.run([sys.executable, "-c", DAEMONS, str(seconds)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LATE_AND_DAEMON = """
import atexit, logging, threading, time
import gamelan as np
logging.basicConfig()
def late():
    print(float((a + 1).sum()))
atexit.register(late)
a = np.ones(300_000)
np.sync()
def work():
    while True:
        logging.info("%s", float((a * 2).sum()))
        time.sleep(0.01)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""


def test_a_function_that_is_called_at_exit_beside_daemon_threads(runtime):
    """They keep nothing that it waits for."""
    done = subprocess.run([sys.executable, "-c", LATE_AND_DAEMON], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "600000.0\n"), done.stderr


LATE = """
import atexit
def late():
    try:
        print(float((a + 1).sum()))
    except Exception as error:
        print(type(error).__name__, error)
FIRST
import gamelan as np
THEN
a = np.ones(300_000)
np.sync()
"""


def test_a_function_that_is_called_at_exit(runtime):
    """It was registered before engines were in use, so they are stopped before it: others compute the array again, and end."""
    program = LATE.replace("FIRST", "").replace("THEN", "atexit.register(late)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "600000.0\n"), done.stderr


def test_a_function_that_is_called_behind_the_package_s_end(runtime):
    program = LATE.replace("FIRST", "atexit.register(late)").replace("THEN", "")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.startswith("EngineLostError") and "Traceback" not in done.stderr, done.stderr
