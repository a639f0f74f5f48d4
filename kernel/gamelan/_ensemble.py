# SPDX-License-Identifier: BSD-3-Clause
"""One ensemble of engines, from the wait for its connection file to the word of how it ended.

Who started it with mpiexec is the parent of mpiexec and hears of its end from the system; who connected to it watches
it from outside. Base of `launch.Engines`, which starts and stops; this file only watches, and tells who asked to be told.
"""
from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from . import _mpiexec, _sessions, _slurm
from ._ending import Ending, explain, quoted_tail
from ._launch_errors import StartError


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
        self._ended = threading.Event()
        self._listeners: list[Callable[[Ending], None]] = []
        self._lock = threading.Lock()

    @property
    def ranks(self) -> int:
        return self.facts.get("ranks", 0)

    def on_end(self, listener: Callable[[Ending], None]) -> None:
        """Call `listener` once, on another thread, when the engines have ended (at once if they have)."""
        with self._lock:
            if not self.ending:
                self._listeners.append(listener)
                return
        listener(self.ending)

    def wait(self, timeout: float | None = None) -> Ending | None:
        """Until the engines have ended; None when `timeout` seconds did not see it."""
        self._ended.wait(timeout)
        return self.ending

    def end_cause(self, timeout: float = 0.0) -> str | None:
        """Why the engines are gone, or None when `timeout` seconds did not see them end."""
        ending = self.wait(timeout)
        return str(ending) if ending else None

    def _await_connection_file(self, timeout: float, look: Callable[[], None], between_looks: float = 0.2) -> None:
        deadline, next_look = time.monotonic() + timeout, 0.0
        while not os.path.exists(self.connection_file):
            if self._ended.wait(0.01):
                raise StartError(f"{self.ending.reason}, before they served" + quoted_tail(self.log))
            now = time.monotonic()
            if now >= next_look:
                look()
                _slurm.refresh(self._directory)
                next_look = now + between_looks
            if now > deadline:
                raise StartError(f"the engines did not serve within {timeout:g} s" + quoted_tail(self.log))
        connection = _sessions.read_connection(Path(self.connection_file))
        self.facts.update(engine_host=connection["host"], engine_pid=connection["pid"], ranks=connection["ranks"])

    def _wait_for_process(self) -> None:
        code = self._process.wait()
        if self._is_stopping:
            ending = Ending(f"the engines of session {self.session} were stopped", exit_code=code, is_expected=True)
        else:
            ending = explain(Path(self.log), code, self.session)
        self._finish(ending)

    def _watch(self) -> None:
        threading.Thread(target=self._watch_from_outside, name="gamelan-watch", daemon=True).start()

    def _watch_from_outside(self) -> None:
        """For engines that are not our children: the launcher's process if it is here, else the connection file."""
        pid = self.facts.get("pid") if self.facts.get("host") == socket.gethostname() else None
        if pid and self.launcher == "mpiexec":
            with contextlib.suppress(OSError):
                descriptor = os.pidfd_open(pid)
                try:
                    select.select([descriptor], [], [])
                finally:
                    os.close(descriptor)
        else:
            while not self._ended.wait(1.0):
                with contextlib.suppress(OSError):
                    _slurm.refresh(self._directory)
                if not os.path.exists(self.connection_file):
                    break
        self._finish(self._learn_ending())

    def _learn_ending(self, patience_s: float = 2.0) -> Ending:
        """What was written down about the end; whoever writes it may need a moment."""
        deadline = time.monotonic() + patience_s
        while True:
            ended = _sessions.read_facts(self._directory).get("ended")
            if ended:
                return Ending(**ended)
            ending = explain(Path(self.log), None, self.session)
            is_known = self.launcher == "slurm" and ending.rank is not None  # srun's words are in the log
            if is_known or time.monotonic() > deadline or self._ended.wait(0.05):
                break
        if self.launcher == "slurm" and not self._is_stopping:
            job = self.facts.get("slurm_job_id")
            ending.reason += f" (Slurm job {job}: {_slurm.last_words(job or '')})"
        return ending

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
