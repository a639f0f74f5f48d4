# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints: the arrays on the engines, in files, from which the session's log begins anew.

Engines that follow lost ones repeat the log (docs/decisions/036). A checkpoint makes that short: they read the files, and repeat
only what came later. One that comes by itself is written behind the program: the engines copy the arrays and write the copies
while later commands run; the log begins anew when all of it is on the disk (docs/decisions/036). In the memory of several nodes,
or of another host, the engines keep the arrays without any file here (_node_memory.py).
"""

import contextlib
import itertools
import json
import os
import shutil
import threading
import time

import numpy

from . import _core, _session
from ._checkpoint_folder import MEMORY, finish, folder, link, require_room
from ._config import config
from ._errors import EngineLostError
from ._files._crc import combined
from ._files._npy import header_of
from ._files._pieces import write
from ._files._places import reserve
from ._launch._tables import size
from ._node_memory import NodePieces, are_on_this_machine, bytes_of, evenly
from ._next_engines import show_notice
from ._next_job import take_promise
from ._promotion import NAMES

__all__ = ["checkpoint"]

_SMALL = 4096  # elements that are kept in the log itself
_READ_A_SECOND = 2e9  # bytes at most, also of files that were taken over
_LOOK_S = 0.01, 0.5  # between looks whether all is on the disk: at first, at most
_MOST_AT_EXIT_S = 5.0  # that a checkpoint that is being written is waited for
_keys = itertools.count(1)  # of checkpoints of this process

_writer, _written = None, None  # the thread that waits until a checkpoint is on the disk, and that checkpoint
_has_left = False  # the process ends
_has_cells = _is_looking = False  # is this a notebook, whose cells' ends are told? does the hook free what was let go of?
_unlogged_since = None  # when arrays were found in this cell that neither the log nor a checkpoint has


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
    Arrays for which the log had no room (`np.config.log_bytes`) are written, too, and are safe from then on.

    Examples
    --------
    >>> import gamelan as np, tempfile
    >>> with tempfile.TemporaryDirectory() as directory, np.options(protect=directory):
    ...     x = np.ones(300_000)
    ...     np.checkpoint()
    2400128
    """
    place = config.protect
    if not place:
        raise ValueError("np.config.protect names no folder: set it to one that the engines and this process see")
    if not _core.is_connected() or _has_left:
        return 0
    _core.flush(True)  # what was let go of is freed first: meanwhile nothing is
    while True:
        wait_for_writer()
        with _core.Alone():
            if _is_writing():
                continue  # another thread has begun one
            with _Checkpoint(place) as made:
                made.copy(is_behind=False)
                _core.ask_for_checkpoint(False)
                if made.accept() is None:
                    raise OSError("the engines, or their log, were changed while the checkpoint was made: make another one")
            return made.written


def wait_for_writer():
    """Returns when no checkpoint is on its way to the disk."""
    while _is_writing():
        _writer.join(_LOOK_S[1])  # an interrupt comes through


def _is_writing():
    return _writer is not None and _writer.is_alive()


class _Disturbed(OSError): ...


class _Checkpoint:
    """A checkpoint: its arrays are copied, to files or to memory, and when all of that is stored the log begins anew with it.
    To be copied by a thread that is alone with the engines, within a context. Nothing is left of one that did not come into the
    log, whatever ended it; an interrupt may come at any instruction."""

    def __init__(self, place):
        self.place, self.written = place, 0
        self._stored, self._told, self._taken = [], [], {}
        self._key, self._begin, self._path = next(_keys), time.monotonic(), None
        self._is_accepted = False
        self.writer, self.is_wanted = None, True  # the thread that waits until it is stored; it ends the checkpoint, too

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        self.is_wanted = error is None
        if self.writer is None or self.writer.ident is None:
            self._end()

    def _end(self):
        _core.end_storing(self._key)
        self._stored = []  # the log has it, or nobody
        if self._is_accepted or self._path is None:
            return
        if _core.log_begins_with(self._key):  # engines that follow read it
            folder.accept(self._path)
        elif isinstance(self._path, NodePieces):
            self._path.drop()
        else:
            shutil.rmtree(self._path, ignore_errors=True)

    def copy(self, is_behind):
        """Copies the arrays, which begins the time from which on the log repeats commands."""
        _finish_pending()
        is_on_nodes = self.place == MEMORY and not are_on_this_machine()
        began, recorded = _core.moment(), _recorded()
        self._failures = _state()[1]
        self._path = folder.next_on_nodes() if is_on_nodes else folder.next(self.place)
        if is_on_nodes:
            self._path.prepare(evenly(max(_core.ranks(), 1)))
        else:
            self._path.mkdir(mode=0o700)
            self._take_over()
        if self.place == MEMORY:
            is_behind = False  # it is a copy in memory already
            if not is_on_nodes:
                require_room(sum(bytes_of(*each) for each in _core.log_arrays() if each[0] not in self._taken))
        ours = self._copy_arrays(is_behind)
        if is_on_nodes:
            self._path.copy(self.written)
        self._moment = _core.moment()
        if is_behind or is_on_nodes:  # what engines that died meanwhile had or were to write may be nowhere
            self._moment = self._moment[0], *began[1:]
        _core.begin_storing(self._key)
        ours += 2 * is_on_nodes  # preparing and copying
        if _recorded() - recorded != ours:  # a finalizer or a signal's handler has run in the middle
            raise _Disturbed("the program computed while its arrays were copied: make another one")

    def _take_over(self):
        """Arrays to which nothing was written since the checkpoint before have their files."""
        living = {number for number, _, _ in _core.log_arrays()}
        for number, (file, offset, crc) in _core.unchanged_arrays().items():
            if number in living and link(file, self._file_of(number)):
                self._taken[number] = offset, crc

    def _file_of(self, number):
        return str(self._path / f"{number:x}.npy")

    def _copy_arrays(self, is_behind):
        """Returns how many commands that took."""
        kept = commands = 0
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
                commands += array.size > 0
                self._stored.append((number, dtype, extents, name, 0, combined(0, sums), None))
                self.written += array.nbytes
                continue
            file = self._file_of(number)
            header, array = header_of(array)
            is_spare = self.place == MEMORY and folder.spare.take(file, len(header) + array.nbytes)
            with open(file, "r+b" if is_spare else "xb") as opened:
                opened.write(header)
                opened.flush()
                if self.place != MEMORY:  # there require_room has asked, and reserving would write all pages
                    reserve(opened.fileno(), len(header) + array.nbytes, file)
            sums = write(array, file, len(header), checksums=True, is_behind=is_behind)
            commands += array.size > 0
            self._note(number, dtype, extents, len(header), combined(0, sums), array.nbytes)
        return commands

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
        if not isinstance(self._path, NodePieces):  # what lies there is whole
            finish(self._path, self._told)
        seconds = time.monotonic() - self._begin
        if not _core.begin_log_with(self._stored, self._moment, max(seconds, self.written / _READ_A_SECOND), self._key):
            return None
        folder.accept(self._path)
        self._is_accepted = True
        return seconds

    def accept_when_stored(self, is_promised):
        """Has a thread wait until the engines have written the copies."""
        global _writer, _written
        self.writer = threading.Thread(target=self._wait, args=(is_promised,), name="gamelan-checkpoint", daemon=True)
        _writer, _written = self.writer, self
        self.writer.start()

    def _wait(self, is_promised):
        """On a thread of its own."""
        try:
            seconds = self.accept() if self._is_stored() else None
            self.tell(seconds, is_promised)
        except Exception as error:
            if self.is_wanted:
                _give_up(error, self.place)
        finally:
            self._end()

    def tell(self, seconds, is_promised):
        """It is accepted after so many seconds, or is not: None."""
        if is_promised and seconds is not None:
            show_notice(f"a checkpoint of {size(self.written)} is in {self.place}, made in {seconds:.1f} s")

    def _is_stored(self):
        """Waits until the engines have written the copies; False where they never will, or nobody wants them."""
        pause, longest = _LOOK_S
        while True:
            behind, failures = _state()
            if not self.is_wanted or not _core.goes_on_from(self._moment) or (behind is None and not _core.is_connected()):
                return False
            if behind == 0:
                break
            time.sleep(pause)
            pause = min(2 * pause, longest)
        if failures > self._failures:
            raise OSError("an engine could not write it; the last lines of the engines' log say why (gamelan engines logs)")
        return True


def _finish_pending():
    """Returns when nothing is pending, of no thread. One that waited for room records one more command before it hears that
    it is not alone."""
    while True:
        _core.flush(True)
        _core.wait_for_others()
        if not _core.has_unfinished():
            return


def _recorded():
    return _core.stats()["recorded_commands"]


def _state():
    """(bytes that the engines have not written yet, writes that have failed so far); (None, 0) where they do not answer."""
    status = json.loads(_core.look_at_status() or "{}")
    if "bytes_behind" not in status or status["ranks_silent"]:
        return None, 0
    return status["bytes_behind"], status["write_failures"]


def _store_when_due():
    """Called in the middle of the user's program: what goes wrong here is told, and must not end it; what went wrong before is
    the program's."""
    if _is_writing() or _has_left:
        return  # to a log that is gone: it ends
    if not _core.is_checkpoint_due(counts_unlogged=False) and not _is_wanted_of_unlogged():
        return
    _store()


def _is_wanted_of_unlogged():
    """Is a checkpoint to be made now of arrays that the log has lost? Not of those that the program has let go of. Within a cell
    others may be let go of before its end: they are waited for until computing them again would be too long."""
    global _is_looking, _unlogged_since
    if _is_looking:
        return False
    if _has_cells:
        _unlogged_since = _unlogged_since or time.monotonic()
        if time.monotonic() - _unlogged_since < config.protect_seconds:
            return False
    _is_looking = True
    try:
        _core.flush(True)
    finally:
        _is_looking, _unlogged_since = False, None
    return _core.is_checkpoint_due()


def _store():
    """True where another thread was in the way: to be called again."""
    with _core.Alone():  # else this flush would find the checkpoint due, too
        if _is_writing() or not _core.is_checkpoint_due():
            return _is_writing()  # another thread has begun one
        if not (place := config.protect):
            return _core.ask_for_checkpoint(False)
        _finish_pending()
        began = _core.moment()
        try:
            with _Checkpoint(place) as made:
                if _core.has_newly_unlogged():  # commands that use those arrays are in no log until this is
                    made.copy(is_behind=False)
                    made.tell(made.accept(), take_promise())
                else:
                    made.copy(is_behind=True)
                    made.accept_when_stored(take_promise())
        except _Disturbed:
            return True  # or the end of the next batch makes one
        except Exception as error:
            has_died = isinstance(error, EngineLostError) and not _core.is_connected()
            if not has_died and _core.goes_on_from(began):  # else the next engines make one
                _give_up(error, place)
        else:
            _core.ask_for_checkpoint(False)
        return False


def store_at_cells_end(is_needed=lambda: False):
    """Called between two cells: arrays that neither the log nor a checkpoint has are written, if the engines have nothing else to
    do. True where they have: to be called again. `is_needed()`, asked when they have not: is a checkpoint of others wanted?"""
    global _has_cells, _unlogged_since
    _has_cells, _unlogged_since = True, None
    if not config.protect or not _core.is_connected() or getattr(_session.engines(), "ending", None):
        return False  # engines that are lost are the next statement's matter
    if _core.has_unfinished() or _is_writing():
        return True
    if is_wanted := is_needed():
        _core.ask_for_checkpoint(True)
    if not _core.is_checkpoint_due() or not (is_wanted or _core.has_newly_unlogged()):
        return False
    with contextlib.suppress(Exception):  # what the engines could not compute is the next statement's matter
        _core.flush(True)  # what was let go of is freed
        return _core.is_checkpoint_due() and (is_wanted or _core.has_newly_unlogged()) and _store()
    return False


def _give_up(error, place):
    is_last = place == config.protect
    if is_last:
        _core.set_checkpoint_due(0)
        _core.ask_for_checkpoint(False)
        folder.spare.drop()
    none_follows = " None is tried any more until np.config.protect is set again" if is_last else ""
    before = "The one before is gone, too: somebody has removed it" if folder.is_gone() else "The one before stays valid"
    show_notice(f"no checkpoint in {place}: {error}. {before}.{none_follows}")


def _leave():
    global _has_left
    if os.getpid() != _process:
        return
    _has_left = True
    if _is_writing():  # else it would write into what is removed here
        _written.is_wanted = False
        _writer.join(_MOST_AT_EXIT_S)
    with contextlib.suppress(OSError):
        folder.remove()


_process = os.getpid()
_session.call_before_end(_leave)
_core.set_checkpoint_hook(_store_when_due)
