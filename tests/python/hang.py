# SPDX-License-Identifier: BSD-3-Clause
"""Engines that do not answer: a test fails after its time, and the run ends when its clean-up hangs as well.

Without the second step a run whose engines hang would wait for them until the tier's time is over, and would not say where.
"""

import faulthandler
import os
import shutil
import signal
import subprocess

import pytest

TEST_LIMIT_S = 120
CLEAN_UP_LIMIT_S = 60
EXIT_CODE = 3

_out = None


def keep_standard_error():
    """To be called before a test runs: pytest puts a file in its place meanwhile."""
    global _out
    _out = os.fdopen(os.dup(2), "w")


class Watch:
    """Of one test. `engines` has `pids()`, `log` and `stop()`; None where there are none."""

    def __init__(self, name, engines):
        self._name, self._engines, self._is_late = name, engines, False

    def __enter__(self):
        self._before = signal.signal(signal.SIGALRM, self._late)
        signal.setitimer(signal.ITIMER_REAL, TEST_LIMIT_S, CLEAN_UP_LIMIT_S)
        return self

    def __exit__(self, *error):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _late(self, signum, frame):
        if not self._is_late:
            self._is_late = True
            raise TimeoutError(f"a test took longer than {TEST_LIMIT_S} s")
        tell(self._name, self._engines)
        pytest.exit(f"the clean-up of {self._name} took longer than {CLEAN_UP_LIMIT_S} s", EXIT_CODE)


def tell(name, engines):
    """Say on standard error where this process and the engines are, and end the engines, so that no clean-up waits for them."""
    print(f"\n{name} hangs. This process:", file=_out, flush=True)
    faulthandler.dump_traceback(_out)
    if not hasattr(engines, "pids"):
        return
    if debugger := shutil.which("gdb"):
        for pid in engines.pids():
            command = [debugger, "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 24"]
            try:
                told = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
            except subprocess.TimeoutExpired:
                told = "the debugger did not answer"
            print(f"engine {pid}:\n{told}", file=_out, flush=True)
    print(f"the engines' log:\n{engines.log.read_text(errors='replace')[-4000:]}", file=_out, flush=True)
    engines.stop()
