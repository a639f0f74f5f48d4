# SPDX-License-Identifier: BSD-3-Clause
"""Whose the engines are that a program has started: its own while it lives, then the next kernel's of the same notebook, or
nobody's, for as long as others use them. Who uses engines of another owner follows to those that the owner starts in their
place. Base of `launch.Engines`."""

from __future__ import annotations

import atexit
import contextlib
import inspect
import os
import time

from . import _of_run, _sessions
from ._continuing import Continuing
from ._errors import LaunchError

_START_SECONDS = 30.0  # that engines which are about to be started are waited for
_OF_ONE_START = {"cls", "session", "on_progress"}  # of Engines.start; restarts and heirs take all the others again


class Owned(Continuing):
    """Engines with an owner, who ends them and replaces them."""

    is_left = False  # does the owner end, and leave them to others?

    def follow_lost(self, session: str) -> None:
        """Let clients of a session that has ended with its owner find these engines, if this process has started them for its
        successor."""
        if self.is_owned and _of_run.MARK not in self.facts and self.launcher == "mpiexec":
            first = _sessions.read_facts(self._directory.parent / session).get(_of_run.MARK, session)
            _of_run.mark_as(self, first)

    def successor(self) -> Owned:
        """Engines of another owner that serve in the place of these, which are lost: those that their owner has started since,
        or others under the same connection file. Where the owner has stopped these to start others, they are waited for. Raises a
        LaunchError where there are none."""
        deadline = time.monotonic() + (_START_SECONDS if self.is_being_replaced else 0)
        while True:
            is_gone = not self._directory.exists()  # who has stopped them removes it when the others serve, or do not start
            with contextlib.suppress(LaunchError):
                for path in reversed(_of_run.left_by(self.facts.get(_of_run.MARK, self.session))):
                    with contextlib.suppress(LaunchError):
                        return type(self).connect(path)
            if is_gone or time.monotonic() >= deadline:
                return type(self).connect(self.connection_file)
            time.sleep(0.1)

    def settings_for_heir(self) -> dict | None:
        """With what the next kernel of the notebook may take these over when this process is killed, or leaves them to others;
        None where it does not own them, or Slurm runs them."""
        return None if not (self.is_owned or self.is_left) or self._settings["slurm"] is not None else self._settings

    def leave_to(self, others: list[str]) -> str:
        """They do not end with this process, but by themselves when the last client has gone. `others`: who uses them, in
        words. Returns what is to be told of that; it is in their log, too."""
        self.is_left = True
        limit = self._settings["idle_timeout"]
        end = f"{limit:g} s after the last client" if limit else f"with gamelan engines stop {self.session}"
        told = f"{', '.join(others)}: the engines of session {self.session} stay, and end {end}"
        if self.launcher == "mpiexec":  # a job writes its log elsewhere, and another machine must not write amid it
            with contextlib.suppress(OSError), open(self.log, "a") as log:
                log.write(f"gamelan: their owner, process {os.getpid()}, has ended; left to {told}\n")
        return f"left to {told}"

    def adopt(self, settings: dict, owner_pid: int) -> None:
        """Become the owner of engines whose owner, process `owner_pid`, has lost its arrays to this process: they end with this
        one, which replaces them when they are lost. `settings`: what the owner's `settings_for_heir` gave. Nothing is done where
        another process owns them, or the settings are none of this version's."""
        facts = _sessions.read_facts(self._directory)
        owner = facts.get("owner_pid")
        is_of_another = owner not in (None, owner_pid, os.getpid()) and _sessions.process_start(owner) is not None
        expected = inspect.signature(type(self).start).parameters.keys() - _OF_ONE_START
        if not facts or is_of_another or settings.keys() != expected:
            return
        with contextlib.suppress(OSError):  # they end at this moment
            self.facts = facts | {"owner_pid": os.getpid()}
            _sessions.write_facts(self._directory, self.facts)
            self._settings, self._owner_pid = settings, os.getpid()
            atexit.register(self._stop_at_exit)

    @property
    def is_left_to_another(self) -> bool:
        """Has another process become the owner of what this one has started?"""
        owner = _sessions.read_facts(self._directory).get("owner_pid")
        return owner is not None and owner != os.getpid()
