# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the system that fail while sessions and checkpoints are written and read, and sessions that are torn: some of them;
files.py does all by hand."""

import subprocess
import sys

import pytest

from files import HERE

# Between two calls or bytes that are tried.
STEPS = {"save": 1, "load": 1, "checkpoint": 5, "torn": 61}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("kind", STEPS)
def test_the_old_state_or_the_new_one_is_there(kind, capsys):
    program = [sys.executable, HERE / "files.py", "--kinds", kind, "--step", str(STEPS[kind])]
    done = subprocess.run(program, capture_output=True, text=True, timeout=380)
    with capsys.disabled():
        print(f"\n{done.stdout}", end="")
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert " saved" in done.stdout or " loaded" in done.stdout
