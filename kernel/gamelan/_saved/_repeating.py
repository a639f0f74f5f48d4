# SPDX-License-Identifier: BSD-3-Clause
"""Distributed arrays for the notebook's next kernel: the session's log is kept beside the values, and the next kernel has its
engines repeat it. What is kept of a cell is what the log has grown by."""

import io
import os
import sys
import zlib

import numpy

from .. import _core
from .._config import config
from .._errors import ProtocolError
from .._promotion import dtype_number
from .._protection import folder as checkpoints
from ._arrays import ArrayFacts

_NAME = "log"


class KeptLog:
    """The log in the folder of this kernel. `part` is asked for between two cells, `write` may come later, in another thread."""

    def __init__(self):
        self._generation = self._batches = 0  # as far as it is written
        self._about = None
        checkpoints.keeps_retired = True

    def part(self):
        """What is to be written; None where the log is larger than what is kept."""
        if _core.stats().get("log_bytes", 0) > config.kept_bytes:
            return None
        return _core.written_log(self._generation, self._batches)

    def write(self, folder, part):
        """Appends a part; what the manifest says of the log then. The log before stays until the manifest is written."""
        if part is None or not part[2] and not self._about:
            self._generation = self._batches = 0
            self._about = None
            return None
        generation, batches, data = part
        is_new = generation != self._generation
        before = 0 if is_new else self._about["bytes"]
        name = f"{_NAME}-{generation}"
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
        checkpoints.remove_retired()


class RepeatedArrays:
    """The distributed arrays that a folder of kept values names, computed again when the first is asked for."""

    def __init__(self, folder, session):
        self._folder, self._session = folder, session
        self._made, self._roots, self._arrays = None, {}, {}

    def __call__(self, number):
        if number not in self._arrays:
            facts = ArrayFacts(**self._session["arrays"][number])
            if self._made is None:
                self._made = self._compute()
            about = self._session["bases"][facts.base]
            made = self._made if isinstance(self._made, str) else self._made[about["id"]]
            if isinstance(made, str):
                shape = " x ".join(map(str, facts.shape))
                raise ValueError(f"its distributed array ({shape}, {facts.dtype}) was lost with the engines: {made}")
            if facts.base not in self._roots:
                self._roots[facts.base] = _core.own(made, dtype_number(numpy.dtype(about["dtype"])), about["shape"])
            self._arrays[number] = facts.of(self._roots[facts.base])
        return self._arrays[number]

    def finish(self):
        """Frees the arrays that nobody has asked for."""
        if isinstance(self._made, dict):
            for place, about in enumerate(self._session["bases"]):
                made = self._made[about["id"]]
                if place not in self._roots and not isinstance(made, str):
                    _core.own(made, dtype_number(numpy.dtype(about["dtype"])), about["shape"])

    def _compute(self):
        """Has the engines repeat the log. The arrays' ids here, by those there, or why one is not there, or none of all."""
        about = self._session.get("log")
        if not about:
            return "no log was kept (np.config.kept_bytes, np.config.log_bytes)"
        with self._folder.open(about["file"]) as file:
            data = io.BufferedReader(file).read(about["bytes"])
        if zlib.crc32(data) != about["crc32"]:
            return f"the file {about['file']} is damaged"
        wanted = [base["id"] for base in self._session["bases"]]
        count = f"{len(wanted)} array{'s' if len(wanted) > 1 else ''}"
        print(f"gamelan: the engines compute {count} of the earlier kernel again", file=sys.stderr, flush=True)
        try:
            return _core.take_over_log(data, wanted)
        except ProtocolError as error:
            return str(error)
