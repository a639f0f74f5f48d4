# SPDX-License-Identifier: BSD-3-Clause
# /dev/shm fills up while engines run whose arrays lie there: the command that needs new pages is blamed, the ones before it are
# done.
import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import os
import gamelan as np
from gamelan import _session, launch
_session.use(launch.start(n=2, heap="48M"))
a = np.ones(100_000)
np.sync()
free = os.statvfs("/dev/shm")
with open("/dev/shm/filler", "wb") as filler:
    filler.write(bytes(free.f_bavail * free.f_frsize - (6 << 20)))
a += 1
b = np.ones(4_000_000)
c = a + 1
try:
    np.sync()
except MemoryError as error:
    print(error.line, "is full" in str(error))
print(float(a[0]))
for lost in "bc":
    try:
        print(float(globals()[lost][0]))
    except MemoryError as error:
        print(error.line)
os.unlink("/dev/shm/filler")
print(float(np.ones(4_000_000).sum()))
"""


def test_the_command_at_fault_is_blamed_and_memory_that_comes_back_is_used():
    mount = "mount -t tmpfs -o size=128m tmpfs /dev/shm"
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode != 0
    ):
        pytest.skip("cannot mount a small /dev/shm of one's own here")
    line = PROGRAM[: PROGRAM.index("b = np.ones")].count("\n") + 1
    done = subprocess.run(["unshare", "-m", "sh", "-c", mount + ' && exec "$0" "$@"', sys.executable, "-c", PROGRAM],
                          capture_output=True, text=True, timeout=60, check=False,
                          env=os.environ | {"GAMELAN_HUGE_PAGES": "off"})  # fmt: skip
    assert done.stdout.split("\n")[:-1] == [f"{line} True", "2.0", str(line), str(line), "4000000.0"], done.stderr
