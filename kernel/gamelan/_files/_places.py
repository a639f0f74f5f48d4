# SPDX-License-Identifier: BSD-3-Clause
"""Where a file is, as the engines must know it, and how a file comes into being: under another name in the same directory,
with its space reserved, flushed to the disk, renamed at the end. Whatever goes wrong before leaves the old file and
nothing else. The notebook does all this; its name for the file is the engines' name too."""
import contextlib
import ctypes
import errno
import io
import os
import secrets
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
        if not number:
            os.ftruncate(descriptor, size)
    if number:
        raise OSError(number, os.strerror(number), path)


class Replacement:
    """A file that takes the place of another when the `with` ends well: `path` and `file` are those of the new one."""

    def __init__(self, path):
        self._named = os.fsdecode(os.fspath(path))
        self._target = resolve(path)
        directory = os.path.dirname(self._target)
        mode = None
        if os.path.isdir(self._target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self._named)
        if os.path.exists(self._target):
            if not os.access(self._target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self._named)
            mode = stat.S_IMODE(os.stat(self._target).st_mode)
        self.path = os.path.join(directory, f".gamelan-{secrets.token_hex(8)}")
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._named) from None
        self.file = os.fdopen(descriptor, "w+b")
        if mode is not None:
            os.fchmod(descriptor, mode)

    def reserve(self, size):
        reserve(self.file.fileno(), size, self._named)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        try:
            if kind is None:
                self._finish()
            elif isinstance(error, OSError) and error.filename == self.path:
                error.filename = self._named  # the user does not know of the other
        finally:
            self._drop()

    def _finish(self):
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        os.rename(self.path, self._target)
        self.path = None
        try:
            directory = os.open(os.path.dirname(self._target), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return  # a directory that may be written but not read
        try:
            os.fsync(directory)
        except OSError:
            pass  # not every file system has it; the file itself is on the disk
        finally:
            os.close(directory)

    def _drop(self):
        if self.path is None:
            return
        try:
            self.file.close()
        except OSError:
            pass  # what cannot be written is not wanted any more
        with contextlib.suppress(OSError):  # the error that brought us here is the one to tell
            os.unlink(self.path)
