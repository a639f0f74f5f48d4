# SPDX-License-Identifier: BSD-3-Clause
"""What differs between the releases of Open MPI: 4.1 (Debian 12) and 5.0 (Debian 13), whose mpiexec is PRRTE.

Options of mpiexec, and the job id in the names of its files. Used by _mpiexec.py; the Slurm script asks the engine itself
(`gamelan-engine --version`), since a compute node needs no mpiexec.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

_OLDEST = (4, 1)


@functools.cache
def release(mpiexec: str) -> tuple[int, int]:
    """The first two numbers of an mpiexec's version; 4.1 where it does not say them."""
    try:
        asked = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return _OLDEST
    found = re.search(r"\b(\d+)\.(\d+)", asked.stdout)  # "mpiexec (OpenRTE) 4.1.4", "mpiexec (Open MPI) 5.0.7"
    return (int(found[1]), int(found[2])) if found else _OLDEST


def options_on_one_node(release: tuple[int, int], directory: Path) -> list[str]:
    """Options of mpiexec for engines on this machine, whose files of the run time go to `directory`."""
    options = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "osc", "sm"]
    if release < (5, 0):
        options += ["--mca", "orte_tmpdir_base", str(directory)]
    else:
        # Without this it opens TCP, too, which complains of each IPv6 address of the machine.
        if "OMPI_MCA_btl" not in os.environ:
            options += ["--mca", "btl", "self,sm"]
        options += ["--prtemca", "prte_tmpdir_base", str(directory)]
    return [*options, "--report-uri", str(directory / "uri")]


def job_family(uri: Path) -> int | None:
    """The part of the job id that names files in shared memory, from what mpiexec wrote as its address.

    4.1 writes the number: "FAMILY<<16.0;address". 5.0 writes a name, as "prterun-HOST-PID@0.0;address", and its library
    makes the number of it: Jenkins' one-at-a-time hash of what stands before the @, folded to 16 bits.
    """
    try:
        name = uri.read_text().partition(";")[0]
    except OSError:
        return None
    number, _, _ = name.partition(".")
    if number.isdigit():
        return int(number) >> 16
    space, at, _ = name.rpartition("@")
    return _folded_hash(space) if at else None


def _folded_hash(text: str) -> int:
    hash32 = 0
    for byte in text.encode():
        hash32 = (hash32 + byte) & 0xFFFFFFFF
        hash32 = (hash32 + (hash32 << 10)) & 0xFFFFFFFF
        hash32 ^= hash32 >> 6
    hash32 = (hash32 + (hash32 << 3)) & 0xFFFFFFFF
    hash32 ^= hash32 >> 11
    hash32 = (hash32 + (hash32 << 15)) & 0xFFFFFFFF
    return (hash32 >> 16) ^ (hash32 & 0xFFFF)
