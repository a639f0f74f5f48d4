# SPDX-License-Identifier: BSD-3-Clause
"""Engines: start them on this machine or under Slurm, find them, ask how they are, stop them.

The public face of the launcher: `Engines` is one ensemble, and the process works with one at a time. How each launcher
does it is in _launch: _by_mpiexec.py and _by_slurm.py, how the end is noticed in _ensemble.py. Used by the session, the
magics and the command line. Needs only Python's own library and never talks to the engines: that is _core's business.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

from ._launch import _arguments, _attach, _by_mpiexec, _by_slurm, _mpiexec, _of_run, _routes, _sessions, _work_note
from ._launch._continuing import engine_options
from ._launch._ending import Ending
from ._launch._errors import ConnectionFileError, LaunchError, SlurmError, StartError  # noqa: F401 (public here)
from ._launch._owners import Owned
from ._launch._slurm_request import SlurmRequest

DEFAULT_IDLE_SECONDS = 20.0  # with the server's own rhythm, engines of a dead kernel are gone within 30 s
_START_SECONDS = 30.0
_QUEUE_SECONDS = 600.0
_STOP_SECONDS = 10.0
_MOST_RANKS = 65536

Progress = Callable[[str], None]


def default_ranks() -> int:
    """GAMELAN_ENGINES, or min(4, the cores we may use) where it is 0 or not set."""
    text = os.environ.get("GAMELAN_ENGINES", "").strip()
    if text in ("", "0"):
        return min(4, len(os.sched_getaffinity(0)))
    try:
        return check_ranks(int(text))
    except ValueError:
        raise ValueError(
            f"GAMELAN_ENGINES={text!r}: expected a number of engines, at most {_MOST_RANKS} (0: min(4, cores))"
        ) from None


def check_ranks(ranks: int) -> int:
    if isinstance(ranks, bool) or not isinstance(ranks, int) or not 1 <= ranks <= _MOST_RANKS:
        raise ValueError(f"number of engines: got {ranks!r}, expected 1 to {_MOST_RANKS}")
    return ranks


class Engines(Owned):
    """One ensemble of engines. Make one with `Engines.start` or `Engines.connect`.

    `connection_file`, `session`, `ranks`, `log` and `launcher` ("mpiexec", "slurm" or "unknown") say what it is;
    `ending` is None while it lives and an `Ending` afterwards.
    """

    _current: Engines | None = None  # the ensemble this process works with

    def __repr__(self) -> str:
        state = "ended" if self.ending else "running"
        return f"<Engines {self.session}: {self.ranks} ranks by {self.launcher}, {state}>"

    # -- making one

    @classmethod
    def start(
        cls,
        n: int | None = None,
        slurm: SlurmRequest | dict | None = None,
        *,
        heap: str | int | None = None,
        routines: str | None = None,
        idle_timeout: float | None = None,
        lease: str | None = None,
        session: str | None = None,
        timeout: float | None = None,
        on_progress: Progress | None = None,
        keep: bool = False,
    ) -> Engines:
        """Start `n` engines and return when they serve.

        Parameters
        ----------
        n : ranks; default GAMELAN_ENGINES or min(4, cores); under Slurm what nodes and ranks_per_node make.
        slurm : submit a job instead of running mpiexec here.
        heap : array memory of a rank ("2G"); default: from what the machine has.
        routines : paths of shared libraries, separated by colons, whose functions `np.routine` may call.
        idle_timeout : seconds without a client after which they leave by themselves; 0 = never.
        lease : time after which a silent client's arrays are freed ("10m"); 0 = never. Default: GAMELAN_LEASE, or 10m; 24h of
            engines that are kept or run under Slurm.
        timeout : seconds to wait until they serve (default 30; under Slurm 600, the queue included).
        on_progress : called with a line of text when the state of the wait changes.
        keep : do not stop them when this process ends.

        Raises a `LaunchError` that says what is missing and what to do; nothing is left behind then.
        """
        request = SlurmRequest(**slurm) if isinstance(slurm, dict) else slurm
        if request is not None:
            n = request.ranks(n, default_ranks)
        ranks = default_ranks() if n is None else check_ranks(n)
        if idle_timeout is None:
            idle_timeout = float(os.environ.get("GAMELAN_IDLE_TIMEOUT") or DEFAULT_IDLE_SECONDS)
        lease = str(lease or os.environ.get("GAMELAN_LEASE") or ("24h" if request is not None or keep else "10m"))
        heap = heap or os.environ.get("GAMELAN_HEAP")
        if heap:
            try:
                _arguments.bytes_of(str(heap))
            except argparse.ArgumentTypeError as error:
                raise LaunchError(f"memory of an engine (heap, GAMELAN_HEAP): {error}") from None
        routines = routines or os.environ.get("GAMELAN_ROUTINES")
        if routines:
            routines = os.pathsep.join(map(os.path.abspath, routines.split(os.pathsep)))
        settings = {
            "n": ranks,
            "slurm": request,
            "heap": heap,
            "routines": routines,
            "idle_timeout": idle_timeout,
            "lease": lease,
            "keep": keep,
            "timeout": timeout,
        }
        options = engine_options(settings)
        if request is None:
            engines = _by_mpiexec.start(cls, ranks, options, session, timeout or _START_SECONDS)
        else:
            engines = _by_slurm.start(
                cls, request, ranks, options, session, timeout or _QUEUE_SECONDS, on_progress or (lambda line: None)
            )
        engines._settings = settings
        engines._owner_pid = os.getpid()
        if not keep:
            atexit.register(engines._stop_at_exit)
        Engines._current = engines
        return engines

    @classmethod
    def connect(cls, path: str | os.PathLike) -> Engines:
        """Engines that run already: by connection file, by the name of one of this user's sessions, or by Slurm job.

        Raises ConnectionFileError when the file is not to be trusted, or its engines are gone.
        """
        connection_file = _attach.connection_file_of(str(path)) if is_job(path) else find_connection_file(path)
        connection = _sessions.read_connection(connection_file)
        facts = _sessions.read_facts(connection_file.parent) or {"launcher": "unknown"}
        facts.update({name: connection[name] for name in ("session", "ranks", "slurm_job_id", "fingerprint")})
        facts.update(engine_host=connection["host"], engine_pid=connection["pid"])
        _attach.require_running(facts, connection_file)
        if _sessions.is_this_host(connection["host"]) and _sessions.process_start(connection["pid"]) is None:
            raise ConnectionFileError(
                f"{connection_file} is stale: rank 0 was process {connection['pid']} of this machine and is gone; start "
                f"new engines (gamelan engines start) and remove the file"
            )
        engines = cls(connection_file, facts)
        engines._settings = _of_run.settings_of(connection_file)
        engines._watch()
        Engines._current = engines
        return engines

    @classmethod
    def of_run(cls, path: str | os.PathLike) -> Engines | None:
        """The engines that `gamelan run` started for this script, dead or alive; None when `path` names others."""
        settings = _of_run.settings_of(path)
        if settings is None:
            return None
        connection_file = Path(path)
        engines = cls(connection_file, _sessions.read_facts(connection_file.parent) or {"session": connection_file.parent.name})
        engines._settings = settings
        return engines

    @classmethod
    def of_session(cls, connection_file: Path) -> Engines | None:
        """A session as its launcher wrote it down, dead or alive; None when no launcher of ours made it."""
        facts = _sessions.read_facts(connection_file.parent)
        return cls(connection_file, facts) if _sessions.is_ours(connection_file.parent, facts) else None

    @classmethod
    def find(cls, session: str) -> Engines:
        """A session by its name, Slurm job or connection file, dead or alive, to look at or to end; it does not become the
        current one where a launcher of ours made it."""
        path = find_connection_file(session)
        engines = cls.of_session(path)
        if engines is None and not path.exists():
            raise LaunchError(f"no session {session!r}: `gamelan engines list` shows them")
        return engines or cls.connect(path)

    @classmethod
    def current(cls) -> Engines | None:
        """The ensemble this process started or connected to last, while it lives."""
        return cls._current if cls._current and not cls._current.ending else None

    @classmethod
    def ensure(cls) -> Engines:
        """The current ensemble; else that of GAMELAN_CONNECT; else a new one."""
        path = os.environ.get("GAMELAN_CONNECT")
        return cls.current() or (cls.connect(path) if path else cls.start())

    @classmethod
    def list_all(cls) -> list[dict]:
        """Every session of this user, newest first, as `status` says it."""
        found = []
        for directory in _sessions.session_directories():
            facts = _sessions.read_facts(directory)
            if _sessions.is_ours(directory, facts):
                found.append(cls(directory / "connection.json", facts).status())
        return found

    # -- using one

    def status(self) -> dict:
        """State ("starting", "running", "pending", "ended"), who and where, and the processes of the ranks."""
        facts = _sessions.read_facts(self._directory) or self.facts
        report = {
            "session": self.session,
            "launcher": self.launcher,
            "ranks": self.ranks,
            "state": "ended",
            "connection_file": self.connection_file,
            "log": self.log,
            "host": facts.get("host", "?"),
            "started": facts.get("started"),
            "processes": [],
            "ending": "",
            "slurm_job_id": facts.get("slurm_job_id") or "",
        }
        ended = facts.get("ended")
        if self.ending or ended:
            report["ending"] = str(self.ending or ended["reason"])
            return report | self.next_in_words()
        serves = os.path.exists(self.connection_file)
        report["route"] = _routes.noted(self.connection_file)
        report["work"] = _work_note.found(self.connection_file)
        if self.launcher == "slurm":
            if self._job_watch:
                self._job_watch.ask_now()
            report.update(_by_slurm.describe(report["slurm_job_id"], serves))
        elif self.launcher == "mpiexec":
            report.update(_by_mpiexec.describe(facts, serves))
        else:
            report["state"] = "running" if serves else "ended"
        return report | self.next_in_words()

    @property
    def is_owned(self) -> bool:
        """Did this process start them, and will it stop them when it ends?"""
        may_end = self._owner_pid == os.getpid() and not self._settings["keep"] and not self.is_left
        return may_end and not self.is_left_to_another

    def stop(self, timeout: float = _STOP_SECONDS, replaces: bool = False) -> None:
        """End the engines and remove what belongs to the session; arrays are lost. Quiet when they have ended. `replaces`: do
        others follow? Who uses these waits for them then."""
        self._is_stopping = True
        self.end_chain()
        if self.launcher == "slurm":
            _by_slurm.stop(self, timeout)
        elif self.launcher == "mpiexec":
            _by_mpiexec.stop(self, timeout, replaces)
        else:
            self._stop_unknown()
        facts = _sessions.read_facts(self._directory)
        if facts.get("launcher") == "mpiexec":
            facts.setdefault("job_family", _mpiexec.job_family(self._directory))
            _sessions.remove_shared_memory(facts)
        if not self.ending:
            self._finish(Ending(f"the engines of session {self.session} were stopped", is_expected=True))
        if not replaces:
            self._remove()

    def _remove(self) -> None:
        if _sessions.is_ours(self._directory, _sessions.read_facts(self._directory)):
            _sessions.remove(self._directory)

    def restart(self, on_progress: Progress | None = None, n: int | None = None) -> Engines:
        """Stop, and start as before, or as many as `n` says. The session that uses them computes its arrays again."""
        self.require_restartable(n)
        self.stop(replaces=self._settings["slurm"] is None)
        return self._start_next(on_progress=on_progress, **({} if n is None else {"n": n}))

    def _start_next(self, **changed) -> Engines:
        """Engines that take the place of these, which have ended. The folder of those that were stopped for that tells their
        other clients to wait, until now."""
        try:
            engines = Engines.start(**(self._settings | changed))
            if engines.launcher != "slurm":
                _of_run.mark(engines, self)
            return engines
        finally:
            if self._is_stopping:
                self._remove()

    @property
    def is_replaceable(self) -> bool:
        """May this process start others when these are lost? It may when it or `gamelan run` has started them here."""
        may_start = self._settings is not None and self._settings["slurm"] is None
        return may_start and not (self._owner_pid == os.getpid() and self.is_left_to_another)

    def replace(self) -> Engines:
        """Start engines as these, which are lost, were started. Ends these where they still run and do not answer; the log
        of those that have ended stays."""
        if not self.ending and _sessions.is_alive(_sessions.read_facts(self._directory)):
            self.stop(replaces=True)
        return self._start_next()

    def require_restartable(self, n: int | None = None) -> None:
        """Raise LaunchError where `restart` would, before anything has been given up."""
        if self._settings is None or self._owner_pid == os.getpid() and self.is_left_to_another:
            raise LaunchError(f"session {self.session} was started elsewhere: stop it there and start a new one")
        if n is not None and self._settings["slurm"] is not None:
            raise LaunchError(
                "how many ranks a Slurm job has is asked for with the job: %engines stop, then %engines start --slurm ..."
            )

    def _stop_unknown(self) -> None:
        """Engines that somebody's own script started: rank 0 leaves on SIGTERM, its launcher ends the others."""
        pid, host = self.facts.get("engine_pid"), self.facts.get("engine_host")
        if not _sessions.is_this_host(host):
            raise LaunchError(f"session {self.session} runs on {host} and was not started by Gamelan: end its job there")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    def _stop_at_exit(self) -> None:
        # A forked child has no say, nor has who was stopped while the notebook's next kernel took them over. Others may use them.
        if os.getpid() == self._owner_pid and not self.ending and not self.is_left and not self.is_left_to_another:
            with contextlib.suppress(LaunchError, OSError):
                self.stop()


def is_job(path: str | os.PathLike) -> bool:
    """Is this the number of a Slurm job, and no file?"""
    return _attach.is_job(os.fspath(path)) and not os.path.exists(path)


def find_connection_file(path: str | os.PathLike) -> Path:
    """A path as it is; a bare word as the name of a session of this user; a number as that of a Slurm job."""
    text = os.fspath(path)
    if is_job(text):
        directory = _attach.directory_of(text)
        if directory is None:
            raise ConnectionFileError(f"no session of Slurm job {text}: `gamelan engines list` shows those there are")
        return directory / "connection.json"
    if os.sep not in text and not os.path.exists(text):
        for base in (_sessions.runtime_base(), _sessions.shared_base()):
            if (base / text).is_dir():
                return base / text / "connection.json"
    return Path(text).expanduser().absolute()


start, connect, find, current, ensure, list_all = (
    Engines.start,
    Engines.connect,
    Engines.find,
    Engines.current,
    Engines.ensure,
    Engines.list_all,
)
