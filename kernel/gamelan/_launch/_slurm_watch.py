# SPDX-License-Identifier: BSD-3-Clause
"""Watches the Slurm job of one ensemble: has it ended and why, how much time is left, is it time to warn?

Driven by the watching thread of _ensemble.py, a few times a second. Looks at the log, which costs nothing, and asks
Slurm seldom: once a minute, and at once when the log or a lost connection gives reason to.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from . import _ending_slurm, _slurm, _tables
from ._ending import Ending, explain, tail
from ._errors import SlurmError
from ._slurm_request import warning_seconds

_ASK_EVERY_SECONDS = 60.0
_PATIENCE_SECONDS = 8.0  # srun waits for the last rank, slurmctld for the node, before they say how a job ended
_LOG_LINES = 400
_MOST_BYTES = 65536


class JobWatch:
    """One job. `notify` is called once, with what to say, when little of its time is left."""

    def __init__(self, job: str, session: str, log: Path, notify: Callable[[str], None], warning_s: int | None = None):
        self.job = job
        self._own_warning_s = warning_s
        self._session = session
        self._log = log
        self._notify = notify
        self._asks_now = threading.Event()
        self._has_asked = threading.Event()
        self._next_ask = 0.0
        self._ends_at: float | None = None  # monotonic
        self._warn_s = 0
        self._is_warned = False
        self._old_bytes = log.stat().st_size if log.exists() else 0
        self._log_facts: tuple = ()
        self._nodes = self._state = ""
        self.is_over = False

    def ask_now(self) -> None:
        """Have the next look ask Slurm: the connection is lost, or somebody wants to know."""
        self._has_asked.clear()
        self._asks_now.set()

    def has_ended(self, timeout: float) -> bool:
        """Ask Slurm now: is the job over? False also when nobody could tell within `timeout` seconds."""
        self.ask_now()
        self._has_asked.wait(timeout)
        return self.is_over

    def sees_end(self) -> bool:
        """Has the job ended, as far as the log and Slurm tell?"""
        is_asked = self._asks_now.is_set()
        self.is_over = self.is_over or self._looks_over(is_asked)
        if is_asked or self.is_over:
            self._has_asked.set()
        return self.is_over

    def _looks_over(self, is_asked: bool) -> bool:
        if self._log_has_grown() and _ending_slurm.cause(self._new_text()):
            return True
        now = time.monotonic()
        if now < self._next_ask and not self._is_warning_due(now) and not is_asked:
            return False
        self._asks_now.clear()
        self._next_ask = now + _ASK_EVERY_SECONDS
        try:
            job = _slurm.look_up(self.job)
        except SlurmError:
            return False  # slurmctld is away for a while: jobs go on without it
        if job.is_over or job.state == "COMPLETING":
            return True
        self._nodes, self._state = job.nodes, job.state
        self._note_time(job, time.monotonic())
        return False

    def where(self) -> str:
        """What Slurm said last, for a message about engines that do not answer."""
        state = "still runs" if self._state in ("RUNNING", "") else f"is {self._state.lower()}"
        told = f"Slurm job {self.job} {state}" + (f" on {self._nodes}" if self._nodes else "")
        down = _slurm.nodes_down(self._nodes)
        return told + (f", but Slurm does not hear {down}" if down else "")

    def learn_ending(self, is_stopping: Callable[[], bool]) -> Ending:
        """How it ended: what the log says, else the state that Slurm remembers. Waits for either, for a few seconds."""
        deadline, job = time.monotonic() + _PATIENCE_SECONDS, None
        while True:
            found = _ending_slurm.cause(self._new_text())
            ending = explain(self._log, None, self._session)
            if found or ending.rank is not None or is_stopping():
                break
            with contextlib.suppress(SlurmError):
                job = _slurm.find_job(self.job)
                if job.is_over:
                    break
            if time.monotonic() > deadline:
                break
            time.sleep(0.5)
        text = tail(self._log, _LOG_LINES)
        if found or ending.rank is not None or ending.host:
            if f"job {self.job}" not in ending.reason:
                ending.reason += f" (Slurm job {self.job})"
            return ending
        if "leaving" in text and "no client was heard" in text:
            return explain(self._log, 0, self._session)
        if job is not None and job.is_over:
            state = job.state or _slurm.facts_of("job", self.job).get("JobState", "")
            told = _ending_slurm.of_state(state, job.reason, self.job) if state else f"Slurm has forgotten job {self.job}"
            down = _slurm.nodes_down(job.nodes or self._nodes) if state == "NODE_FAIL" else ""
            ending.reason = f"the engines of session {self._session} ended: {told}" + (f": {down} is down" if down else "")
            ending.host = down or None
            ending.is_expected = state == "COMPLETED"
            return ending
        ending.reason = f"the engines of session {self._session} are gone, {self.where()}"
        return ending

    def _new_text(self) -> str:
        """The log since the watch began: what stood there before has not kept the engines from serving."""
        with contextlib.suppress(OSError), open(self._log, "rb") as file:
            file.seek(max(self._old_bytes, self._log.stat().st_size - _MOST_BYTES))
            return file.read(_MOST_BYTES).decode(errors="replace")
        return ""

    def _log_has_grown(self) -> bool:
        try:
            facts = self._log.stat()
        except OSError:
            return False
        seen, self._log_facts = self._log_facts, (facts.st_size, facts.st_mtime_ns)
        return seen != self._log_facts

    def _note_time(self, job: _slurm.Job, now: float) -> None:
        if job.seconds_left is None:
            self._ends_at = None
            return
        self._warn_s = self._own_warning_s or warning_seconds(job.limit_s or job.seconds_left)
        self._ends_at = now + job.seconds_left
        self._is_warned = self._is_warned and job.seconds_left <= self._warn_s  # an administrator may have added time
        if self._is_warning_due(now):
            self._is_warned = True
            self._notify(f"Slurm job {self.job} with the engines ends in {_tables.duration(job.seconds_left)}")

    def _is_warning_due(self, now: float) -> bool:
        return not self._is_warned and self._ends_at is not None and self._ends_at - now <= self._warn_s
