# SPDX-License-Identifier: BSD-3-Clause
"""Engines whose Slurm job has another one queued behind it, in which their client goes on (--continue).

Whoever has the settings of the engines queues the next job and cancels it. The facts of a session name the session of the
job behind it, so that every client finds the way. Base of `launch.Engines`. What a program does at the end of a job is in
gamelan/_next_job.py.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from . import _by_slurm, _sessions
from ._ensemble import Ensemble
from ._errors import LaunchError, NeverStartsError, StartError

NEXT_SECONDS = 86400.0  # that the next job is waited for, unless --timeout says otherwise
_LEAST_IDLE_SECONDS = 120.0  # that its engines wait for their client, which may be busy when they begin


def engine_options(settings: dict) -> list[str]:
    """What the engine program is told of the settings with which engines were started."""
    options = ["--idle-timeout", f"{settings['idle_timeout']:g}", "--lease", settings["lease"]]
    for name, option in (("heap", "--heap-bytes"), ("routines", "--routines")):
        if settings[name]:
            options += [option, str(settings[name])]
    return options


class Continuing(Ensemble):
    """Engines that may be followed by those of the next job."""

    def __init__(self, connection_file: Path, facts: dict):
        super().__init__(connection_file, facts)
        self._owner_pid = 0
        self._settings: dict | None = None
        self._following: Continuing | None = None

    @property
    def is_next_job(self) -> bool:
        """Were they queued behind others, whose client comes to them?"""
        return "run" in self.facts and self.launcher == "slurm"

    @property
    def continues(self) -> bool:
        """Does this process queue the job that follows?"""
        request = (self._settings or {}).get("slurm")
        return request is not None and request.continues

    def following(self) -> Continuing | None:
        """The engines of the job that is queued behind this one or runs after it; None where there is none."""
        seen, place = self._following, self._directory
        while seen is None or seen.ending or _sessions.read_facts(Path(seen._directory)).get("ended"):
            place = place if seen is None else seen._directory
            name = _sessions.read_facts(place).get("next")
            facts = _sessions.read_facts(place.parent / name) if name else {}
            if not facts:
                return None
            seen = type(self)(place.parent / name / "connection.json", facts)
        self._following = seen
        return seen

    def next_in_words(self) -> dict:
        """What `status` says of the job that follows."""
        following = self.following() if self.launcher == "slurm" else None
        if following is None:
            return {}
        state = _by_slurm.describe(following.facts["slurm_job_id"], os.path.exists(following.connection_file))
        return {"next": state["ending"] or f"job {following.facts['slurm_job_id']} is {state['state']}"}

    def queue_next(self) -> Continuing:
        """Submit the job that begins when this one ends. Raises a LaunchError when Slurm refuses it."""
        following = self.following()
        if following is not None:
            return following
        settings = self._settings
        idle = settings["idle_timeout"] and max(settings["idle_timeout"], _LEAST_IDLE_SECONDS)
        following = _by_slurm.submit(
            type(self),
            settings["slurm"],
            settings["n"],
            engine_options({**settings, "idle_timeout": idle}),
            after=self.facts["slurm_job_id"],
        )
        following._settings, following._owner_pid = settings, os.getpid()
        atexit.register(following._stop_at_exit)
        following.facts["run"] = self.facts.get("run", self.session)
        _sessions.write_facts(following._directory, following.facts)
        self.facts["next"] = following.session
        _sessions.write_facts(self._directory, {**_sessions.read_facts(self._directory), "next": following.session})
        self._following = following
        return following

    def follow(self, tell: Callable[[str], None]) -> Continuing:
        """Wait for the job behind this one; its engines, when they serve. Raises a LaunchError when it ends or can never start,
        and after a day (or --timeout); only then the job stays in the queue, as after an interrupt."""
        following = self.following()
        if following is None:
            raise StartError(f"no job follows session {self.session}")
        try:
            if following._job_watch is None:
                limit = (self._settings or {}).get("timeout") or NEXT_SECONDS
                _by_slurm.await_serving(following, limit, tell, "The job stays in the queue")
        except NeverStartsError:
            following.stop()
            raise
        return following

    def end_chain(self, but: Ensemble | None = None) -> None:
        """Cancel the job that is queued behind this one, if this process has queued it. If it is that of `but`, these engines
        take its place in the chain."""
        following = self._following
        if following is None or following._owner_pid != os.getpid() or following.ending or following is but:
            return
        self._following = None
        if isinstance(but, Continuing) and os.path.realpath(but.connection_file) == os.path.realpath(following.connection_file):
            return but._take_over(following)
        with contextlib.suppress(LaunchError, OSError):
            following.stop()

    def _take_over(self, same: Continuing) -> None:
        """These engines are `same`, which this process has queued, found by another way (%engines attach)."""
        atexit.unregister(same._stop_at_exit)
        self._settings, self._owner_pid, self._following = same._settings, same._owner_pid, same._following
        atexit.register(self._stop_at_exit)
