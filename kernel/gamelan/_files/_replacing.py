# SPDX-License-Identifier: BSD-3-Clause
"""How a file that is named by its path comes into being: under another name in the same directory, with its space reserved,
flushed to the disk, renamed at the end. Whatever goes wrong before leaves the old file and nothing else.

A rename makes another file of that name. Where that could be noticed by more than its contents, the old file is written in
place, as NumPy does it: when it has further names (hard links) or is open in this process, when the new one could not have its
owner, mode and attributes, and when it is empty, so that nothing is lost."""

import contextlib
import errno
import os
import secrets
import stat

from .. import _core
from ._places import reserve, resolve


class Replacement:
    """A file that takes the place of another when the `with` ends well: `path` and `file` are those of the new one, or of the
    old one where it is written in place. At the end `file` stands behind the last byte."""

    def __init__(self, path):
        self._named = os.fsdecode(os.fspath(path))
        self._target = resolve(path)
        if os.path.isdir(self._target) or self._named.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self._named)
        try:
            old = os.stat(self._named)
        except FileNotFoundError:
            old = None
        if old is not None and not os.access(self._target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self._named)
        self._was_empty = old is not None and old.st_size == 0
        self.is_in_place = old is not None and _is_known_elsewhere(old, self._target)
        if not self.is_in_place:
            self._begin(old)
        if self.is_in_place:
            self._open_old()

    def _begin(self, old):
        """A new file that is like the old one; the old one itself where there cannot be any."""
        self.path = os.path.join(os.path.dirname(self._target), f".gamelan-{secrets.token_hex(8)}")
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if old is None or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise OSError(error.errno, error.strerror, self._named) from None
            self.is_in_place = True
            return
        self.file = os.fdopen(descriptor, "w+b")
        if old is not None and not _is_made_like(descriptor, old, self._target):
            self._drop()
            self.is_in_place = True

    def _open_old(self):
        self.path = self._target
        is_readable = os.access(self._target, os.R_OK)
        try:
            descriptor = os.open(self._target, (os.O_RDWR if is_readable else os.O_WRONLY) | os.O_CLOEXEC)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._named) from None
        self.file = os.fdopen(descriptor, "w+b" if is_readable else "wb")

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
        if self.is_in_place:
            self.file.truncate()
        os.fsync(self.file.fileno())
        self.file.close()
        if not self.is_in_place:
            os.rename(self.path, self._target)
        self.path = None
        _core.lose_file(self._target)
        if self.is_in_place:
            return
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
        with contextlib.suppress(OSError):  # what cannot be written is not wanted any more
            self.file.close()
        with contextlib.suppress(OSError):  # the error that brought us here is the one to tell
            if not self.is_in_place:
                os.unlink(self.path)
            elif self._was_empty:
                os.truncate(self.path, 0)


def _is_known_elsewhere(old, path):
    """Would a file that is merely renamed to this path be missed by somebody, or is there nothing to save?"""
    return old.st_size == 0 or old.st_nlink > 1 or _is_open_here(old) and not _is_mapped_here(path)


def _is_open_here(old):
    """Has this process the file open? Who reads on in it expects what was saved."""
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(int(descriptor)), old):
                return True
    return False


def _is_mapped_here(path):
    """Is the file mapped into memory (numpy.memmap)? What is cut off a mapped file cannot be read any more."""
    with open("/proc/self/maps", errors="surrogateescape") as maps:
        return any(line.rstrip("\n").endswith(" " + path) for line in maps)


def _is_made_like(descriptor, old, path):
    """Gives a new file the owner, the mode and the attributes of the old one; False where that is not allowed."""
    try:
        new = os.fstat(descriptor)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        for name in _attributes_of(path):
            value = os.getxattr(path, name)
            if name not in _attributes_of(descriptor) or os.getxattr(descriptor, name) != value:
                os.setxattr(descriptor, name, value)
    except OSError:
        return False
    return True


def _attributes_of(file):
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.ENOSYS):
            return []  # this file system has none
        raise
