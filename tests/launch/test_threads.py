# SPDX-License-Identifier: BSD-3-Clause
# Threads that need engines at the same moment.
import subprocess
import sys

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
