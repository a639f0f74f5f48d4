# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints: the arrays on the engines, in files, from which the session's log begins anew.

Engines that follow lost ones repeat the log (docs/decisions/036). A checkpoint makes that short: they read the files, and repeat
only what came later. One that comes by itself is written behind the program: the engines copy the arrays and write the copies
while later commands run; the log begins anew when all of it is on the disk (docs/decisions/036). In the memory of several nodes,
or of another host, the engines keep the arrays without any file here (_node_memory.py).
"""

import contextlib
import json
import os
import shutil
import threading
import time

import numpy

from . import _core, _session
from ._checkpoint_folder import MEMORY, finish, folder, link, require_room
from ._config import config
from ._files._crc import combined
from ._files._npy import header_of
from ._files._pieces import write
from ._files._places import reserve
from ._launch._sessions import is_this_host
from ._launch._tables import size
from ._node_memory import NodePieces
from ._next_engines import show_notice
from ._next_job import take_promise
from ._promotion import NAMES

__all__ = ["checkpoint"]

_SMALL = 4096  # elements that are kept in the log itself
_READ_A_SECOND = 2e9  # bytes at most, also of files that were taken over
_LOOK_S = 0.01, 0.5  # between looks whether all is on the disk: at first, at most

_writer = None  # the thread that waits until a checkpoint is on the disk


def checkpoint():
    """Write the arrays on the engines to `config.protect`, so that engines that follow lost ones read them there.

    Triggers evaluation. All engines write at the same time. In a folder the files are .npy, with a manifest in JSON; they
    belong to this session and are removed with it. Where `config.protect` is set this happens by itself, when repeating the
    commands since the last checkpoint would take longer than `config.protect_seconds`, and when a Slurm job is about to end;
    then the engines copy the arrays, where there is memory for that, and write the copies while the program goes on. This
    function waits.

    An array to which nothing was written since the checkpoint before has its file already: the new checkpoint takes that over.

    Returns
    -------
    int
        The bytes of the checkpoint.

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
    _core.flush(True)  # what was let go of is freed first: meanwhile nothing is
    _be_alone_without_writer()
    try:
        copied = _Copied(is_behind=False)
        _core.ask_for_checkpoint(False)
        if copied.accept() is None:
            raise OSError("the engines, or their log, were changed while the checkpoint was made: make another one")
    finally:
        _core.be_alone(False)
    return copied.written


def wait_for_writer():
    """Returns when no checkpoint is on its way to the disk."""
    while _is_writing():
        _writer.join(_LOOK_S[1])  # an interrupt comes through


def _is_writing():
    return _writer is not None and _writer.is_alive()


def _be_alone_without_writer():
    """Has this thread be alone with the engines while no checkpoint is on its way to the disk."""
    while True:
        wait_for_writer()
        _core.be_alone(True)
        if not _is_writing():
            return
        _core.be_alone(False)  # another thread has begun one


class _Copied:
    """A checkpoint whose arrays were copied, to files or to memory. To be made by a thread that is alone with the engines.
    Nothing is left of it after an error."""

    def __init__(self, is_behind):
        self.written, self._stored, self._told, self._taken = 0, [], [], {}
        self._begin, self._folder = time.monotonic(), config.protect
        self._is_wanted, self._is_in_log, self._storing = True, False, 0
        _finish_pending()
        is_on_nodes = config.protect == MEMORY and not _are_on_this_machine()
        began = _core.moment()
        self._failures = _state()[1]
        self._path = folder.next_on_nodes() if is_on_nodes else folder.next()
        try:
            if is_on_nodes:
                self._path.prepare(_evenly(max(_core.ranks(), 1)))
            else:
                self._take_over()
            if config.protect == MEMORY:
                is_behind = False  # it is a copy in memory already
                if not is_on_nodes:
                    require_room(sum(_bytes_of(*each) for each in _core.log_arrays() if each[0] not in self._taken))
            self._copy(is_behind)
            if is_on_nodes:
                self._path.copy(self.written)
            self._moment = _core.moment()
            if is_behind or is_on_nodes:  # what engines that died meanwhile had or were to write may be nowhere
                self._moment = self._moment[0], *began[1:]
            self._storing = _core.begin_storing()
        except BaseException:
            self.drop()
            raise

    def _take_over(self):
        """Arrays to which nothing was written since the checkpoint before have their files."""
        living = {number for number, _, _ in _core.log_arrays()}
        for number, (file, offset, crc) in _core.unchanged_arrays().items():
            if number in living and link(file, self._file_of(number)):
                self._taken[number] = offset, crc

    def _file_of(self, number):
        return str(self._path / f"{number:x}.npy")

    def _copy(self, is_behind):
        kept = 0
        for number, dtype, extents in _core.log_arrays():
            array = _core.borrow(number, dtype, extents)
            if number in self._taken:
                self._note(number, dtype, extents, *self._taken[number], array.nbytes)
                continue
            if array.ndim == 0 or (array.size <= _SMALL and 8 * (kept + array.nbytes) < config.log_bytes):
                kept += array.nbytes
                self._stored.append((number, dtype, extents, None, 0, 0, numpy.asarray(array).tobytes()))
                continue
            if isinstance(self._path, NodePieces):
                name, sums = self._path.write(number, array)
                self._stored.append((number, dtype, extents, name, 0, combined(0, sums), None))
                self.written += array.nbytes
                continue
            file = self._file_of(number)
            header, array = header_of(array)
            is_spare = self._folder == MEMORY and folder.spare.take(file, len(header) + array.nbytes)
            with open(file, "r+b" if is_spare else "xb") as opened:
                opened.write(header)
                opened.flush()
                if self._folder != MEMORY:  # there require_room has asked, and reserving would write all pages
                    reserve(opened.fileno(), len(header) + array.nbytes, file)
            sums = write(array, file, len(header), checksums=True, is_behind=is_behind)
            self._note(number, dtype, extents, len(header), combined(0, sums), array.nbytes)

    def _note(self, number, dtype, extents, offset, crc, count):
        """An array of so many bytes has its file, in which its elements stand from `offset` on."""
        file = self._file_of(number)
        self._stored.append((number, dtype, extents, file, offset, crc, None))
        about = {"file": os.path.basename(file), "dtype": NAMES[dtype], "shape": list(extents), "crc32": crc}
        self._told.append({**about, "bytes": offset + count})
        self.written += offset + count

    def accept(self):
        """The files are written: the log begins anew with them, unless the engines have changed meanwhile. Returns the seconds
        that it took, or None."""
        try:
            if not isinstance(self._path, NodePieces):  # what lies there is whole
                finish(self._path, self._told)
        except BaseException:
            self.drop()
            raise
        seconds = time.monotonic() - self._begin
        if not _core.begin_log_with(self._stored, self._moment, max(seconds, self.written / _READ_A_SECOND)):
            self.drop()
            return None
        self._is_in_log = True
        folder.accept(self._path)
        _core.end_storing(self._storing)  # not before: the next one begins here
        return seconds

    def drop(self):
        _core.end_storing(self._storing)
        if self._is_in_log:
            return None  # what went wrong came later: engines that follow read it
        if isinstance(self._path, NodePieces):
            return self._path.drop()
        shutil.rmtree(self._path, ignore_errors=True)

    def begin_waiting(self, is_promised):
        """Has a thread wait until the engines have written the copies; nothing is left of the checkpoint after an error."""
        try:
            writer = threading.Thread(
                target=self._accept_when_stored, args=(is_promised,), name="gamelan-checkpoint", daemon=True
            )
            writer.start()
        except BaseException:  # an interrupt, too
            self._is_wanted = False
            self.drop()
            raise
        return writer

    def _accept_when_stored(self, is_promised):
        """On a thread of its own: waits until the engines have written the copies."""
        pause, longest = _LOOK_S
        try:
            while True:
                behind, failures = _state()
                if not self._is_wanted:
                    return
                if not _core.goes_on_from(self._moment) or (behind is None and not _core.is_connected()):
                    return self.drop()
                if behind == 0:
                    break
                time.sleep(pause)
                pause = min(2 * pause, longest)
            if failures > self._failures:
                raise OSError("an engine could not write it; the last lines of the engines' log say why (gamelan engines logs)")
            seconds = self.accept()
            if is_promised and seconds is not None:
                show_notice(f"a checkpoint of {size(self.written)} is in {self._folder}, made in {seconds:.1f} s")
        except Exception as error:
            self.drop()
            if not _has_left:  # then the folder has gone, and nobody needs it
                _give_up(error)


def _finish_pending():
    """Returns when nothing is pending, of no thread. One that waited for room records one more command before it hears that
    it is not alone."""
    while True:
        _core.flush(True)
        _core.wait_for_others()
        if not _core.has_unfinished():
            return


def _bytes_of(number, dtype, extents):
    return _core.borrow(number, dtype, extents).nbytes


def _evenly(ranks):
    """The bytes of all ranks if each wrote as many as the one with most: they share the first axis that is longer than 1."""
    most = 0
    for number, dtype, extents in _core.log_arrays():
        rows = next((extent for extent in extents if extent > 1), 1)
        most += _bytes_of(number, dtype, extents) * -(-rows // ranks) // rows
    return most * ranks


def _are_on_this_machine():
    """Are all engines here, where this process sees the files that they write to memory?"""
    engines = _session.engines()
    host = engines.facts.get("engine_host") if engines is not None else None
    may_see = engines is not None and engines.facts.get("launcher") != "slurm"  # a job may have a /dev/shm of its own
    return may_see and is_this_host(host) and _session.status()["nodes"] == 1


def _state():
    """(bytes that the engines have not written yet, writes that have failed so far); (None, 0) where they do not answer."""
    status = json.loads(_core.look_at_status() or "{}")
    if "bytes_behind" not in status or status["ranks_silent"]:
        return None, 0
    return status["bytes_behind"], status["write_failures"]


def _store_when_due():
    """Called in the middle of the user's program: what goes wrong here is told, and must not end it; what went wrong before is
    the program's."""
    global _writer
    if _is_writing():
        return  # to a log that is gone: it ends
    _core.be_alone(True)  # else this flush would find the checkpoint due, too
    try:
        _finish_pending()
        is_promised, began = take_promise(), _core.moment()
        try:
            _writer = _Copied(is_behind=True).begin_waiting(is_promised)
        except Exception as error:
            if not _core.goes_on_from(began):
                return  # engines have died meanwhile: the next ones make one
            return _give_up(error)
        _core.ask_for_checkpoint(False)
    finally:
        _core.be_alone(False)


def _give_up(error):
    _core.set_checkpoint_due(0)
    _core.ask_for_checkpoint(False)
    folder.spare.drop()
    show_notice(
        f"no checkpoint in {config.protect}: {error}. The one before stays valid. None is tried any more until np.config.protect "
        "is set again"
    )


_process = os.getpid()
_has_left = False


def _leave():
    global _has_left
    _has_left = True
    if os.getpid() == _process:
        with contextlib.suppress(OSError):
            folder.remove()


_session.call_before_end(_leave)
_core.set_checkpoint_hook(_store_when_due)
