# SPDX-License-Identifier: BSD-3-Clause
"""After a product of small matrices, threads of NumPy's BLAS leave their cores to the engines."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, time
import numpy
import gamelan

def ticks():
    taken = 0
    for task in os.listdir("/proc/self/task"):
        fields = open(f"/proc/self/task/{task}/stat").read().rsplit(")", 1)[1].split()
        taken += int(fields[11]) + int(fields[12])
    return taken

left, right = numpy.ones((700, 700)), numpy.ones((700, 700))
assert (left @ right == 700).all()
assert (gamelan.asarray(left[:100]) @ gamelan.asarray(right[:, :100]) == 700).all()
before = ticks()
time.sleep(0.5)
print(ticks() - before, os.environ.get("OPENBLAS_THREAD_TIMEOUT", "none"))
"""
HUNDREDTHS = 100 / os.sysconf("SC_CLK_TCK")


def spun(settings):
    """How long the process computed, in hundredths of a second, after its last product; and its setting."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "OMP_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**environment, **settings}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    ticks, setting = done.stdout.split()
    return int(ticks) * HUNDREDTHS, setting


def test_they_sleep_soon():
    assert spun({})[0] <= 3, "13 where they look for work for 0.13 s"


@pytest.mark.parametrize("timeout", ["24", "26"])
def test_a_setting_of_the_user_counts(timeout):
    assert spun({"OPENBLAS_THREAD_TIMEOUT": timeout})[1] == timeout
