# SPDX-License-Identifier: BSD-3-Clause
"""How a folder that is named by its path comes into being: beside its place under another name, written to the disk, and
renamed when all of it is there. What goes wrong before leaves the old folder and nothing else."""

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import signal

from .. import _core

_libc = ctypes.CDLL(None, use_errno=True)
_EXCHANGE = 2  # renameat2's flag
_HERE = -100  # AT_FDCWD
_NO_SUCH_CALL = errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EBADF  # of file systems that cannot flush a folder


class NewFolder:
    """A folder that takes the place of `path` when the `with` ends well; `path` is where it is until then. An old one is
    replaced only if `is_replaceable(path)`."""

    def __init__(self, path, is_replaceable):
        named = os.fsdecode(os.fspath(path))
        self._target, self._is_replaceable = os.path.realpath(named), is_replaceable
        self.path = os.path.join(os.path.dirname(self._target), f".gamelan-{secrets.token_hex(8)}")
        self._named = named
        self._require_replaceable()

    def _require_replaceable(self):
        if os.path.lexists(self._target) and not self._is_replaceable(self._target):
            raise FileExistsError(errno.EEXIST, "something that is no saved session has this name", self._named)

    def __enter__(self):
        try:
            os.mkdir(self.path, 0o700)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, self._named) from None
        return self

    def __exit__(self, kind, error, traceback):
        try:
            if kind is None:
                self._finish()
            elif isinstance(error, OSError):
                self._name_in(error)
        finally:
            with uninterrupted():  # a second interrupt, while what the first has left is removed
                shutil.rmtree(self.path, ignore_errors=True)

    def _name_in(self, error):
        """The user does not know of the other folder; and a write to a full disk names none."""
        if error.filename is None and error.errno is not None:
            error.filename = self._named
        elif isinstance(error.filename, str) and error.filename.startswith(self.path):
            error.filename = self._named + error.filename[len(self.path) :]

    def create(self, name):
        """A new file of the folder, open for writing; folders on the way are made."""
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        return os.fdopen(descriptor, "w+b")

    def write(self, name, data):
        with self.create(name) as file:
            file.write(data)
            synchronise(file)

    def _finish(self):
        for folder, _, _ in os.walk(self.path, topdown=False):
            _synchronise_folder(folder)
        self._require_replaceable()  # it may have come meanwhile
        if os.path.lexists(self._target):
            _exchange(self.path, self._target)
            _core.lose_file(self._target)
        else:
            os.rename(self.path, self._target)
        _synchronise_folder(os.path.dirname(self._target))


@contextlib.contextmanager
def uninterrupted():
    """An interrupt comes before this or after it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def synchronise(file):
    """Returns when what was written has reached the disk."""
    file.flush()
    os.fsync(file.fileno())


def _synchronise_folder(path):
    """As `synchronise`, of a folder's names, where the file system has that and the folder may be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
    finally:
        os.close(descriptor)


def _exchange(new, old):
    """The two folders change their names, at once where the file system can. Else there is a moment without either."""
    renameat2 = getattr(_libc, "renameat2", None)
    if renameat2 is not None and renameat2(_HERE, os.fsencode(new), _HERE, os.fsencode(old), _EXCHANGE) == 0:
        return
    aside = f"{new}-old"
    os.rename(old, aside)
    try:
        os.rename(new, old)
    except BaseException:
        os.rename(aside, old)
        raise
    os.rename(aside, new)
