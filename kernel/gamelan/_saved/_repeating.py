# SPDX-License-Identifier: BSD-3-Clause
"""Distributed arrays for the notebook's next kernel: the session's log is kept beside the values, and the next kernel has its
engines repeat it, or takes over what the engines still have. What is kept of a cell is what the log has grown by."""

import io
import os
import zlib

import numpy

from .. import _core
from .._config import config
from .._errors import ProtocolError
from .._launch._tables import counted
from .._local import is_distributed
from .._next_engines import show_notice
from .._promotion import dtype_number
from .._protection import folder as checkpoints
from . import _inheriting
from ._arrays import ArrayFacts

_NAME = "log"
_MOST_TRIES = 8


def is_too_long():
    """Is the session's log more than what is kept for the next kernel? Then it is kept without the program's own elements."""
    return _core.stats().get("log_bytes", 0) > config.kept_bytes


class KeptLog:
    """The log in the folder of this kernel. `part` is asked for between two cells, `write` may come later, in another thread."""

    is_left_out = False  # are its commands alone more than what is kept?

    def __init__(self):
        self._generation = self._batches = 0  # as far as it is written
        self._needed_bytes = 0  # of the log, when it was pruned last
        self._about = None
        self._is_short = False  # without large numbers of the program's own elements
        self._tries = self._skips = 0  # how often it did not fit, and so many saves until the next try
        self._unnamed = ()
        checkpoints.keeps_retired = True

    def part(self):
        """What is to be written: without elements of the program's own where these are more than what is kept; None where the
        commands alone are."""
        self._unnamed = checkpoints.retired()  # others may follow before this part is written, which it still names
        if is_too_long() and 2 * self._needed_bytes < _core.stats()["log_bytes"]:  # most of it may be of dead arrays
            _core.prune_log()
            self._needed_bytes = _core.stats()["log_bytes"]
        is_short, self._is_short = self._is_short, is_too_long()
        if is_short != self._is_short:
            self._generation = self._batches = 0
        if self._skips > 0:  # it did not fit: the next cells need not find that again
            self._skips -= 1
            return None
        part = _core.written_log(self._generation, self._batches, self._is_short)
        before = self._about["bytes"] if self._about and part[0] == self._generation else 0
        fits = before + len(part[2]) <= config.kept_bytes
        self._tries = 0 if fits else min(self._tries + 1, _MOST_TRIES)
        self._skips = 2**self._tries - 1
        KeptLog.is_left_out = not fits
        return part if fits and part[0] else None

    def write(self, folder, part):
        """Appends a part; what the manifest says of the log then. The log before stays until the manifest is written."""
        if part is None or not part[2] and not self._about:
            self._generation = self._batches = 0
            self._about = None
            return None
        generation, batches, data = part
        is_new = generation != self._generation
        before = 0 if is_new else self._about["bytes"]
        name = f"{_NAME}-{generation}{'-short' if self._is_short else ''}"
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.truncate(before)
            file.seek(before)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        crc = zlib.crc32(data, 0 if is_new else self._about["crc32"])
        self._generation, self._batches = generation, batches
        self._about = {"file": name, "bytes": before + len(data), "crc32": crc}
        return dict(self._about)

    def remove_others(self, folder):
        """Files that the manifest names no more."""
        for path in folder.glob(f"{_NAME}-*"):
            if self._about is None or path.name != self._about["file"]:
                path.unlink(missing_ok=True)
        checkpoints.remove_retired(self._unnamed)


class RepeatedArrays:
    """The distributed arrays that a folder of kept values names, taken over or computed again when the first is asked for.
    With `is_part`, those that nobody asks for stay on the engines for a later call; so they do after an error."""

    def __init__(self, folder, session, is_part=False):
        self._folder, self._session, self._is_part = folder, session, is_part
        self._roots, self._arrays = {}, {}
        self._left, self._lost, self._written = _inheriting.left(folder.path), {}, []
        self._has_begun = False

    def __call__(self, number):
        if number not in self._arrays:
            told = self._session["arrays"][number]
            if told is None:
                raise ValueError("its distributed array was lost before that was kept")
            facts = ArrayFacts(**told)
            if facts.base not in self._roots:
                self._roots[facts.base] = self._root(facts)
            self._arrays[number] = facts.of(self._roots[facts.base])
        return self._arrays[number]

    def _root(self, facts):
        about = self._session["bases"][facts.base]
        if about["id"] not in self._left:
            self.begin()
        if about["id"] in self._lost:
            shape = " x ".join(map(str, facts.shape))
            why = self._lost[about["id"]]
            raise ValueError(f"its distributed array ({shape}, {facts.dtype}) was lost with the engines: {why}")
        taken = self._left.pop(about["id"])
        root = _own(taken, about)
        if taken.is_shared:
            _core.share_writes(root)
        elif taken.is_made:
            self._publish(about["id"], root)
        if taken.is_written:
            self._written.append(root)
        return root

    def _publish(self, there, root):
        """Again under its names an array that was computed again."""
        for name, array, about in (self._session.get("engines") or {}).get("published", ()):
            if array != there:
                continue
            try:
                _core.ask_holding("publish", root, name, about)
                _core.share_writes(root)
            except ValueError as error:  # another program has taken the name
                show_notice(f"not published again: {error}")

    def finish(self, variables):
        """Frees the arrays that nobody has asked for, or leaves them. Names those of the variables that could not become as
        they were."""
        if self._written:
            named = {value._b.id: name for name, value in variables.items() if is_distributed(value)}
            names = sorted({named.get(root._b.id, "an array within another variable") for root in self._written})
            show_notice(
                "published or attached, and written after the last cell that was kept: they have the values of now: "
                + ", ".join(names)
            )
        if not self._is_part:
            for about in self._session["bases"]:
                if about["id"] in self._left:
                    _own(self._left.pop(about["id"]), about)

    def begin(self):
        """The engines get the arrays: where they still have them, by taking them over."""
        wanted = [base["id"] for base in self._session["bases"] if base["id"] not in self._left]
        if self._has_begun or not wanted:
            return
        made = self._compute(wanted)
        self._has_begun, self._left = True, _inheriting.left(self._folder.path)
        if isinstance(made, str):
            made = dict.fromkeys(wanted, made)
        self._lost = {there: why for there, why in made.items() if isinstance(why, str)}
        self._left.update((there, here) for there, here in made.items() if not isinstance(here, str))
        checkpoints.take_over(_core.log_files())

    def _compute(self, wanted):
        """Taken, by the arrays' ids there, or why one is not there, or why none is."""
        data = why = None
        if about := self._session.get("log"):
            try:
                with self._folder.open(about["file"]) as file:
                    data = io.BufferedReader(file).read(about["bytes"])
                if zlib.crc32(data) != about["crc32"]:
                    data, why = None, f"the file {about['file']} is damaged"
            except OSError as error:  # the other variables do not need it
                why = f"{error.strerror}: {error.filename}"
        else:
            why = "no log was kept (np.config.kept_bytes, np.config.log_bytes)"
        there = self._session.get("engines")
        if _inheriting.reach(there):
            try:
                made = _inheriting.inherit(there, data, wanted)
            except ProtocolError as error:
                return str(error)
            return {each: why if why and isinstance(made[each], str) else made[each] for each in wanted}
        if data is None:
            return why
        show_notice(f"the engines compute {counted(len(wanted), 'array')} of the earlier kernel again")
        try:
            made = _core.take_over_log(data, wanted)
        except ProtocolError as error:
            return str(error)
        taken = _inheriting.Taken
        return {each: here if isinstance(here, str) else taken(here, is_made=True) for each, here in made.items()}


def _own(taken, about):
    return _core.own(taken.id, dtype_number(numpy.dtype(about["dtype"])), about["shape"])
