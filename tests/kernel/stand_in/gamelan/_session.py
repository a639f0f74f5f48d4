# SPDX-License-Identifier: BSD-3-Clause
# Records work (seconds to spend, or an error to raise), done at the next flush as gamelan._session would.
import sys
import time

recorded = []
flushes = stops = 0
_progress = None


class EngineError(RuntimeError):
    pass


def record(seconds=0.0, error=None):
    frame = sys._getframe(1)
    recorded.append((seconds, error, frame.f_code.co_filename, frame.f_lineno))


def flush_cell():
    global flushes
    flushes += 1
    work = list(recorded)
    recorded.clear()
    for seconds, error, file, line in work:
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            time.sleep(0.02)
            if _progress is not None:
                _progress(int(50 * (time.monotonic() - start)), int(50 * seconds), "sum of squares")
        if error is not None:
            failure = EngineError(error)
            failure.file, failure.line = file, line
            raise failure


def end_interrupted():
    global stops
    stops += 1
    recorded.clear()


def on_progress(callback):
    global _progress
    _progress = callback
