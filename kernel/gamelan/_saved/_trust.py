# SPDX-License-Identifier: BSD-3-Clause
"""Whose files these are. A pickle is a program: it is read only from a file that nobody but this user, or root, could have
written, in a folder that nobody else could have put there. Every step of the way is opened without following links and
checked by its open descriptor, so that nothing can be exchanged between the check and the use."""

import errno
import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # never waits for a pipe
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class TrustedFolder:
    """An open folder of this user's, at the end of a path that no other user can change. Use it in a `with`."""

    def __init__(self, path):
        self.path = os.path.realpath(os.fspath(path))
        self._descriptor = _open_each(self.path)
        try:
            _require_own(os.fstat(self._descriptor), self.path)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self._descriptor)

    def open(self, name):
        """An open file of the folder, `name` may lead through folders of it. FileNotFoundError where there is none."""
        *folders, last = name.split("/")
        path, folder = self.path, os.dup(self._descriptor)
        try:
            for each in folders:
                path = os.path.join(path, each)
                folder = _stepped(folder, each, path)
                _require_own(os.fstat(folder), path)
            path = os.path.join(path, last)
            descriptor = _opened(last, _FILE, folder, path)
        finally:
            os.close(folder)
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise PermissionError(errno.EPERM, "this is no file", path)
            _require_own(about, path)
            return os.fdopen(descriptor, "rb", buffering=0)
        except BaseException:
            os.close(descriptor)
            raise


def why_refused(path):
    """What keeps a folder from being loaded, in a sentence; empty where nothing does."""
    try:
        TrustedFolder(path).close()
    except OSError as error:
        return f"{error.strerror}: {error.filename}"
    return ""


def _open_each(path):
    """The folder, opened step by step from the root; no step is one that another user could replace."""
    folder, so_far = os.open("/", _FOLDER), "/"
    for name in path.split("/")[1:]:
        if not name:
            continue
        try:
            _require_safe_parent(os.fstat(folder), so_far)
        except BaseException:
            os.close(folder)
            raise
        so_far = os.path.join(so_far, name)
        folder = _stepped(folder, name, so_far)
    return folder


def _stepped(folder, name, path):
    """The folder in that folder, which is closed."""
    try:
        return _opened(name, _FOLDER, folder, path)
    finally:
        os.close(folder)


def _opened(name, flags, folder, path):
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP or error.errno == errno.ENOTDIR and os.path.islink(path):
            raise PermissionError(errno.EPERM, "a symbolic link stands in the way", path) from None
        raise type(error)(error.errno, error.strerror, path) from None


def _require_safe_parent(about, path):
    """In a folder with the sticky bit, as /tmp, only the owner of an entry can rename it."""
    if about.st_uid not in (0, os.geteuid()):
        raise _refused(f"belongs to another user ({_name(about.st_uid)}), who could exchange what is in it", path)
    if about.st_mode & _OTHERS_WRITE and not about.st_mode & stat.S_ISVTX:
        raise _refused("can be written by others, who could exchange what is in it (chmod go-w)", path)


def _require_own(about, path):
    if about.st_uid != os.geteuid():
        raise _refused(f"belongs to another user ({_name(about.st_uid)})", path)
    if about.st_mode & _OTHERS_WRITE:
        raise _refused("can be written by others (chmod go-w)", path)


def _refused(why, path):
    return PermissionError(
        errno.EPERM, f"a session has pickles, which could run programs of others; refused, because this {why}", path
    )


def _name(number):
    import pwd  # only an error needs it

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"number {number}"
