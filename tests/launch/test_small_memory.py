# SPDX-License-Identifier: BSD-3-Clause
"""A /dev/shm of 64 MB, as every container has unless it is told otherwise: said when engines start, and by the doctor."""

import os
import shutil
import subprocess
import sys

import pytest
from launch_fixtures import COMMAND

MOUNT = "mount -t tmpfs -o size=64m tmpfs /dev/shm"
SENTENCE = (
    "/dev/shm has only 64 MiB, and all arrays live there: start the container with more (docker or podman run --shm-size=4g)"
)


@pytest.fixture
def in_a_container(runtime):
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "sh", "-c", MOUNT], capture_output=True).returncode:
        pytest.skip("cannot mount a small /dev/shm of one's own here")

    def run(*words):
        return subprocess.run(["unshare", "-m", "sh", "-c", MOUNT + ' && exec "$0" "$@"', *words], timeout=90,
                              capture_output=True, text=True, check=False, env={**os.environ, "GAMELAN_ENGINES": "2"})  # fmt: skip

    return run


def test_it_is_told_in_one_sentence_when_engines_start(in_a_container):
    program = "import gamelan as np; print(float(np.ones(200_000).sum()))"
    done = in_a_container(sys.executable, "-c", program)
    assert done.stdout == "200000.0\n" and done.stderr.count("\n") == 1 and SENTENCE in done.stderr
    assert done.stderr.endswith("size=4g /dev/shm\n"), "the engines do not end because of that"
    started = in_a_container("sh", "-c", f"{COMMAND} engines start -n 2 --session small; {COMMAND} engines stop small")
    assert started.stdout.count(SENTENCE) == 1, started


def test_the_doctor_says_what_mends_it(in_a_container):
    told = in_a_container(str(COMMAND), "doctor").stdout
    assert "[warn] shared memory: /dev/shm has" in told and "--shm-size=4g" in told


def test_one_engine_alone_needs_none(in_a_container):
    done = in_a_container("env", "GAMELAN_ENGINES=1", sys.executable, "-c", "import gamelan as np; print(np.ones(200_000).sum())")
    assert (done.stdout, done.stderr) == ("200000.0\n", "")
