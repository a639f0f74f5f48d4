# SPDX-License-Identifier: BSD-3-Clause
"""What a result depends on and does not say itself: the machine, the versions, the commit."""

import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Threads of OpenBLAS and OpenMP spin that long after their work: they would disturb the next competitor.
QUIET_S = 0.15


def facts():
    """Facts of this machine and this checkout, as they go into results.json."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": cpu_model(),
        "memory_bytes": memory("MemTotal"),
        "load_before": os.getloadavg()[0],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": said("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"),
        "mpi": (said("mpiexec.openmpi", "--version").splitlines() or [""])[0],
        "date": said("date", "--utc", "+%Y-%m-%d %H:%M UTC"),
    }


def cpu_model():
    found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def memory(name):
    """A line of /proc/meminfo, in bytes."""
    found = re.search(rf"^{name}:\s*(\d+) kB$", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def said(*command):
    """What a command prints; "" when it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
