# SPDX-License-Identifier: BSD-3-Clause
"""The process by which a test cluster stands and falls: holds its namespaces and its folder, and ends both.

Started by namespaces.py with a pipe as standard input, which nobody else holds: when whoever started the cluster ends,
however that happens, the pipe closes, and here PID 1 of the cluster's process namespace is killed. With it the system
kills every process of every host; network namespaces, devices and mounts go with the last process. The folder is
removed afterwards. Should this process itself be killed, the same dies with it, and the next cluster takes the folder.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PLACE = Path("/var/tmp")  # not /tmp: each host has its own
PREFIX = "orchestra-"
# PID 1 adopts and reaps orphans. --kill-child and --pdeathsig: the links by which death goes down the chain.
HOLD = [
    "setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    "--net",
    "--mount",
    "--pid",
    "--uts",
    "--ipc",
    "--fork",
    "--kill-child=KILL",
    "--mount-proc",
    "bash",
    "-c",
    "echo up; sleep infinity & wait",
]


def take(folder):
    """The lock on a cluster's folder, or None when its guard lives."""
    try:
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def sweep():
    """Remove the folders of guards that were killed."""
    for folder in PLACE.glob(PREFIX + "*"):
        lock = take(folder) if folder.stat().st_uid == os.geteuid() else None
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def make_folder():
    """Locked before it has the name that `sweep` looks for."""
    folder = Path(tempfile.mkdtemp(prefix=".orchestra-", dir=PLACE))
    folder.chmod(0o755)
    lock = take(folder)
    return folder.rename(PLACE / (PREFIX + folder.name[-6:])), lock


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started us
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    with contextlib.suppress(OSError):
        sweep()
    folder, lock = make_folder()
    holder = None
    try:
        holder = subprocess.Popen(HOLD, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd="/")
        if holder.stdout.readline() != "up\n":
            return f"cannot make namespaces: unshare ended with {holder.wait(10)}"
        children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
        print(folder, *children, flush=True)
        sys.stdin.read()
    finally:
        if holder:
            holder.kill()
            holder.wait()
            holder.stdout.read()  # ends when PID 1, which writes there, is no more
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
