# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints: the arrays on the engines, in files, from which the session's log begins anew.

Engines that follow lost ones repeat the log (docs/decisions/036). A checkpoint makes that short: they read the files, and repeat
only what came later. A folder of checkpoints belongs to one session and goes with it; that of a killed process goes after
MOST_DAYS.
"""

import atexit
import contextlib
import json
import os
import shutil
import socket
import stat
import time
from pathlib import Path

import numpy

from . import _core
from ._config import config
from ._files._npy import header_of, save
from ._launch._sessions import process_start
from ._launch._tables import size
from ._next_engines import show_notice
from ._next_job import take_promise
from ._promotion import NAMES

__all__ = ["checkpoint"]

_MANIFEST = "manifest.json"
MOST_DAYS = 14  # that the folder of a killed process stays: as long as what is kept of notebooks, which may name it
_VERSION = 1
_SMALL = 4096  # elements that are kept in the log itself


class _Folder:
    """The checkpoints of this session in `config.protect`, of which one is valid at a time."""

    def __init__(self):
        self._base = None
        self._count = 0
        self._valid = None
        self._retired = []  # that a log on the disk may still name
        self.keeps_retired = False  # until remove_retired is called: a notebook's log is kept

    def next(self):
        """An empty folder for a checkpoint that is not yet valid."""
        wanted = os.path.abspath(config.protect)
        if self._base is None or self._base.parent != Path(wanted) or not self._base.is_dir():
            owner = f"{socket.gethostname()}-{os.getpid()}-{process_start(os.getpid())}"
            self._base = Path(wanted) / f"gamelan-{owner}-{time.time_ns():x}"
            os.makedirs(self._base, mode=0o700)
            _remove_left(Path(wanted))
        self._count += 1
        path = self._base / str(self._count)
        path.mkdir(mode=0o700)
        return path

    def accept(self, path):
        """This checkpoint is whole: the one before is not needed any more."""
        previous, self._valid = self._valid, path
        if previous is not None:
            self._retired.append(previous)
        if not self.keeps_retired:
            self.remove_retired()

    def remove_retired(self):
        """Removes what nobody reads any more."""
        while self._retired:
            path = self._retired.pop()
            shutil.rmtree(path, ignore_errors=True)
            if path.parent != self._base:
                with contextlib.suppress(OSError):
                    path.parent.rmdir()

    def remove(self):
        """The session ends."""
        self.remove_retired()
        for path in (self._valid, self._base):
            if path is not None:
                shutil.rmtree(path, ignore_errors=True)
        self._base = self._valid = None


def _remove_left(place):
    """Removes what killed processes of this host have left, when no kernel may need it any more."""
    limit = time.time() - MOST_DAYS * 86400
    for path in place.glob("gamelan-*-*"):
        with contextlib.suppress(OSError, ValueError):
            facts = path.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mtime > limit:
                continue
            host, pid, start, _ = path.name.removeprefix("gamelan-").rsplit("-", 3)
            if host == socket.gethostname() and process_start(int(pid)) != int(start):
                shutil.rmtree(path, ignore_errors=True)


folder = _Folder()


def checkpoint():
    """Write the arrays on the engines to `config.protect`, so that engines that follow lost ones read them there.

    Triggers evaluation. All engines write at the same time. The files are .npy, with a manifest in JSON; they belong to this
    session and are removed with it. Where `config.protect` is set this happens by itself, when repeating the commands since the
    last checkpoint would take longer than `config.protect_seconds`, and when a Slurm job is about to end.

    Returns
    -------
    int
        The bytes that were written.

    Raises
    ------
    ValueError
        If `config.protect` names no folder.
    OSError
        If the files cannot be written. The checkpoint before is still valid then.

    See Also
    --------
    save : Write one array to a file of your own.

    Notes
    -----
    Arrays that the log has lost already (`np.config.log_bytes`) are not written.

    Examples
    --------
    >>> import gamelan as np, tempfile
    >>> with tempfile.TemporaryDirectory() as directory, np.options(protect=directory):
    ...     x = np.ones(300_000)
    ...     np.checkpoint()
    2400128
    """
    if not config.protect:
        raise ValueError("np.config.protect names no folder: set it to one that the engines and this process see")
    if not _core.is_connected():
        return 0
    path = None
    _core.be_alone(True)
    try:
        _core.flush(True)
        _core.wait_for_others()
        begin = time.monotonic()
        path = folder.next()
        stored, written = _store(path)
        _core.begin_log_with(stored, time.monotonic() - begin)
    except BaseException:
        if path is not None:
            shutil.rmtree(path, ignore_errors=True)
        raise
    finally:
        _core.be_alone(False)
    folder.accept(path)
    return written


def _store(path):
    """Writes all arrays and the manifest. Returns what the log needs, and the bytes on the disk."""
    stored, told, written, kept = [], [], 0, 0
    for number, dtype, extents in _core.log_arrays():
        array = _core.borrow(number, dtype, extents)
        if array.ndim == 0 or (array.size <= _SMALL and 8 * (kept + array.nbytes) < config.log_bytes):
            kept += array.nbytes
            stored.append((number, dtype, extents, None, 0, numpy.asarray(array).tobytes()))
            continue
        file = str(path / f"{number:x}.npy")
        save(file, array)
        offset = len(header_of(array)[0])
        stored.append((number, dtype, extents, file, offset, None))
        told.append({"file": os.path.basename(file), "dtype": NAMES[dtype], "shape": list(extents)})
        written += offset + array.nbytes
    manifest = path / _MANIFEST
    with open(manifest, "w") as file:
        json.dump({"version": _VERSION, "arrays": told}, file)
        file.flush()
        os.fsync(file.fileno())
    return stored, written


def _store_when_due():
    """Called in the middle of the user's program: what goes wrong here is told, and must not end it; what went wrong before is
    the program's."""
    _core.be_alone(True)  # else this flush would find the checkpoint due, too
    try:
        _core.flush(True)
    finally:
        _core.be_alone(False)
    is_promised, begin = take_promise(), time.monotonic()
    try:
        written = checkpoint()
        if is_promised:
            show_notice(f"a checkpoint of {size(written)} is in {config.protect}, made in {time.monotonic() - begin:.1f} s")
    except Exception as error:
        _core.set_checkpoint_due(0)
        _core.ask_for_checkpoint(False)
        show_notice(f"no checkpoint in {config.protect}: {error}. None is tried any more until np.config.protect is set again")


_process = os.getpid()


@atexit.register
def _leave():
    if os.getpid() == _process:
        with contextlib.suppress(OSError):
            folder.remove()


_core.set_checkpoint_hook(_store_when_due)
