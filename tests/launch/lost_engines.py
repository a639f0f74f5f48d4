# SPDX-License-Identifier: BSD-3-Clause
"""Programs that lose their engines."""

import os
import subprocess
import sys

from launch_fixtures import BUILD

PROGRAM = """
import os, signal, sys, threading, time
import numpy
import gamelan as np
from gamelan import _core, _session

def kill(rank=1):
    os.kill(_session.engines().status()["processes"][rank]["pid"], signal.SIGKILL)

def lose():
    "As if the engines had been killed, without the wait."
    _core.part("the test took the engines away")
    _core.end_part()

def error_of(action):
    try:
        return action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""

# For programs that make checkpoints in a folder.
CHECKPOINTS = """
from gamelan import _protection
def store():
    "A checkpoint that is due, as the end of a batch makes it."
    _core.ask_for_checkpoint(True)
    np.sync()
def folders():
    return sorted(path for path in __import__("pathlib").Path(np.config.protect).glob("*/*"))
"""


def run(program, ranks=2, **variables):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "GAMELAN_ENGINES": str(ranks), **variables},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
