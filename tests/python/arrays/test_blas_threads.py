# SPDX-License-Identifier: BSD-3-Clause
"""After a product of small matrices, threads of NumPy's BLAS leave their cores to the engines; a quick product has one thread."""

import os
import subprocess
import sys

import pytest

TICKS = """
import os, time

def ticks(*but):
    taken = 0
    for task in os.listdir("/proc/self/task"):
        fields = open(f"/proc/self/task/{task}/stat").read().rsplit(")", 1)[1].split()
        taken += (int(fields[11]) + int(fields[12])) * (int(task) not in but)
    return taken
"""
PROGRAM = """
left, right = numpy.ones((700, 700)), numpy.ones((700, 700))
assert (left @ right == 700).all()
before = ticks()
time.sleep(0.5)
print(ticks() - before)
"""
QUICK = """
def of_others(product):
    before, end = ticks(os.getpid()), time.perf_counter() + 0.4
    while time.perf_counter() < end:
        product()
    return ticks(os.getpid()) - before

shape = (100, 100)
theirs, ours = (numpy.ones(shape), numpy.ones(100)), (gamelan.ones(shape), gamelan.ones(100))
quick = [of_others(lambda: ours[0] @ ours[1]), of_others(lambda: gamelan.dot(*ours))]
try:
    ours[0] @ gamelan.ones(99)
except ValueError:
    quick.append(0)
time.sleep(0.2)
print(sum(quick) if len(quick) == 3 else 1000, of_others(lambda: theirs[0] @ theirs[1]))
"""
EARLY, LATE = "import gamelan, numpy", "import numpy, gamelan"
WITH_A_THREAD = "import threading; threading.Thread(target=threading.Event().wait, args=(2,)).start()\n"


def told(program, **settings):
    """Seconds that a program printed as ticks of the clock."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "OMP_"))}
    done = subprocess.run(
        [sys.executable, "-c", program], env={**environment, **settings}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return [int(each) / os.sysconf("SC_CLK_TCK") for each in done.stdout.split()]


def spun_s(imports, **settings):
    """How long the process computed after its last product."""
    return told(imports + TICKS + PROGRAM, **settings)[0]


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


def test_a_quick_product_has_one_thread_and_numpys_own_has_all():
    ours, theirs = told(EARLY + TICKS + QUICK)
    assert ours <= 0.03
    assert theirs > 0.1
