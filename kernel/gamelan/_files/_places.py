# SPDX-License-Identifier: BSD-3-Clause
"""Where a file is, as the engines must know it, and space for it. The notebook asks; its name for the file is the engines'
name too."""

import ctypes
import errno
import io
import os
import stat
import tempfile

_FILES = (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom)
_libc = ctypes.CDLL(None, use_errno=True)


def is_path(file):
    return isinstance(file, (str, bytes, os.PathLike))


def resolve(path):
    """The absolute path without symbolic links, as text."""
    return os.path.realpath(os.fsdecode(os.fspath(path)))


def is_plain(path):
    """Can the file be replaced by another of that name? A device, a pipe or a socket cannot."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


def path_of(file):
    """The path of an open file that has one and holds just its own bytes; else None."""
    if isinstance(file, tempfile._TemporaryFileWrapper):
        file = file.file
    if not isinstance(file, _FILES) or not isinstance(getattr(file, "raw", file), io.FileIO):
        return None
    about = os.fstat(file.fileno())
    try:
        path = os.readlink(f"/proc/self/fd/{file.fileno()}")
        return path if stat.S_ISREG(about.st_mode) and os.path.samestat(about, os.stat(path)) else None
    except OSError:
        return None


def reserve(descriptor, size, path):
    """Space for a file of `size` bytes, or OSError(ENOSPC) before anything is written."""
    if size <= 0:
        return
    result = _libc.fallocate(descriptor, 0, ctypes.c_int64(0), ctypes.c_int64(size))
    number = ctypes.get_errno() if result else 0
    if number in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL):  # not on this file system
        about = os.fstatvfs(descriptor)
        number = errno.ENOSPC if about.f_bavail * about.f_frsize < size else 0
        if not number and os.fstat(descriptor).st_size < size:
            os.ftruncate(descriptor, size)
    if number:
        raise OSError(number, os.strerror(number), path)
