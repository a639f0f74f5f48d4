# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a session's checkpoints: one is valid at a time, and it is never half of one. That of a killed process goes
after MOST_DAYS, unless the log of a process that lives has taken it over. What lies in the memory of the engines' nodes is
removed by the engines (_node_memory.py)."""

import contextlib
import json
import os
import re
import shutil
import socket
import stat
import time
from pathlib import Path

from ._config import config
from ._launch._sessions import make_private, process_start
from ._launch._tables import size
from ._node_memory import BEGINNING, NodePieces, remove_unwanted
from ._spare_files import SpareFiles, free_memory

_MANIFEST = "manifest.json"
_USED_BY = "used-by-"  # and a process: its log names files of this folder
MOST_DAYS = 14  # that the folder of a killed process stays: as long as what is kept of notebooks, which may name it
_VERSION = 2
_MOST_AT_EXIT_S = 5.0  # that engines which do not answer are waited for
MEMORY = "memory"  # as config.protect: checkpoints in files that lie in memory
MEMORY_FOLDER = Path(f"/dev/shm/gamelan-kept-{os.geteuid()}")
MEMORY_HOURS = 1  # that those of a killed process stay


def require_room(count):
    """MemoryError where a checkpoint in memory that writes so many bytes would take more than half of what is free."""
    if 2 * count > free_memory():
        folder.spare.drop()
    free = free_memory()
    if 2 * count > free:
        raise MemoryError(
            f"the arrays have {size(count)}, {size(free)} of memory is free, and checkpoints take half of that at most: "
            "name a folder on a disk"
        )


def link(file, name):
    """Gives a file of an earlier checkpoint this name, too: it stays until both are removed. False where that cannot be."""
    try:
        os.link(file, name, follow_symlinks=False)
    except (OSError, NotImplementedError):  # another file system, or one without links
        return False
    return True


class _Folder:
    """The checkpoints of this session in `config.protect`, of which one is valid at a time."""

    def __init__(self):
        self._base = None
        self._bases = set()  # of this session so far
        self._on_nodes = None  # the name of this session's pieces there
        self._count = 0
        self._valid = None
        self._retired = []  # that a log on the disk may still name
        self._taken_over = []  # notes in folders of other processes: this one reads there
        self.spare = SpareFiles()  # in memory, for the next checkpoint
        self.has_restored_all = False  # did this notebook's kernel bring all variables of an earlier one back?
        self.keeps_retired = False  # until remove_retired is called: a notebook's log is kept
        self.when_accepted = []  # functions to be called, by any thread: the log begins with another checkpoint

    def next(self, place):
        """The path of a new checkpoint, where `config.protect` says: a folder that is to be made."""
        wanted = str(make_private(MEMORY_FOLDER)) if place == MEMORY else os.path.abspath(place)
        if self._base is None or self._base.parent != Path(wanted) or not self._base.is_dir():
            self.spare.drop()
            self._base = Path(wanted) / f"gamelan-{_this_process()}-{time.time_ns():x}"
            self._bases.add(self._base)
            with contextlib.suppress(FileExistsError):
                os.mkdir(wanted)  # not those above: a disk may not be there
            os.mkdir(self._base, mode=0o700)
            _remove_left(Path(wanted))
        self._count += 1
        return self._base / str(self._count)

    def next_on_nodes(self):
        """The same in the memory of the engines' nodes."""
        self.spare.drop()
        if self._on_nodes is None:
            self._on_nodes = NodePieces(f"{BEGINNING}{_this_process()}-{time.time_ns():x}")
        self._count += 1
        return self._on_nodes / self._count

    def accept(self, path):
        """This checkpoint is whole: the one before is not needed any more."""
        previous, self._valid = self._valid, path
        if previous is not None and previous != path:  # an interrupted call is repeated
            self._retired.append(previous)
        self._retired += self._taken_over
        self._taken_over = []
        if not self.keeps_retired:
            self.remove_retired(self.retired())
        for call in self.when_accepted:
            call()

    def take_over(self, files):
        """The log reads these files. Where they are checkpoints of processes that have ended, they stay as long as it does."""
        for base in {Path(file).parent.parent for file in files} - {self._base}:
            if base.name.startswith(BEGINNING):
                if _has_ended_here(_owner_of(base)) and NodePieces(base.name) not in self._taken_over:
                    self._taken_over.append(NodePieces(base.name))
                continue
            note = base / f"{_USED_BY}{_this_process()}"
            if _owner_of(base) and note not in self._taken_over:
                with contextlib.suppress(ValueError):
                    self._retired.remove(note)
                with contextlib.suppress(OSError):
                    note.touch(0o600)
                    self._taken_over.append(note)

    def is_gone(self):
        """Was there a checkpoint, and has somebody removed its folder?"""
        return isinstance(self._valid, Path) and not self._valid.is_dir()

    @staticmethod
    def lacks(files):
        """Is one of these files of checkpoints, and gone? Others may be anything: what lies on the nodes has no files here."""
        of_checkpoints = (file for file in files if _owner_of(Path(file).parent.parent) and not file.startswith(BEGINNING))
        return any(not os.path.exists(file) for file in of_checkpoints)

    def retired(self):
        """What this session's log does not name any more."""
        return tuple(self._retired)

    def remove_retired(self, paths):
        """Removes what nobody reads any more."""
        for path in paths:
            if path in self._retired:
                self._remove(path)
                self._retired.remove(path)  # not before: an interrupted call is repeated

    def _remove(self, path):
        if isinstance(path, NodePieces):
            return path.drop()
        if path.name.startswith(_USED_BY):
            with contextlib.suppress(OSError):
                path.unlink()
            if self.has_restored_all and path.parent.parent == MEMORY_FOLDER and not _users_of(path.parent):
                shutil.rmtree(path.parent, ignore_errors=True)  # nobody restores from it again
            return
        if self._may_be_written_over(path) and self.spare.adopt(path):
            return
        shutil.rmtree(path, ignore_errors=True)
        if path.parent != self._base:
            with contextlib.suppress(OSError):
                path.parent.rmdir()

    def _may_be_written_over(self, path):
        is_in_memory = path.parent == self._base and self._base.parent == MEMORY_FOLDER
        return is_in_memory and not isinstance(self._valid, NodePieces) and config.protect == MEMORY

    def remove(self):
        """The session ends."""
        self._retired += self._taken_over
        self._taken_over = []
        self.remove_retired(self.retired())
        self.spare.drop()
        for path in self._bases:
            shutil.rmtree(path, ignore_errors=True)
        self._base = self._valid = None
        self._bases = set()
        self.remove_from_nodes()

    def remove_from_nodes(self):
        """The engines are about to be ended for good."""
        if self._on_nodes is None:
            return
        remove_unwanted()
        self._on_nodes.drop(_MOST_AT_EXIT_S)
        self._on_nodes = None
        self._retired = [path for path in self._retired if not isinstance(path, NodePieces)]
        if isinstance(self._valid, NodePieces):
            self._valid = None


def _remove_left(place):
    """Removes what killed processes of this host have left, when no kernel may need it any more."""
    limit = time.time() - (MEMORY_HOURS * 3600 if place == MEMORY_FOLDER else MOST_DAYS * 86400)
    for path in place.glob("gamelan-*-*"):
        with contextlib.suppress(OSError, ValueError):
            facts = path.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mtime > limit:
                continue
            if _owner_of(path).startswith(f"{socket.gethostname()}-") and not _users_of(path):
                shutil.rmtree(path, ignore_errors=True)


def _users_of(base):
    """Living processes of this host that write or read checkpoints in such a folder."""
    users = [_owner_of(base), *(each.name.removeprefix(_USED_BY) for each in base.glob(f"{_USED_BY}*"))]
    return [each for each in users if each and _is_alive(each)]


def _this_process():
    return f"{socket.gethostname()}-{os.getpid()}-{process_start(os.getpid())}"


def _owner_of(base):
    """The process whose checkpoints such a folder has; nothing where it is none."""
    found = re.fullmatch(r"(?:gamelan|pieces)-(.+-\d+-\d+)-[0-9a-f]+", base.name)
    return found[1] if found else ""


def _has_ended_here(process):
    """Is this a process of this host that has ended?"""
    return process.startswith(f"{socket.gethostname()}-") and not _is_alive(process)


def _is_alive(process):
    """Does this one live, as `_this_process` names them? Of one elsewhere nobody knows: the time counts that the folder stays."""
    host, pid, start = process.rsplit("-", 2)
    return host == socket.gethostname() and process_start(int(pid)) == int(start)


def finish(path, told):
    """What was written of a checkpoint is on the disk when this returns, with its manifest, which comes last."""
    for each in told:
        _synchronise(path / each["file"], os.O_RDWR)
    part = path / f".{_MANIFEST}"
    part.write_text(json.dumps({"version": _VERSION, "arrays": told}))
    _synchronise(part, os.O_RDWR)
    part.rename(path / _MANIFEST)
    with contextlib.suppress(OSError):  # not every file system has it for folders
        _synchronise(path, os.O_RDONLY | os.O_DIRECTORY)


def _synchronise(path, access):
    descriptor = os.open(path, access | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


folder = _Folder()
