# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the values of the running notebook for its next kernel, and for %session undo. The kernel calls `before_cell` and
`after_cell`; a thread saves between cells and gives way when the next one comes. Where cells follow each other without a pause,
it is done at the end of a cell, when the time that it takes is less than SHARE of the cells' time."""

import contextlib
import os
import sys
import threading
import time

from .. import _core, _protection, _session
from .._config import config
from .._next_engines import show_notice
from . import _at_risk, _earlier, _keeping
from ._folder import uninterrupted
from ._generations import NotebookFolder
from ._pickling import pickler_class
from ._repeating import KeptLog
from ._sharing import MOST_SECONDS, GiveWay
from ._trust import why_refused
from ._undo import History

SHARE = 0.01  # half of what cells may lose: the other half is for waits until a save gives way
_PAUSE_S = 0.05  # after a cell: the next one may be waiting already
_GIVE_WAY_S = 0.02  # within which a save gives way; then it is given up, and ends by itself
_MOST_UNDO_S = 1.0  # of an undo, to find out what the last cell has changed
_MOST_LEFT_S = 0.25  # of a cell's begin, to keep what an interrupted cell before it has left
_KEEP_RESTORED_S = 1.0  # that a cell may take at its end to keep what it has restored: until then the kernel before has it alone
_LONGEST_LOOK_S = 30.0  # between two looks whether the engines have done what an interrupted cell has left
_FIRST_COST_S = 0.003  # of a save, until it is measured: one that takes longer than was earned gives way
_SLOW = "slow to be pickled; %session save takes it"


class Keeper:
    """What is kept of one notebook. `variables_of()` gives them by name."""

    def __init__(self, name, is_found_again, variables_of):
        self._name, self._is_found_again, self._variables_of = name, is_found_again, variables_of
        self._condition = threading.Condition()
        self._is_wanted = self._is_saving = self._has_cell = self._is_behind = self._is_asleep = self._is_prepared = False
        self._wanted_at = 0.0
        self._thread = self._folder = self._error = None
        self._told = set()  # kinds of errors
        self._earned_s, self._cost_s, self._deadline = 0.0, _FIRST_COST_S, None
        self._there, self._too_large, self._saves = set(), {}, 0
        self._log, self.history = KeptLog(), History()
        self._turn = self._turn_of_save = 0  # cells that have begun
        self._has_undone = self._is_second = False  # does the cell that runs undo others? has another kernel this notebook?
        self._is_left = self._awaits_checkpoint = False  # do the engines still do what keeps a save waiting, or a checkpoint?
        self._look_s, self._checkpoints = _PAUSE_S, 0  # from one look at these two to the next; with which the log began anew
        self.refusal, self.last = "", None  # why nothing is kept; (time, variables, bytes, seconds) of what is
        self.restored = self.restored_last = ""  # names of kernels: all variables came from it; the last of which any came
        self.spent_s = self.cells_s = 0.0  # of cells' time, for this and in all

    def folder(self):
        """The notebook's folder, locked for this kernel if it can be."""
        if self._folder is None and not self.refusal:
            try:
                self._folder = NotebookFolder(self._name)
                if not self._lock():
                    return self._folder
                if refused := why_refused(str(self._folder.path)):
                    self.refusal = f"variables are not kept: {refused}"
            except (OSError, RuntimeError) as error:
                self.refusal = f"variables are not kept: {error}"
        elif self._is_second:
            with contextlib.suppress(OSError):
                self._lock()
        return self._folder

    def _lock(self):
        """Takes the notebook for this kernel; False where another one has it. When that has ended, this one takes its place."""
        holder = self._folder.lock()
        was_second, self._is_second = self._is_second, bool(holder)
        if holder:
            self.refusal = f"another kernel has this notebook ({holder}): the variables of this one are not kept"
        elif was_second:
            self.refusal = why_refused(str(self._folder.path))
            if not self.refusal:
                show_notice("the other kernel of this notebook has ended: the variables of this one are kept from now on")
        return not holder

    def why_nothing_is_restored(self):
        """Of a kernel that is refused what is kept."""
        if self._is_second:
            return f"{self.refusal.partition(':')[0]}, and its variables with it: end it first"
        return self.refusal

    def before_cell(self):
        """Returns when nobody reads the variables any more, or what is read counts for nothing."""
        started = time.perf_counter()
        try:
            if self._is_left:
                self._save_what_was_left()
        finally:
            with self._condition:
                self._has_cell, self._is_wanted, self._is_left = True, False, False
                self._turn += 1
                self._condition.wait_for(lambda: not self._is_saving, _GIVE_WAY_S)
            self.spent_s += time.perf_counter() - started

    def _save_what_was_left(self):
        """A cell begins behind one that was interrupted. If the engines have done all of that, and the thread has not noticed
        yet, it is kept now: what this cell finds is the state before it."""
        with self._condition:
            self._is_wanted = False  # it is ours to save
            self._condition.wait_for(lambda: not self._is_saving, _GIVE_WAY_S)
        if self._is_left and self._is_ready():
            self._deadline = time.perf_counter() + _MOST_LEFT_S
            self._save()

    def after_cell(self, seconds, label=None):
        """A cell has run for so long; `label`: its number in the notebook, None for what a front end runs unseen."""
        self.cells_s += seconds
        self._earned_s += SHARE * seconds
        has_undone, self._has_undone = self._has_undone, False
        if label is not None and not has_undone:
            self.history.note_cell(label)
        _at_risk.tell_once(self._variables_of)
        self._tell_error()
        self._awaits_checkpoint = _protection.store_at_cells_end(_at_risk.needs_checkpoint)
        if not config.kept_bytes:
            self.history.forget()
            return
        self._is_behind = True
        if self._thread is None:
            self._begin()
        if self._is_second:
            self.folder()
        if self._earned_s > self._cost_s and self._is_ready():
            started, checkpoints = time.perf_counter(), self._checkpoints
            self._deadline = started + self._earned_s
            is_done = self._save()
            took = time.perf_counter() - started
            self._earned_s -= took
            self.spent_s += took
            with self._condition:
                if is_done and not self._awaits_checkpoint and checkpoints == self._checkpoints:
                    self._has_cell = False
                    return
        with self._condition:
            self._has_cell, self._is_wanted, self._wanted_at = False, True, time.monotonic()
            self._look_s = _PAUSE_S
            if self._is_asleep:
                self._condition.notify_all()

    def _tell_error(self):
        """Each kind once: what was to be kept after an earlier cell could not be written."""
        error = self._error
        kind = type(error), getattr(error, "errno", None)
        if error is None or kind in self._told or self.refusal:
            return
        self._told.add(kind)
        show_notice(
            f"variables are not kept: {self._in_words(error)}. The next kernel finds those of an earlier cell, or none; "
            "%session save DIR saves them"
        )

    def _in_words(self, error):
        if isinstance(error, OSError) and error.strerror and self._folder is not None:
            return f"{error.strerror} ({self._folder.path})"
        return str(error) or type(error).__name__

    def _begin(self):
        self._thread = threading.Thread(target=self._serve, name="gamelan-keeper", daemon=True)
        self._thread.start()
        _session.call_before_end(self._end)
        _protection.folder.when_accepted.append(self._note_checkpoint)

    def _is_ready(self):
        """Is it known where to write, is all imported, and nothing being read or written?"""
        with self._condition:
            return self._is_prepared and self._snapshot is None and not self._is_saving

    _snapshot = None  # to be written by the thread

    def _serve(self):
        self.folder()
        pickler_class()  # imports what it needs: no cell waits for that
        self._is_prepared = True
        while True:
            with self._condition:
                self._wait_for_work()
            if self._is_saving:
                try:
                    self._deadline = None
                    self._store_what_waits()
                    is_done = self._save()
                finally:
                    with self._condition:
                        self._is_saving = False
                        if (self._is_left or self._awaits_checkpoint) and not self._has_cell:
                            self._look_again()
                        self._condition.notify_all()
                if not is_done:
                    continue
            self._write()

    def _store_what_waits(self):
        """Begins the checkpoint that the last cell could not begin."""
        turn = self._turn
        is_left = self._awaits_checkpoint and _protection.store_at_cells_end(_at_risk.needs_checkpoint)
        if turn == self._turn:  # else the cells since then say it
            self._awaits_checkpoint = is_left

    def _note_checkpoint(self):
        """The log has begun anew with a checkpoint, on any thread: what is kept still names the one before."""
        with self._condition:
            self._checkpoints += 1
            if not self._has_cell and self._thread is not None:  # else the cell's end keeps it
                self._is_wanted, self._wanted_at = True, time.monotonic()
                self._condition.notify_all()

    def _look_again(self):
        self._is_wanted, self._wanted_at = True, time.monotonic() + self._look_s - _PAUSE_S
        self._look_s = min(2 * self._look_s, _LONGEST_LOOK_S)

    def _wait_for_work(self):
        """Returns when something is to be written, or saved: the pause after a cell is over. Of quick cells it does not wake at
        each: that would cost them more than the work."""
        while self._snapshot is None:
            if not self._is_wanted:
                self._is_asleep = True
                self._condition.wait()
                self._is_asleep = False
                continue
            left_s = self._wanted_at + _PAUSE_S - time.monotonic()
            if left_s <= 0:
                self._is_wanted, self._is_saving = False, True
                return
            self._condition.wait(left_s)

    def _check(self):
        if self._deadline is not None:
            if time.perf_counter() > self._deadline:
                raise GiveWay
        elif self._has_cell or self._turn != self._turn_of_save:
            raise GiveWay

    def _save(self):
        """Makes a snapshot; False where it gave way."""
        started, turn = time.perf_counter(), self._turn
        self._turn_of_save = turn
        self._is_left = _has_unfinished()
        if self._is_left:  # after an interrupt
            return False
        try:
            variables = self._variables_of()
            known = {name: self._too_large[name][1] for name, value in variables.items() if self._is_known_as_large(name, value)}
            self._saves += 1
            rest = {name: value for name, value in variables.items() if name not in known}
            snapshot = _keeping.Snapshot(rest, config.kept_bytes, self._check, None if self.refusal else self._log)
        except GiveWay as way:
            self._cost_s = max(self._cost_s, time.perf_counter() - started)
            name, seconds = getattr(way, "looked_at", ("", 0.0))
            if seconds > 4 * MOST_SECONDS:
                self._note_too_large(name, variables[name], _SLOW)
            return False
        except (Exception, SystemExit) as error:  # a defect of ours is no reason for the notebook to end
            self._error = error
            return True
        for name, reason in snapshot.missing.items():
            if "%session save takes it" in reason:  # tried again after 2, 4, 8, ... saves: it may have become smaller
                self._note_too_large(name, variables[name], reason)
        self._too_large = {
            name: each for name, each in self._too_large.items() if name in variables and name not in snapshot.saved
        }
        snapshot.missing.update(known)
        state = self.history.state_of(snapshot)  # compared here: a cell that begins waits for the lock
        self._cost_s = time.perf_counter() - started
        with self._condition:
            if self._turn != turn:  # a cell has begun and did not wait
                return False
            snapshot.restored = self.restored
            self._is_behind, self._snapshot = False, snapshot
            self.history.add(state)
            self._condition.notify_all()
        return True

    def _note_too_large(self, name, value, reason):
        tries = self._too_large[name][3] + 1 if name in self._too_large else 1
        self._too_large[name] = id(value), reason, self._saves + 2**tries, tries

    def _is_known_as_large(self, name, value):
        known = self._too_large.get(name, (None, "", 0))
        return known[0] == id(value) and self._saves < known[2]

    def _write(self):
        with self._condition:
            snapshot = self._snapshot
        if snapshot is None:
            return
        try:
            if self.refusal:
                return
            is_first = self.last is None
            self._there = snapshot.write(self._folder.own(), self._there)
            self.last = time.time(), len(snapshot.saved), snapshot.bytes, self._cost_s
            self._error = None
            if is_first:
                self._folder.remove_old()
        except Exception as error:
            self._error = error
        finally:
            with self._condition:
                self._snapshot = None

    def flush(self, limit_s=5.0):
        """Waits until what the thread has begun is on the disk."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end and (self._is_saving or self._snapshot is not None):
            time.sleep(0.005)

    def earlier(self):
        """What the kernels that had this notebook before have left, the newest first (_earlier.Left)."""
        folder = self.folder()
        return _earlier.look_at(folder.earlier(), self.restored) if folder is not None and not self.refusal else []

    def note_restored(self, name, is_all):
        """The cell that runs has brought variables of an earlier kernel back."""
        if is_all:
            self.restored = name
            _protection.folder.has_restored_all = True
        self._earned_s = max(self._earned_s, _KEEP_RESTORED_S)
        is_another = self.restored_last not in ("", name)
        self.restored_last = "" if is_another and not is_all else name  # of parts of several, none goes on by itself

    def undo(self, count, bind):
        """The notebook becomes as it was before its last `count` cells. `bind(values, names)` binds variables and
        removes others."""
        if not config.kept_bytes:
            raise LookupError("nothing is kept to go back to (np.config.kept_bytes is 0)")
        if self._has_undone and self._is_behind:  # there was no pause: has the last cell changed anything?
            self.flush(_MOST_UNDO_S)
            if self._is_ready():
                self._deadline = time.perf_counter() + _MOST_UNDO_S
                self._save()
        undone = self.history.undo(count, self._variables_of())
        with uninterrupted():
            bind(undone.back, undone.gone)
            self.history.accept(undone)
            self.restored = ""  # that may be undone, too
        return undone

    def count_no_cell(self):
        """The cell that runs does nothing but undo others."""
        self._has_undone = True

    def state_in_words(self):
        self.folder()
        if self.refusal:
            return self.refusal
        if not config.kept_bytes:
            return "variables are not kept for the next kernel (np.config.kept_bytes is 0)"
        if (error := self._error) is not None:  # the thread may have success at this moment
            return f"variables are not kept: {self._in_words(error)}"
        return ""

    def _end(self):
        if self._folder is None or os.getpid() != self._pid:
            return
        self.before_cell()  # the thread gives way
        self.flush(2.0)
        if self._is_behind and self._is_found_again and not self.refusal and self._snapshot is None:
            self._deadline = time.perf_counter() + 1.0
            self._save()
            self.flush(2.0)
        self._folder.end(self._is_found_again)

    _pid = os.getpid()


def _has_unfinished():
    """Do the engines still compute, or is there something that the next statement raises?"""
    if _core.has_unfinished():
        _core.hear_replies()  # nobody has waited for them
    return _core.has_unfinished()


keeper = None


def keep(name, is_found_again, variables_of, is_offered=True):
    """Begins to keep the values of a notebook; called by the kernel once gamelan is imported. Says what an earlier kernel has
    left, unless the cell is about to restore it."""
    global keeper
    keeper = Keeper(name, is_found_again, variables_of)
    with contextlib.suppress(OSError):
        told = offer(keeper) if config.kept_bytes and is_offered else ""
        if told:
            print(f"gamelan: {told}", file=sys.stderr, flush=True)
    return keeper


def offer(of):
    """Why nothing is kept, or what earlier kernels have left."""
    earlier = of.earlier()
    return of.refusal if of.refusal or not earlier else _earlier.offered(earlier)
