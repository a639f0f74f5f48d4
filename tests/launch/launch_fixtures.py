# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the launch tier: real mpiexec, real engines, a runtime directory of the test's own.

launch.py needs neither _core nor NumPy, so it is imported here as the command `gamelan` imports it: without the
package's __init__.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("GAMELAN_BUILD", Path(__file__).resolve().parents[2] / "build"))
COMMAND = BUILD / "bin" / "gamelan"

if "gamelan" not in sys.modules:
    package = types.ModuleType("gamelan")
    package.__path__ = [str(BUILD / "python" / "gamelan")]
    sys.modules["gamelan"] = package


def is_mpich():
    """Are the engines of the family of MPICH, whose mpiexec does not tell which rank died, and names no files by the job?"""
    from gamelan._launch import _hydra, _mpiexec

    return _hydra.is_engine_of_mpich(_mpiexec.find_engine())


@pytest.fixture
def runtime(monkeypatch):
    """A short private directory for sessions; at the end nothing may be left of them."""
    path = Path(tempfile.mkdtemp(prefix="gl-", dir="/tmp"))
    monkeypatch.setenv("GAMELAN_RUNTIME_DIR", str(path))
    monkeypatch.setenv("GAMELAN_SHARED_DIR", str(path / "shared"))
    for name in ("GAMELAN_ENGINES", "GAMELAN_CONNECT", "GAMELAN_IDLE_TIMEOUT", "GAMELAN_HEAP", "GAMELAN_LEASE"):
        monkeypatch.delenv(name, raising=False)
    yield path
    left = wait_until_gone(path)
    for pid in left:
        os.kill(pid, 9)
    shutil.rmtree(path, ignore_errors=True)
    assert not left, f"processes were left over: {left}"


def processes_of(path):
    """Ids of processes whose command line names the directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(str(path)) in words and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def wait_until_gone(path, seconds=5):
    deadline = time.monotonic() + seconds
    while processes_of(path) and time.monotonic() < deadline:
        time.sleep(0.05)
    return processes_of(path)


def shared_memory_of(family):
    """Files in /dev/shm of the mpiexec job with that id."""
    if family is None and is_mpich():
        return []  # its files have no names once engines serve
    return [name for name in os.listdir("/dev/shm") if re.search(rf"\b{family:04x}0001\b", name)]


@pytest.fixture
def gamelan(runtime):
    """The command, run to its end."""

    def run(*arguments, timeout=60, **settings):
        return subprocess.run(
            [str(COMMAND), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False, **settings
        )

    return run


def a_kernel_that_asks(folder, library, other):
    """A copy of the kernel that is linked with another library; the folders beside it are those of a build."""
    program, kernel = folder / "bin/gamelan-kernel", folder / "lib/gamelan/gamelan-kernel.so"
    for copy in (program, kernel):
        copy.parent.mkdir(parents=True)
        found = (BUILD / copy.relative_to(folder)).read_bytes()
        copy.write_bytes(found.replace(f"\0{library}\0".encode(), f"\0{other}\0".encode()))
    program.chmod(0o755)
    return program
