# SPDX-License-Identifier: BSD-3-Clause
"""What `gamelan run` tells its script about the engines: how they were started, so that the script can replace lost ones.

Engines that take the place of others, a script's or a notebook's, are marked with the session of the first ones. By the mark the
command ends what a killed script left, and who used the first ones finds those that follow.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from . import _sessions
from ._slurm_request import SlurmRequest

if TYPE_CHECKING:
    from ..launch import Engines

_VARIABLE = "GAMELAN_RUN"
MARK = "run"  # in the facts of a session: the first session that it serves the clients of


def variables(engines: Engines) -> dict[str, str]:
    """What the script's environment says of the engines; engines of a cluster are not replaced unasked."""
    told = {"GAMELAN_CONNECT": engines.connection_file}
    if engines.is_replaceable or engines.continues:
        settings = {**engines._settings, "slurm": engines._settings["slurm"] and dataclasses.asdict(engines._settings["slurm"])}
        told[_VARIABLE] = json.dumps({"connection_file": engines.connection_file, "settings": settings})
    return told


def settings_of(connection_file: str | os.PathLike) -> dict | None:
    """Keyword arguments that start engines as those of this run were; None when the file belongs to no run of ours."""
    try:
        told = json.loads(os.environ.get(_VARIABLE) or "{}")
    except ValueError:
        return None
    if told.get("connection_file") != os.fspath(connection_file):
        return None
    settings = told["settings"]
    return {**settings, "slurm": settings["slurm"] and SlurmRequest(**settings["slurm"])}


def end_once() -> None:
    """A script of `gamelan run` that an interrupt has ended is not interrupted again while it ends, for a second; after that it
    leaves at once. Not where the script has an excepthook of its own."""
    if _VARIABLE not in os.environ or sys.excepthook is not sys.__excepthook__:
        return

    def tell(kind, value, traceback):
        is_the_end = sys._getframe().f_back is None and not sys.flags.interactive  # not a call of the program's own
        if is_the_end and issubclass(kind, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            with contextlib.suppress(KeyboardInterrupt):  # the second one may be on its way
                _let_end()
            _let_end()
        sys.__excepthook__(kind, value, traceback)

    sys.excepthook = tell


def _let_end() -> None:
    limit = time.monotonic() + 1
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130) if time.monotonic() > limit else None)


def mark(engines: Engines, predecessor: Engines) -> None:
    """Note that `engines` serve the clients of their predecessor."""
    mark_as(engines, predecessor.facts.get(MARK, predecessor.session))


def mark_as(engines: Engines, first: str) -> None:
    """Note that `engines` serve the clients of a session, which was the first that they used."""
    directory = Path(engines.connection_file).parent
    engines.facts[MARK] = first
    _sessions.write_facts(directory, (_sessions.read_facts(directory) or engines.facts) | {MARK: first})


def left_by(session: str) -> list[Path]:
    """Connection files of the engines that replaced those of a session and still run, the oldest first."""
    found = []
    for directory in _sessions.directories_in(_sessions.runtime_base()) + _sessions.directories_in(_sessions.shared_base()):
        facts = _sessions.read_facts(directory)
        if facts.get(MARK) == session and _sessions.is_ours(directory, facts) and _sessions.is_alive(facts):
            found.append((facts.get("started", 0.0), directory / "connection.json"))
    return [connection_file for _, connection_file in sorted(found)]
