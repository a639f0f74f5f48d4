# SPDX-License-Identifier: BSD-3-Clause
"""Engines that do not answer: a test fails after its time, and the run ends when its clean-up hangs as well.

Without the second step a run whose engines hang would wait for them until the tier's time is over, and would not say where.
"""

import faulthandler
import os
import shutil
import signal
import subprocess
import time

import pytest

TEST_LIMIT_S = 120
CLEAN_UP_LIMIT_S = 60
EXIT_CODE = 3
ANSWER_S = 0.5

_out = None


def keep_standard_error():
    """To be called before a test runs: pytest puts a file in its place meanwhile."""
    global _out
    _out = os.fdopen(os.dup(2), "w")


class Watch:
    """Of the set-up, the call and the clean-up of one test. `engines()` has `pids()`, `log` and `stop()`, or is something else
    where there are none."""

    def __init__(self, item, engines, limit_s=TEST_LIMIT_S, clean_up_limit_s=CLEAN_UP_LIMIT_S):
        self._item, self._engines, self._limits, self._alarms = item, engines, (limit_s, clean_up_limit_s), 0

    def __enter__(self):
        self._before = signal.signal(signal.SIGALRM, self._late)
        signal.setitimer(signal.ITIMER_REAL, *self._limits)
        return self

    def __exit__(self, *error):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _late(self, signum, frame):
        self._alarms += 1
        if self._alarms == 1:
            raise TimeoutError(f"a test took longer than {self._limits[0]} s")
        name = self._item.nodeid
        if self._alarms > 2:  # somebody has caught what the second alarm has raised
            print(f"{name} cannot be ended", file=_out, flush=True)
            os._exit(EXIT_CODE)
        self._item.session.shouldstop = f"{name} hangs"
        try:
            tell(name, self._engines())
        finally:
            pytest.exit(f"{name} went on for {self._limits[1]} s after its time was over", EXIT_CODE)


def tell(name, engines):
    """Say on standard error where this process and the engines are, and end the engines, so that no clean-up waits for them."""
    print(f"\n{name} hangs. This process:", file=_out, flush=True)
    faulthandler.dump_traceback(_out)
    if not hasattr(engines, "pids"):
        return
    try:
        for pid in engines.pids():
            print(f"engine {pid}:\n{_stacks(pid)}", file=_out, flush=True)
        print(f"the engines' log:\n{engines.log.read_text(errors='replace')[-20000:]}", file=_out, flush=True)
    finally:
        engines.stop()


def _stacks(pid):
    """All threads by a debugger; without one, the engine's own words about its main thread are in its log afterwards."""
    debugger = shutil.which("gdb")
    if not debugger:
        os.kill(pid, signal.SIGUSR2)
        time.sleep(ANSWER_S)
        return "no gdb here: where its main thread is stands in the log below"
    command = [debugger, "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 24"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
    except subprocess.TimeoutExpired:
        return "the debugger did not answer"
