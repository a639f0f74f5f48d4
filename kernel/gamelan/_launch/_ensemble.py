# SPDX-License-Identifier: BSD-3-Clause
"""One ensemble of engines, from the wait for its connection file to the word of how it ended.

Who started it with mpiexec is the parent of mpiexec and hears of its end from the system; who connected to it watches
it from outside. Base of `launch.Engines`, which starts and stops; this file only watches, and tells who asked to be told.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path

from . import _lacks, _mpiexec, _sessions, _slurm
from ._ending import Ending, explain, quoted_tail
from ._errors import StartError
from ._slurm_watch import JobWatch

_LOOK_EVERY_SECONDS = 0.5
_SLURM_KNOWS_SECONDS = 10.0  # srun and slurmctld need a while to say how a job ended


class Ensemble:
    """Engines that somebody started: what they are, whether they live, and how they ended."""

    def __init__(self, connection_file: Path, facts: dict):
        self.connection_file = str(connection_file)
        self.facts = facts
        self.session: str = facts.get("session", connection_file.stem)
        self.launcher: str = facts.get("launcher", "unknown")
        self.log = str(connection_file.parent / "engines.log")
        self.ending: Ending | None = None
        self._directory = connection_file.parent
        self._process = None
        self._is_stopping = False
        self.is_being_replaced = False  # has their owner stopped them to start others?
        self._ended = threading.Event()
        self._listeners: list[Callable[[Ending], None]] = []
        self.is_time_short = False  # was it told that they end soon?
        self._notice: str | None = None
        self._notice_listeners: list[Callable[[str], None]] = []
        self._job_watch: JobWatch | None = None
        self._lock = threading.Lock()

    @property
    def ranks(self) -> int:
        return self.facts.get("ranks", 0)

    @property
    def notice(self) -> str:
        """What the user should hear of engines that run, without a full stop; "" when there is none."""
        return self._notice or ""

    def on_end(self, listener: Callable[[Ending], None]) -> None:
        """Call `listener` once, on another thread, when the engines have ended (at once if they have)."""
        with self._lock:
            if not self.ending:
                self._listeners.append(listener)
                return
        listener(self.ending)

    def on_notice(self, listener: Callable[[str], None]) -> None:
        """Call `listener`, on another thread, with what the user should hear: little time is left, or memory."""
        with self._lock:
            self._notice_listeners.append(listener)
            notice = self._notice
        if notice:
            listener(notice)

    def warn_of_time(self) -> None:
        """The engines themselves were told that their time is nearly over: pass it on, unless it was said already."""
        if not self.is_time_short:
            self._tell("the Slurm job with the engines ends soon")

    def _tell(self, notice: str, is_of_time: bool = True) -> None:
        with self._lock:
            self._notice = notice
            self.is_time_short |= is_of_time
            listeners = list(self._notice_listeners)
        for listener in listeners:
            listener(notice)

    def wait(self, timeout: float | None = None) -> Ending | None:
        """Until the engines have ended; None when `timeout` seconds did not see it."""
        self._ended.wait(timeout)
        return self.ending

    def end_cause(self, timeout: float = 0.0) -> str | None:
        """Why the engines are gone, or None when `timeout` seconds did not see them end."""
        if timeout > 0 and self._job_watch and not self.ending:
            # Slurm knows at once whether the job is over, and how it ended when srun has given up on the last rank.
            timeout = _SLURM_KNOWS_SECONDS if self._job_watch.has_ended(timeout) else 0.0
        ending = self.wait(timeout)
        return str(ending) if ending else None

    def last_seen(self) -> str:
        """What the launcher knows of engines that do not answer: where rank 0 is, that their job still runs, and where."""
        if not self._job_watch or self.ending:
            return ""
        host = self.facts.get("engine_host")
        return (f"rank 0 is on {host}, " if host else "") + self._job_watch.where()

    def _await_connection_file(
        self,
        timeout: float,
        look: Callable[[], None],
        between_looks: Callable[[], float] = lambda: 0.2,
        what: Callable[[], str] = lambda: "",
    ) -> None:
        deadline, next_look = time.monotonic() + timeout, 0.0
        between_stats = 0.05 if self.launcher == "slurm" else 0.01  # a file server is not asked a hundred times a second
        while not os.path.exists(self.connection_file):
            if self._ended.wait(between_stats):
                error = StartError(_lacks.explain_start(self.log, self.ending.reason))
                error.ending = self.ending
                raise error
            now = time.monotonic()
            if now >= next_look:
                look()
                _slurm.refresh(self._directory)
                next_look = time.monotonic() + between_looks()
            if now > deadline:
                raise StartError(f"the engines did not serve within {timeout:g} s{what()}" + quoted_tail(self.log))
        connection = _sessions.read_connection(Path(self.connection_file))
        self.facts.update(
            engine_host=connection["host"],
            engine_pid=connection["pid"],
            ranks=connection["ranks"],
            fingerprint=connection["fingerprint"],
        )

    def _wait_for_process(self) -> None:
        code = self._process.wait()
        if self._is_stopping:
            ending = Ending(f"the engines of session {self.session} were stopped", exit_code=code, is_expected=True)
        else:
            ending = self._stopped_elsewhere(code) or explain(Path(self.log), code, self.session)
        self._finish(ending)

    def _stopped_elsewhere(self, code: int | None) -> Ending | None:
        """Another process has stopped them: what their mpiexec returns then says nothing."""
        by = _sessions.read_facts(self._directory).get("stopped_by")
        return self._stopped_by(by, code) if by else None

    def _stopped_by(self, by: str | None, code: int | None = None) -> Ending:
        told = f"the engines of session {self.session} were stopped" + (f" by {by}" if by else "")
        return Ending(told, exit_code=code, is_expected=True)

    def _watch(self) -> None:
        job = self.facts.get("slurm_job_id")
        if self._job_watch is not None:
            return
        if job and self.launcher == "slurm":
            self._job_watch = JobWatch(job, self.session, Path(self.log), self._tell, self.facts.get("warning_s"))
        threading.Thread(target=self._watch_from_outside, name="gamelan-watch", daemon=True).start()

    def _watch_from_outside(self) -> None:
        """For engines that are not our children: the launcher's process if it is here, else the connection file."""
        pid = self.facts.get("pid") if _sessions.is_this_host(self.facts.get("host")) else None
        if pid and self.launcher == "mpiexec":
            with contextlib.suppress(OSError):
                descriptor = os.pidfd_open(pid)
                try:
                    select.select([descriptor], [], [])
                finally:
                    os.close(descriptor)
        else:
            while not self._ended.wait(_LOOK_EVERY_SECONDS):
                with contextlib.suppress(OSError):
                    _slurm.refresh(self._directory)
                if not os.path.exists(self.connection_file) or (self._job_watch and self._job_watch.sees_end()):
                    break
        self._finish(self._learn_ending())

    def _learn_ending(self, patience_s: float = 2.0) -> Ending:
        """What was written down about the end; whoever writes it may need a moment."""
        deadline = time.monotonic() + patience_s
        while True:
            facts = _sessions.read_facts(self._directory)
            self.is_being_replaced = bool(facts.get("is_replaced"))
            if facts.get("ended"):
                return Ending(**facts["ended"])
            if self.launcher == "mpiexec" and (facts.get("stopped_by") or not self._directory.exists()):
                return self._stopped_by(facts.get("stopped_by"))
            if self._job_watch:
                return self._job_watch.learn_ending(lambda: self._is_stopping)
            if time.monotonic() > deadline or not self._has_other_owner() or self._ended.wait(0.05):
                return self._stopped_elsewhere(None) or explain(Path(self.log), None, self.session)

    def _has_other_owner(self) -> bool:
        """May another process write down how they ended? One on another machine may."""
        facts = _sessions.read_facts(self._directory) or self.facts
        owner = facts.get("owner_pid")
        if not owner or not _sessions.is_this_host(facts.get("host")):
            return True
        return owner != os.getpid() and _sessions.process_start(owner) is not None

    def _finish(self, ending: Ending) -> None:
        with self._lock:
            if self.ending:
                return
            self.ending = ending
            listeners, self._listeners = self._listeners, []
        facts = _sessions.read_facts(self._directory)
        if facts and not self._is_stopping:
            facts["ended"] = ending.to_dict()
            with contextlib.suppress(OSError):
                _sessions.write_facts(self._directory, facts)
            if self.launcher == "mpiexec":
                facts.setdefault("job_family", _mpiexec.job_family(self._directory))
                _sessions.remove_shared_memory(facts)
        self._ended.set()
        for listener in listeners:
            listener(ending)
