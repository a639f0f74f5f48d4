# SPDX-License-Identifier: BSD-3-Clause
"""What a machine or a shell withholds from engines that did not start: read from Open MPI's words and this process's limits.

Used by _ensemble.py when the engines have ended before they served. Open MPI's own words for it need an expert.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
from pathlib import Path

from ._ending import quoted_tail

_NETWORK = r"unable to find network interfaces"
_LIBRARY = r"error while loading shared libraries: (\S+):|(\S+: version `\S+' not found)"
_FILES = r"number of pipes (?:a process can open|that can be open)|[Tt]oo many open files"


def other_system(program: str, lacking: str) -> str:
    """What is wrong with a program of ours that finds no library, or an older one than it was linked with, and what to do."""
    return (
        f"{program} was built for another system than this one ({lacking} is not here): install the package that was made for "
        "this distribution, or build it here: `pip install .` in Gamelan's sources"
    )


def libraries(program: str) -> str:
    """The libraries, and the versions of libraries, that a program of ours does not find here; empty where it finds all."""
    real = Path(os.path.realpath(program))
    loaded = real.parent.parent / "lib/gamelan" / f"{real.name}.so"  # the kernel's program loads the rest when it starts
    files = [program, str(loaded)] if loaded.is_file() else [program]
    try:
        done = subprocess.run(["ldd", *files], capture_output=True, text=True, timeout=20, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    missing = re.findall(r"(\S+) => not found", done.stdout) + re.findall(r"(\S+: version `\S+') not found", done.stderr)
    return ", ".join(dict.fromkeys(missing))


def explain_start(log: str, reason: str) -> str:
    """Why engines that ended for `reason` did not start, with what to do where that is known."""
    told = quoted_tail(log)
    if re.search(_NETWORK, told):
        return (
            "the engines did not start: no network interface is up, and Open MPI needs one, if only the loopback: ip link set lo "
            "up (as root)"
        )
    if found := re.search(_LIBRARY, told):
        return f"the engines did not start: {other_system('gamelan-engine', found[1] or found[2])}"
    if re.search(_FILES, told):
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return (
            f"the engines did not start: a process may have only {files} files open here, and mpiexec needs more: ulimit -n 1024"
        )
    space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if space != resource.RLIM_INFINITY and "gamelan-engine:" not in told:  # Open MPI fails in many ways, and never says so
        return (
            f"{reason}, before they served. A process may have only {space >> 20} MiB of address space here; if "
            f"that is the cause, "
            f"ulimit -v unlimited mends it{told}"
        )
    named = os.environ.get("GAMELAN_ENGINE")
    doubt = f". GAMELAN_ENGINE names {named}: is that the engine of this installation?" if named else ""
    return f"{reason}, before they served{doubt}{told}"
