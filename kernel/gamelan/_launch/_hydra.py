# SPDX-License-Identifier: BSD-3-Clause
"""The other family of MPI: MPICH, Intel's and Cray's, whose mpiexec is Hydra: is an engine of it, its command, its words.

Pure text and files. Used by _mpiexec.py, which starts what it says, and by _ending.py.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

# The names of MPICH's library, in Debian and in its ABI; Cray's have a compiler in them.
_MPICH_LIBRARY = re.compile(rb"libmpi(?:ch\.so|\.so\.12\b|_(?:cray|gnu|intel)[_0-9]*\.so)")
MPIEXECS = ("mpiexec.mpich", "mpiexec.hydra", "mpiexec")
ADVICE = "install MPICH: apt-get install mpich (or set GAMELAN_MPIEXEC to the mpiexec of the MPI that the engine was built with)"
# Hydra takes these also where Intel's has other options: no ssh to this very machine, no rank tied to a core.
ENVIRONMENT = {"HYDRA_LAUNCHER": "fork", "I_MPI_HYDRA_BOOTSTRAP": "fork", "I_MPI_PIN": "0"}
_KILLED = re.compile(r"BAD TERMINATION.*?RUNNING AT (\S+)\s.*?(?:KILLED BY SIGNAL: |\(signal )(\d+)", re.DOTALL)
_ABORTED = re.compile(r"[Aa]bort\((-?\d+)\) on node \d+ \(rank (\d+) in ")


def is_engine_of_mpich(engine: str) -> bool:
    """Was this engine linked with MPICH or one of its ABI? Read from the names in the file; the program is not run."""
    try:
        return _names_mpich(engine, Path(engine).stat().st_mtime_ns)
    except OSError:
        return False


@functools.lru_cache
def _names_mpich(engine: str, _built: int) -> bool:
    return _MPICH_LIBRARY.search(Path(engine).read_bytes()) is not None


def is_hydra(version: str) -> bool:
    """Is this what `mpiexec --version` of MPICH or Intel MPI says?"""
    return "HYDRA" in version or "Intel(R) MPI" in version


def command(mpiexec: str, ranks: int, engine: str, engine_arguments: list[str]) -> list[str]:
    return [mpiexec, "-n", str(ranks), engine, *engine_arguments]


def killed(text: str) -> tuple[str, int] | None:
    """The host and the signal of a rank that was killed, from Hydra's words; which rank it was they do not tell."""
    found = _KILLED.search(text)
    return (found[1], int(found[2])) if found else None


def aborted(text: str) -> tuple[int, int] | None:
    """The rank that called MPI_Abort, and its code."""
    found = _ABORTED.search(text)
    return (int(found[2]), int(found[1])) if found else None
