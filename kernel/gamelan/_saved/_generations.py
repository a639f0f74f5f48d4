# SPDX-License-Identifier: BSD-3-Clause
"""Where the values of a notebook are kept between its kernels: a private folder for each notebook, and in it one for each kernel
that had it. One kernel at a time has the lock; old folders are removed."""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import socket
import time

from .._launch._sessions import make_private, user_folder

MOST_DAYS, MOST_GENERATIONS = 14, 5
_ENDED = "ended"  # a file that an orderly end leaves


class NotebookFolder:
    """The folder of one notebook of this user's. `name` tells notebooks apart: the notebook's path, or a connection file."""

    def __init__(self, name):
        base = make_private(user_folder("XDG_STATE_HOME", "state") / "gamelan-notebooks")
        self.path = make_private(base / hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:20])
        self._base, self._lock, self._own = base, None, None
        note = self.path / "notebook"  # for who looks at the folder
        with contextlib.suppress(OSError):
            note.touch(0o600)
            note.write_text(name + "\n", errors="surrogateescape")

    def lock(self):
        """Takes the notebook for this kernel; who else has it, in words, where it is taken, else nothing."""
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            pid, host = _holder(descriptor)
            is_dead = host == socket.gethostname() and not os.path.exists(f"/proc/{pid}")  # a child of its holds the lock
            if error.errno == errno.EWOULDBLOCK and not is_dead:
                os.close(descriptor)
                return f"process {pid} on {host}" if host else "another process"
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
        self._lock = descriptor  # until this process ends
        return ""

    def own(self):
        """The folder of this kernel."""
        if self._own is None:
            name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
            self._own = self.path / name
            self._own.mkdir(mode=0o700)
        return self._own

    def earlier(self):
        """The folders of kernels before this one, the newest first, and whether each ended in order."""
        found = [each for each in self.path.iterdir() if each.is_dir() and each != self._own]
        found.sort(key=lambda each: each.name, reverse=True)
        return [(each, (each / _ENDED).exists()) for each in found if (each / "manifest.json").exists()]

    def end(self, is_found_again):
        """This kernel ends in order. Where no other kernel could find the folder again, it goes."""
        if self._lock is not None and not is_found_again:
            shutil.rmtree(self.path, ignore_errors=True)
            with contextlib.suppress(OSError):
                self._base.rmdir()  # the last one
        elif self._own is not None:
            with contextlib.suppress(OSError):
                (self._own / _ENDED).touch(0o600)

    def remove_old(self):
        """Removes folders of kernels that are many or old, and of notebooks that nobody has opened for long."""
        limit = time.time() - MOST_DAYS * 86400
        for number, (folder, _) in enumerate(self.earlier()):
            if number >= MOST_GENERATIONS or _time_of(folder) < limit:
                shutil.rmtree(folder, ignore_errors=True)
        for folder in self._base.iterdir():
            if folder != self.path and _newest_in(folder) < limit:
                shutil.rmtree(folder, ignore_errors=True)


def _holder(descriptor):
    words = os.pread(descriptor, 300, 0).decode(errors="replace").split()
    return (words[0], words[1]) if len(words) == 2 else ("", "")


def _time_of(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _newest_in(folder):
    try:
        return max(map(_time_of, [folder, *folder.iterdir()]))
    except OSError:
        return time.time()  # somebody else removes it, or it is none of ours
