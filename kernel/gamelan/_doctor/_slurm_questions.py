# SPDX-License-Identifier: BSD-3-Clause
"""The doctor's questions about a cluster: does Slurm answer, can srun and MPI find each other, is the shared folder private?

Asked only where Slurm's commands are. Part of _questions.py; changes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

from .._launch import _sessions, _slurm
from .._launch._errors import LaunchError, SlurmError

# (state, what, advice), as _questions.Verdict has them
Told = tuple[str, str, str]


def questions() -> Iterator[Told]:
    """Everything about Slurm; nothing where there is none."""
    if not shutil.which("sbatch"):
        return
    yield from _controller()
    yield from _pmi()
    yield from _shared_folder()
    yield from _script()


def _controller() -> Iterator[Told]:
    try:
        said = _slurm.ping()
    except SlurmError as error:
        yield "warn", f"Slurm: commands are installed, no cluster answers ({error})", "engines on this machine work without it"
        return
    if not said:
        yield (
            "warn",
            "Slurm: commands are installed, no cluster answers",
            "engines on this machine work without it; " "`scontrol ping` says what is wrong",
        )
        return
    yield "ok", f"Slurm: {said}; {_slurm.describe_partitions()}", ""
    try:
        jobs = [job for job in _slurm.my_jobs().values() if job.name.startswith("gamelan")]
    except SlurmError:
        return
    if jobs:
        yield "ok", "Slurm: jobs with engines: " + ", ".join(f"{job.id} ({job.state.lower()})" for job in jobs), ""


def _pmi() -> Iterator[Told]:
    try:
        done = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return
    if done.returncode:
        return  # no Slurm that is configured: told above
    found = set(re.findall(r"\bpmix(?:_v\d)?\b", done.stdout + done.stderr))
    chosen = re.search(r"--mpi=(\S+)", os.environ.get("GAMELAN_SRUN_OPTIONS", ""))
    if chosen and chosen[1] not in (done.stdout + done.stderr):
        yield (
            "fail",
            f"Slurm: GAMELAN_SRUN_OPTIONS asks for --mpi={chosen[1]}, which srun does not have",
            "srun --mpi=list shows what there is",
        )
    elif found:
        yield "ok", "Slurm: srun speaks PMIx, as Open MPI does", ""
    else:
        yield (
            "warn",
            "Slurm: srun has no PMIx",
            "Debian's Open MPI needs it: install Slurm's pmix plug-in, or an Open MPI with "
            "PMI-2 and GAMELAN_SRUN_OPTIONS=--mpi=pmi2",
        )


def _shared_folder() -> Iterator[Told]:
    """Compute nodes must see it; that nobody else does is checked on every use."""
    base = _sessions.shared_base()
    place = base
    while not place.exists():
        place = place.parent
    kind = _file_system(str(place))
    try:
        if base.exists():
            _sessions.require_private(base)
    except LaunchError as error:
        yield "fail", f"Slurm: the folder of sessions {base}", str(error)
        return
    if not os.access(place, os.W_OK):
        yield "fail", f"Slurm: the folder of sessions {base} cannot be written", "GAMELAN_SHARED_DIR names another one"
    elif kind in ("tmpfs", "ramfs", "overlay"):
        yield (
            "warn",
            f"Slurm: the folder of sessions {base} is on {kind}, which compute nodes may not see",
            "GAMELAN_SHARED_DIR names a folder on a file system that login and compute nodes share",
        )
    else:
        yield "ok", f"Slurm: sessions live in {base} ({kind or 'unknown file system'}); compute nodes must see it, too", ""


def _file_system(path: str) -> str:
    best = ("", "")
    try:
        with open("/proc/self/mounts") as mounts:
            for line in mounts:
                _, mount, kind = line.split()[:3]
                if (path == mount or path.startswith(mount.rstrip("/") + "/")) and len(mount) >= len(best[0]):
                    best = (mount, kind)
    except OSError:
        pass
    return best[1]


def _script() -> Iterator[Told]:
    try:
        yield "ok", f"Slurm: job script {_slurm.job_script()}", ""
    except SlurmError as error:
        yield "fail", "Slurm: job script", str(error)
