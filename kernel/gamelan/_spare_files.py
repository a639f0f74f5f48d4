# SPDX-License-Identifier: BSD-3-Clause
"""Files in memory of a checkpoint that nobody reads any more, over which the next one is written. The system gives fresh pages
page by page and clears them, and takes them back page by page: together that takes three times as long as copying the arrays."""

import contextlib
import os
import shutil
import threading
from pathlib import Path

_MOST = 3  # times as many bytes as are spared must be free, so that arrays can grow


def free_memory():
    """Bytes that files in memory may still take."""
    facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return min(int(facts["MemAvailable"].split()[0]) * 1024, shutil.disk_usage("/dev/shm").free)


class SpareFiles:
    """Of one checkpoint at most. Another thread may give a folder, or have it dropped, while files are taken."""

    def __init__(self):
        self._folder, self._lock = None, threading.RLock()

    def adopt(self, path):
        """Keeps the files of this folder where there is much memory, instead of those that it had. False where there is not."""
        with self._lock:
            self.drop()
            try:
                count = 0
                for file in path.iterdir():
                    facts = file.lstat()
                    if facts.st_nlink > 1 or file.suffix != ".npy":  # a newer checkpoint has it, too; the manifest
                        file.unlink()
                    else:
                        count += facts.st_size
                if count == 0 or _MOST * count > free_memory():
                    return False
                spare = path.with_name("spare")
                path.rename(spare)
            except OSError:
                return False
            self._folder = spare
            return True

    def take(self, file, count):
        """Gives a file that had about `count` bytes this name and this length. False where there is none."""
        with self._lock:
            if self._folder is None:
                return False
            try:
                sizes = {path: path.stat().st_size for path in self._folder.iterdir()}
                nearest = min(sizes, key=lambda path: abs(sizes[path] - count), default=None)
                if nearest is None or not sizes[nearest] <= 2 * count <= 4 * sizes[nearest]:
                    return False
                nearest.rename(file)
                if os.lstat(file).st_nlink > 1:  # somebody else took it over while it lay here
                    raise FileExistsError(file)
                os.truncate(file, count)
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(file)
                return False
            return True

    def drop(self):
        with self._lock:
            spare, self._folder = self._folder, None
            if spare is not None:
                shutil.rmtree(spare, ignore_errors=True)
