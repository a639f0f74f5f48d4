# SPDX-License-Identifier: BSD-3-Clause
"""Session directories: one private folder per ensemble of engines, with its connection file, socket, log and facts.

Who may enter the folder may talk to the engines, so owner and mode are checked on every use. Also finds the sessions
of this user and clears away what dead ones left, never anything else. Knows files and process ids; starts nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import stat
import time
from pathlib import Path

from ._errors import ConnectionFileError, UnsafeDirectoryError

CONNECTION_FIELDS = {
    "version": int,
    "session": str,
    "host": str,
    "pid": int,
    "ranks": int,
    "addresses": list,
    "server_public": str,
    "client_public": str,
    "client_secret": str,
    "slurm_job_id": str,
    "fingerprint": str,
}
PROTOCOL_VERSION = 9
_KEPT_DEAD_SESSIONS = 5
_KEPT_SECONDS = 24 * 3600
_REMOVED = ".removed-"  # no name that a session may have
_TUNNEL = "tunnel-"  # folder of kernel/connection/tunnel.cpp
_NEWBORN_SECONDS = 60  # a folder without facts may belong to a process that is just about to write them


def require_private(path: Path, kind: str = "directory") -> None:
    """Raise UnsafeDirectoryError unless `path` is ours and nobody else may enter or read it."""
    facts = os.lstat(path)
    is_kind = stat.S_ISDIR(facts.st_mode) if kind == "directory" else stat.S_ISREG(facts.st_mode)
    if not is_kind:
        raise UnsafeDirectoryError(f"{path} is not a plain {kind}; remove it and try again")
    if facts.st_uid != os.geteuid():
        raise UnsafeDirectoryError(
            f"{path} belongs to user {facts.st_uid}, expected {os.geteuid()} (you): somebody else could read or "
            f"replace what is in it; have it removed, or set GAMELAN_RUNTIME_DIR (GAMELAN_SHARED_DIR for engines "
            f"of a Slurm job) to a directory of your own"
        )
    if facts.st_mode & 0o077:
        raise UnsafeDirectoryError(
            f"{path} is open to others (mode {stat.S_IMODE(facts.st_mode):03o}): it holds the key to your engines; "
            f"chmod {'700' if kind == 'directory' else '600'} {path} if you trust what is in it"
        )


def make_private(path: Path) -> Path:
    """Create a 0700 directory and parents that nobody else can write, or check the one that is there."""
    for parent in reversed(path.parents):
        if not parent.exists():
            with contextlib.suppress(FileExistsError):
                parent.mkdir(mode=0o755)
                parent.chmod(0o755)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    require_private(path)
    return path


def runtime_base() -> Path:
    """Where sessions of this machine live: short, because a socket's path has at most 107 bytes."""
    named = os.environ.get("GAMELAN_RUNTIME_DIR")
    if named:
        return Path(named)
    system = os.environ.get("XDG_RUNTIME_DIR")
    if system and os.access(system, os.W_OK | os.X_OK) and os.stat(system).st_uid == os.geteuid():
        return Path(system) / "gamelan"
    return Path(f"/tmp/gamelan-{os.geteuid()}")


def shared_base() -> Path:
    """Where sessions of a cluster live: on the file system that login and compute nodes share."""
    named = os.environ.get("GAMELAN_SHARED_DIR")
    if named:
        return Path(named)
    return user_folder("XDG_STATE_HOME", "state") / "gamelan"


def user_folder(variable: str, name: str) -> Path:
    """One of the folders that the XDG base directory specification gives to a user's programs."""
    named = os.environ.get(variable)
    return Path(named) if named else Path.home() / ".local" / name


def is_this_host(host: str | None) -> bool:
    """Is this the name of the machine that we run on?"""
    return host == socket.gethostname()


def random_name() -> str:
    """A short name for a session; never all digits, which would be taken for a Slurm job."""
    while True:
        name = secrets.token_hex(3)
        if not name.isdigit():
            return name


def new_session(base: Path, name: str | None = None) -> Path:
    """A new private folder for a session; raises ValueError when the name is bad or a living session has it."""
    make_private(base)
    if name is not None:
        if name.isdigit():
            raise ValueError(f"bad session name {name!r}: a number alone means a Slurm job; put a letter to it")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", name):
            raise ValueError(f"bad session name {name!r}: expected letters, digits, '.', '_' and '-', at most 40")
        path = base / name
        if path.exists():
            facts = read_facts(path)
            if is_alive(facts):
                raise ValueError(f"session {name!r} is running already: gamelan engines stop {name}, or another name")
            if not is_ours(path, facts):
                raise ValueError(f"{path} exists and is no session: choose another name")
            remove(path)
        path.mkdir(mode=0o700)
        return path
    while True:
        path = base / random_name()
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
            return path


def write_facts(directory: Path, facts: dict) -> None:
    """Replace session.json as a whole."""
    temporary = directory / f".session.{os.getpid()}.{secrets.token_hex(2)}"
    temporary.write_text(json.dumps(facts, indent=2))
    temporary.replace(directory / "session.json")


def read_facts(directory: Path) -> dict:
    """What the launcher wrote about a session; {} when there is nothing legible."""
    try:
        facts = json.loads((directory / "session.json").read_text())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def read_connection(path: Path) -> dict:
    """The connection file, checked: private, complete, of our protocol version."""
    try:
        require_private(path, "file")
        text = path.read_text()
    except FileNotFoundError:
        raise ConnectionFileError(
            f"no connection file {path}: the engines have left or never started; `gamelan engines list` shows what "
            f"runs, `gamelan engines start` starts new ones"
        ) from None
    except OSError as error:
        raise ConnectionFileError(f"cannot read the connection file {path}: {error.strerror}") from None
    try:
        connection = json.loads(text)
    except ValueError:
        connection = None
    if not isinstance(connection, dict):
        raise ConnectionFileError(f"{path} is not a connection file of Gamelan: expected a JSON object")
    for field, kind in CONNECTION_FIELDS.items():
        if not isinstance(connection.get(field), kind):
            raise ConnectionFileError(f"{path} is not a connection file of Gamelan: field {field!r} is missing or wrong")
    if connection["version"] != PROTOCOL_VERSION:
        raise ConnectionFileError(
            f"{path} was written by engines that speak protocol {connection['version']}, this client speaks "
            f"{PROTOCOL_VERSION}: build both from the same source and restart the engines"
        )
    return connection


def is_ours(directory: Path, facts: dict) -> bool:
    """Did a launcher of ours make this folder? Nothing else is ever removed, wherever the user points us."""
    return facts.get("session") == directory.name


def process_start(pid: int) -> int | None:
    """Start time of a process in clock ticks, which with the id names it for good; None when it does not run."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def this_process() -> dict:
    """What names this process for good: for `has_ended`."""
    pid = os.getpid()
    return {"host": socket.gethostname(), "space": _process_space(), "pid": pid, "pid_start": process_start(pid)}


def has_ended(process: dict) -> bool:
    """Is a process known to be gone of which `this_process` was written down? That is known on its machine alone, until that
    starts again, and where processes have the same numbers: a container has its own."""
    if not is_this_host(process.get("host")) or not process.get("space") or process["space"] != _process_space():
        return False
    return process_start(process["pid"]) != process["pid_start"]


def _process_space() -> str:
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""


def notebook_of(pid: int) -> str:
    """The name of the notebook whose kernel this process is, as Jupyter Server told it; "" where that is not known."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    told = next((each for each in variables if each.startswith(b"JPY_SESSION_NAME=")), b"")
    return os.path.basename(told.partition(b"=")[2].decode(errors="replace"))


def is_alive(facts: dict) -> bool:
    """Does the launcher of a session still run (on this machine; elsewhere we cannot know and say yes)?"""
    if not facts or facts.get("ended"):
        return False
    if facts.get("launcher") == "slurm":
        return True
    if not is_this_host(facts.get("host")):
        return True
    start = process_start(facts.get("pid", 0))
    return start is not None and start == facts.get("pid_start")


def remove(directory: Path) -> None:
    """Remove a session's folder and all in it, at one moment: who still writes there finds no folder and gives up.

    Without the renaming a launcher that notes down the end of its engines puts a file into the folder while it is
    emptied, and the session stays listed for ever. Who had found the folder just before may still put a file into the
    renamed one; the next sweep takes it.
    """
    grave = directory.with_name(f"{_REMOVED}{secrets.token_hex(4)}")
    with contextlib.suppress(FileNotFoundError):
        directory.rename(grave)
        shutil.rmtree(grave, ignore_errors=True)


def directories_in(base: Path) -> list[Path]:
    """The folders under one base, where it exists; whoever asks looks into their facts."""
    if not base.is_dir():
        return []
    require_private(base)
    return [path for path in base.iterdir() if path.is_dir() and not path.name.startswith(_REMOVED)]


def session_directories() -> list[Path]:
    """Every session of this user, newest first."""
    found = []
    for base in (runtime_base(), shared_base()):
        if base.is_dir():
            require_private(base)
            for path in base.iterdir():
                with contextlib.suppress(FileNotFoundError):  # it may be removed while we look
                    if path.is_dir():
                        found.append((path.stat().st_mtime, path))
    return [path for written, path in sorted(found, reverse=True)]


def remove_shared_memory(facts: dict) -> list[str]:
    """Remove the /dev/shm files of a dead mpiexec job of ours; the names that were removed.

    Open MPI names them by host, user and job id, and reports the job id in a file that we asked for, so that nothing
    of any other job can match.
    """
    family = facts.get("job_family")
    if not family:
        return []
    pattern = re.compile(rf"(vader_segment|osc_sm|osc_rdma|sm_segment)\..*\.(0x)?{family:04x}0001(\..*)?")
    removed = []
    for path in Path("/dev/shm").iterdir():
        with contextlib.suppress(OSError):
            if pattern.fullmatch(path.name) and path.lstat().st_uid == os.geteuid():
                path.unlink()
                removed.append(path.name)
    return removed


def sweep(base: Path) -> None:
    """Clear away what dead sessions of this user left under `base`; the last few keep their logs for a day."""
    if not base.is_dir():
        return
    require_private(base)
    dead = []
    for path in base.iterdir():
        with contextlib.suppress(OSError):  # another process of ours may sweep too
            if not path.is_dir() or path.lstat().st_uid != os.geteuid():
                continue
            if path.name.startswith(_REMOVED):  # its remover was killed, or is still at it
                shutil.rmtree(path, ignore_errors=True)
                continue
            facts = read_facts(path)
            if not is_ours(path, facts):
                if time.time() - path.stat().st_mtime > _NEWBORN_SECONDS:
                    if path.name.startswith(_TUNNEL):  # its client was killed while it connected
                        (path / "socket").unlink(missing_ok=True)
                    path.rmdir()  # only ever an empty one
                continue
            if is_alive(facts):
                continue
            if (path / "ompi").exists():  # only once, before that is gone: another job may be given the number later
                remove_shared_memory(facts)
            for name in ("engine.sock", "connection.json"):
                (path / name).unlink(missing_ok=True)
            shutil.rmtree(path / "ompi", ignore_errors=True)
            dead.append(((path / "session.json").stat().st_mtime, path))
    for place, (written, path) in enumerate(sorted(dead, reverse=True)):
        if (place >= _KEPT_DEAD_SESSIONS or time.time() - written > _KEPT_SECONDS) and not is_alive(read_facts(path)):
            with contextlib.suppress(OSError):
                remove(path)
