# SPDX-License-Identifier: BSD-3-Clause
"""Freed memory of small arrays stays with the process, unless the environment says how memory is allocated."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource, numpy, gamelan
gamelan.config.distribute_from = 10**9
x = gamelan.ones(100_000)
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        [x + number for number in range(10)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""


@pytest.mark.parametrize(
    "said, stays", [({}, True), ({"MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": "100000"}, False)]
)
def test_an_array_that_dies_leaves_its_memory_to_the_next(said, stays):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC", "GLIBC", "LD_PRELOAD"))}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment | said, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    pages = 100 * 10 * 800_000 // os.sysconf("SC_PAGE_SIZE")
    assert (int(done.stdout) < pages / 10) == stays
