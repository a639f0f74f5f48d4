# SPDX-License-Identifier: BSD-3-Clause
"""What the client of a session computes, left in the session's folder once a second while it waits, for `gamelan engines
status` in another process."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from . import _sessions

_NOTE = "work"
_HOLDS_S = 4.0  # a client that waits writes once a second; its host's clock may be a little off


def leave(connection_file: str | os.PathLike, text: str) -> None:
    """Say what is computed now."""
    directory = Path(connection_file).parent
    if _sessions.is_ours(directory, _sessions.read_facts(directory)):
        temporary = directory / f".{_NOTE}.{os.getpid()}"
        with contextlib.suppress(OSError):  # the folder may just be removed
            temporary.write_text(f"{time.time():.1f} {text}\n")
            temporary.replace(directory / _NOTE)


def remove(connection_file: str | os.PathLike) -> None:
    """Nothing is computed any more."""
    with contextlib.suppress(OSError):
        (Path(connection_file).parent / _NOTE).unlink()


def found(connection_file: str | os.PathLike) -> str:
    """What is computed now; empty when nobody has said so lately."""
    try:
        since, _, text = (Path(connection_file).parent / _NOTE).read_text().strip().partition(" ")
        return text if abs(time.time() - float(since)) < _HOLDS_S else ""
    except (OSError, ValueError):
        return ""
