# SPDX-License-Identifier: BSD-3-Clause
"""After a product of small matrices, threads of NumPy's BLAS leave their cores to the engines."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, time

def ticks():
    taken = 0
    for task in os.listdir("/proc/self/task"):
        fields = open(f"/proc/self/task/{task}/stat").read().rsplit(")", 1)[1].split()
        taken += int(fields[11]) + int(fields[12])
    return taken

left, right = numpy.ones((700, 700)), numpy.ones((700, 700))
assert (left @ right == 700).all()
before = ticks()
time.sleep(0.5)
print(ticks() - before)
"""
EARLY, LATE = "import gamelan, numpy", "import numpy, gamelan"
WITH_A_THREAD = "import threading; threading.Thread(target=threading.Event().wait, args=(2,)).start()\n"


def spun_s(imports, **settings):
    """How long the process computed after its last product."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "OMP_"))}
    done = subprocess.run(
        [sys.executable, "-c", imports + PROGRAM], env={**environment, **settings}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module", autouse=True)
def threads_of_openblas():
    """A setting of the user's counts, and shows that there are such threads here."""
    if spun_s(LATE, OPENBLAS_THREAD_TIMEOUT="28") < 0.06:
        pytest.skip("NumPy's BLAS has no threads that look for work")


@pytest.mark.parametrize("imports", [EARLY, LATE, WITH_A_THREAD + EARLY])
def test_they_sleep_soon(imports):
    assert spun_s(imports) <= 0.03


def test_a_library_that_may_be_in_a_call_is_left_alone():
    assert any(spun_s(WITH_A_THREAD + LATE) > 0.03 for _ in range(3))  # on a busy machine it gets less time to spin
