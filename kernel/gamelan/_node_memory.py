# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints in the memory of the engines' nodes: each rank's part of an array lies in the memory of its own node, and a copy in
that of the next node. Nothing of it passes through this process, which only names it. Engines that follow find what lies on
their nodes. What nobody wants any more the engines remove, now or when there are engines again; what is left behind nobody
holds, and engines of this user remove it after an hour (engine/steps/files/piece_leases.hpp)."""

import numpy

from . import _core, _session
from ._files._pieces import write_pieces
from ._launch._sessions import is_this_host
from ._promotion import OPS, dtype_number

BEGINNING = "pieces-"  # of all names (protocol/pieces.hpp)
_PREPARE, _COPY = 0, 1  # PieceAction

_unwanted = []  # names that the engines could not be asked to remove


class NodePieces:
    """A folder by its name, the same on all nodes; `pieces / 3` is the session's third checkpoint."""

    def __init__(self, name):
        self._name = "".join(c if c.isascii() and (c.isalnum() or c in "-_./") else "_" for c in name)

    def __truediv__(self, number):
        return NodePieces(f"{self._name}/{number:x}")

    def __str__(self):
        return self._name

    def __eq__(self, other):
        return isinstance(other, NodePieces) and self._name == other._name

    def __hash__(self):
        return hash(self._name)

    def prepare(self, count):
        """MemoryError where `count` bytes would take more than half of what is free on a node."""
        remove_unwanted()
        _tend(_PREPARE, self._name, count)

    def write(self, number, array):
        """The name of the array's pieces, CRC-32 and bytes of each."""
        name = str(self / number)
        return name, write_pieces(array, name)

    def copy(self, written):
        """Returns when each node has what the one before has written."""
        copied = _tend(_COPY, self._name, 0)
        if _session.status()["nodes"] > 1 and copied != written:
            raise OSError(f"the nodes copied {copied} of {written} bytes to each other")

    def drop(self, wait_s=0.0):
        """Nobody needs it any more. Waits at most so long until it is gone, and never for an interrupt."""
        if not _core.is_connected() or not _core.remove_pieces(self._name, wait_s):
            _unwanted.append(self._name)


def remove_unwanted():
    """Has the engines remove what could not be removed before."""
    for name in tuple(_unwanted):
        if _core.is_connected() and _core.remove_pieces(name):
            _unwanted.remove(name)


def _tend(action, name, count):
    """Bytes that the engines have copied."""
    receipts = _core.empty((2 * max(_core.ranks(), 1),), dtype_number(numpy.int64))
    _core.record_file(OPS["tend_pieces"], dtype_number(numpy.int64), receipts, (), (action, count), name.encode())
    (receipts,) = _core.fetch([receipts])
    return int(receipts[1::2].sum())


def bytes_of(number, dtype, extents):
    """Of an array as `_core.log_arrays` names it."""
    return _core.borrow(number, dtype, extents).nbytes


def evenly(ranks):
    """The bytes of all ranks if each wrote as many as the one with most: they share the first axis that is longer than 1."""
    most = 0
    for number, dtype, extents in _core.log_arrays():
        rows = next((extent for extent in extents if extent > 1), 1)
        most += bytes_of(number, dtype, extents) * -(-rows // ranks) // rows
    return most * ranks


def are_on_this_machine():
    """Are all engines here, where this process sees the files that they write to memory?"""
    engines = _session.engines()
    host = engines.facts.get("engine_host") if engines is not None else None
    may_see = engines is not None and engines.facts.get("launcher") != "slurm"  # a job may have a /dev/shm of its own
    return may_see and is_this_host(host) and _session.status()["nodes"] == 1
