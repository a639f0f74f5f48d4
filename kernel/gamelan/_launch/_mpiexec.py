# SPDX-License-Identifier: BSD-3-Clause
"""Starting engines with mpiexec, Open MPI's or Hydra, on this machine: what must be there, the command, the processes.

The caller's process becomes mpiexec's parent. Used by _by_mpiexec.py and the doctor; knows nothing of sessions.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import _hydra, _mpi_library, _open_mpi
from ._errors import EngineMissingError, LaunchError, MpiexecMissingError, SharedMemoryError

_FOREIGN = (
    "SLURM_",
    "SLURMD_",
    "PMIX_",
    "PMI_",
    "HYDI_",
    "PRTE_",
    "OMPI_COMM_WORLD_",
    "OMPI_UNIVERSE_",
    "OMPI_APP_CTX_",
    "OMPI_MCA_ess",
    "OMPI_MCA_orte",
    "OMPI_MCA_pmix",
)
_RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")
_SCARCE_SHM_BYTES = 256 << 20  # a container has 64 MiB unless it is told otherwise
_SHM_BYTES_PER_RANK = 6 << 20  # Open MPI's own segment of a rank (4 MiB) and what it writes at start


def find_program(name: str, variable: str) -> str | None:
    """A program of ours: named by a variable, in the build or installation this package lies in, or on PATH."""
    named = os.environ.get(variable)
    if named:
        named = os.path.abspath(named)  # it is run in another folder
        return named if os.path.isfile(named) and os.access(named, os.X_OK) else None
    return _own_program(name)


def _own_program(name: str) -> str | None:
    # build/python/gamelan -> build/bin; <prefix>/lib/python3/dist-packages/gamelan -> <prefix>/bin
    for parent in Path(__file__).absolute().parents[3:7]:
        if os.access(parent / "bin" / name, os.X_OK) and (parent / "bin" / name).is_file():
            return str(parent / "bin" / name)
    return shutil.which(name)


def find_engine() -> str:
    program = find_program("gamelan-engine", "GAMELAN_ENGINE")
    if not program:
        named = os.environ.get("GAMELAN_ENGINE")
        where = f"GAMELAN_ENGINE names {named}, which cannot be run" if named else "gamelan-engine was not found"
        mend = "build it with `cmake --preset release && cmake --build build`, or set GAMELAN_ENGINE to its path"
        if named and (own := _own_program("gamelan-engine")):
            mend = f"unset GAMELAN_ENGINE, then {own} is taken"
        raise EngineMissingError(f"{where}: {mend}")
    return program


def find_mpiexec() -> str:
    """The mpiexec of the engine's MPI; another MPI's would start N engines of one rank each."""
    engine = find_program("gamelan-engine", "GAMELAN_ENGINE")
    if engine and _hydra.is_engine_of_mpich(engine):
        return _find_hydra(engine)
    named = os.environ.get("GAMELAN_MPIEXEC")
    advice = "install Open MPI: apt-get install openmpi-bin (or set GAMELAN_MPIEXEC to its mpiexec)"
    if named:
        if not shutil.which(named):
            raise MpiexecMissingError(f"GAMELAN_MPIEXEC names {named}, which cannot be run: {advice}")
        return named
    library = _mpi_library.loaded_by(engine) if engine else None
    for folder in _mpi_library.prefixes(library[1]) if library else ():
        for name in ("mpiexec.openmpi", "mpiexec"):
            program = str(folder / "bin" / name)
            if os.access(program, os.X_OK) and (name != "mpiexec" or _is_open_mpi(_version_of(program))):
                return program
    program = shutil.which("mpiexec.openmpi")
    if program:
        return program
    program = shutil.which("mpiexec")
    if not program:
        raise MpiexecMissingError(f"mpiexec was not found: {advice}")
    version = _version_of(program)
    if not _is_open_mpi(version):
        told = next(iter(version.splitlines()), "does not say which")
        raise MpiexecMissingError(f"{program} is not Open MPI's ({told}): {advice}")
    return program


def _is_open_mpi(version: str) -> bool:
    return "Open MPI" in version or "OpenRTE" in version


def _version_of(program: str) -> str:
    """What an mpiexec says of itself; nothing where it does not answer."""
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _find_hydra(engine: str) -> str:
    named = os.environ.get("GAMELAN_MPIEXEC")
    tried = []
    for name in [named] if named else _hydra.MPIEXECS:
        program = shutil.which(name)
        if not program:
            continue
        if _hydra.is_hydra(_version_of(program)):
            return program
        tried.append(f"{program} is another MPI's")
    told = "; ".join(tried) or (f"GAMELAN_MPIEXEC names {named}, which cannot be run" if named else "mpiexec was not found")
    raise MpiexecMissingError(f"{engine} was built with MPICH, and {told}: {_hydra.ADVICE}")


def require_shared_memory(ranks: int, directory: str = "/dev/shm") -> None:
    """Raise SharedMemoryError when not even empty engines fit: Open MPI would die with SIGBUS later."""
    try:
        facts = os.statvfs(directory)
    except OSError as error:
        raise SharedMemoryError(f"{directory} cannot be used ({error.strerror}): engines share memory there") from None
    free, total, needed = facts.f_bavail * facts.f_frsize, facts.f_blocks * facts.f_frsize, ranks * _SHM_BYTES_PER_RANK
    if free < needed:
        raise SharedMemoryError(
            f"{directory} has {free >> 20} MiB free of {total >> 20} MiB, {ranks} engines need {needed >> 20} MiB before "
            f"the first array: remove files there (ls -l {directory}), in a container start it with a larger one "
            f"(docker run --shm-size=4g), as root: mount -o remount,size=4g {directory}"
        )


def scarce_shared_memory(ranks: int, directory: str = "/dev/shm") -> str:
    """One sentence for who starts engines where arrays have next to no room, as in a container; "" where they have."""
    facts = os.statvfs(directory)
    total = facts.f_blocks * facts.f_frsize
    if ranks == 1 or total >= _SCARCE_SHM_BYTES:
        return ""
    return (
        f"{directory} has only {total >> 20} MiB, and all arrays live there: start the container with more "
        f"(docker or podman run --shm-size=4g), or as root: mount -o remount,size=4g {directory}"
    )


def command(ranks: int, directory: Path, engine_arguments: list[str]) -> list[str]:
    mpiexec, engine = find_mpiexec(), find_engine()
    if _hydra.is_engine_of_mpich(engine):
        return _hydra.command(mpiexec, ranks, engine, engine_arguments)
    (directory / "ompi").mkdir(mode=0o700, exist_ok=True)
    options = _open_mpi.options_on_one_node(_open_mpi.release(mpiexec), directory / "ompi")
    return [mpiexec, *options, "-np", str(ranks), engine, *engine_arguments]


def environment() -> dict[str, str]:
    """Ours, without what an enclosing MPI or Slurm job says to its own processes: these engines are a job apart."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    inherited.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", **_hydra.ENVIRONMENT)
    if os.geteuid() == 0:  # as in most containers
        inherited.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return inherited


def spawn(arguments: list[str], log: Path) -> subprocess.Popen:
    """Start in a process session of its own, so that a terminal's Ctrl-C stops the cell and not the engines."""
    with open(log, "ab") as output:
        try:
            return subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment(),
                start_new_session=True,
                close_fds=True,
                cwd="/",
            )
        except OSError as error:
            raise LaunchError(f"cannot run {arguments[0]}: {error.strerror}") from None


def job_family(directory: Path) -> int | None:
    """The part of Open MPI's job id that names its files, once mpiexec has told it."""
    return _open_mpi.job_family(directory / "ompi" / "uri")


def _children_of(pid: int | str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []


def rank_processes(launcher_pid: int) -> list[dict]:
    """The ranks under a local mpiexec: rank, pid, state, processor seconds and resident bytes, from /proc."""
    ranks = []
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    children = _children_of(launcher_pid)
    for pid in children + [each for child in children for each in _children_of(child)]:  # Hydra's are beneath its proxy
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
        except (OSError, IndexError):
            continue
        rank = next((int(entry.partition(b"=")[2]) for entry in variables if entry.startswith(_RANK_VARIABLES)), None)
        if rank is not None:
            ranks.append(
                {
                    "rank": rank,
                    "pid": int(pid),
                    "state": fields[0],
                    "cpu_seconds": (int(fields[11]) + int(fields[12])) / ticks,
                    "resident_bytes": resident,
                }
            )
    return sorted(ranks, key=lambda entry: entry["rank"])


def end_left_ranks(connection_file: str | os.PathLike) -> None:
    """Kill ranks of these engines that their mpiexec has left: one that fails, or is killed, while it starts many. Those that
    are about to end by themselves have two seconds for it."""
    left = [descriptor for entry in Path("/proc").iterdir() if (descriptor := _rank_of(entry, os.fsencode(connection_file)))]
    limit = time.monotonic() + 2
    for descriptor in left:
        try:
            rest_ms = max(0, int((limit - time.monotonic()) * 1000))
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(rest_ms):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        except ProcessLookupError:
            pass
        finally:
            os.close(descriptor)


def _rank_of(entry: Path, connection_file: bytes) -> int | None:
    """A descriptor of a process that is a rank of these engines; None where it is none."""
    if not entry.name.isdigit():
        return None
    try:
        if entry.stat().st_uid != os.geteuid():
            return None
        descriptor = os.pidfd_open(int(entry.name))
    except OSError:
        return None
    with contextlib.suppress(OSError):  # of the process that the descriptor holds
        words = (entry / "cmdline").read_bytes().split(b"\0")
        variables = (entry / "environ").read_bytes().split(b"\0")
        is_rank = any(each.startswith(_RANK_VARIABLES) for each in variables)
        if is_rank and (b"--connection-file", connection_file) in zip(words, words[1:], strict=False):
            return descriptor
    os.close(descriptor)
    return None


if sys.platform != "linux":
    raise ImportError("gamelan starts engines on Linux only")
