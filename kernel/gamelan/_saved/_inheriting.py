# SPDX-License-Identifier: BSD-3-Clause
"""Engines that outlive a notebook's kernel still have its arrays. What is kept of a cell says which engines these are and under
which number the kernel held its arrays there; the next kernel attaches to them and takes the arrays over as they lie."""

import os
from pathlib import Path
from typing import NamedTuple

from .. import _core, _session
from .._config import config
from .._errors import EngineTimeoutError, GamelanError
from .._launch import _sessions
from .._launch._tables import counted
from .._next_engines import show_notice

_left = {}  # what was taken over and not asked for, by folder and by the session here that has it: Taken by the ids there


class Taken(NamedTuple):
    """An array of an earlier kernel's: its id here, whether others may write it, whether that was done since, and whether it was
    computed again on other engines."""

    id: int
    is_shared: bool = False
    is_written: bool = False
    is_made: bool = False


def place(mark):
    """Where the arrays are, for the manifest; None without engines. `mark`: the moment that was marked there."""
    engines = _session.engines()
    if engines is None or not _core.is_connected():
        return None
    return {
        "connection_file": str(engines.connection_file),
        "holder": _core.holder(),
        "mark": mark,
        "settings": engines.settings_for_heir() if hasattr(engines, "settings_for_heir") else None,
        "process": _sessions.this_process(),
        "published": _core.published(),
    }


def reach(place):
    """Are these the engines in use, and the arrays there those of another program? Attaches to them where this program has used
    none yet, and they live: a kernel's own do so for a while, and for as long as other programs use them."""
    if not place:
        return False
    if _session.engines() is None and not config.connect:
        _attach(place)
    _session.ensure_engines()
    engines = _session.engines()
    if engines is None or os.path.realpath(engines.connection_file) != os.path.realpath(place["connection_file"]):
        if engines is not None:
            _tell_left_behind(place, engines)
        return False
    return place["holder"] != _core.holder()


def _attach(place):
    """To the engines there, if they live."""
    from .. import launch

    if not os.path.exists(place["connection_file"]):
        return
    try:
        engines = launch.connect(place["connection_file"])
        _session.use(engines)
    except (GamelanError, launch.LaunchError):
        return
    show_notice(f"attached to the engines of session {engines.session}, which the earlier kernel used")


def _tell_left_behind(place, engines):
    """Other programs may still use the engines of the earlier kernel, and write to what it has published. Where these have ended,
    their clients may follow to those of this kernel."""
    directory = Path(place["connection_file"]).parent
    if not place.get("settings"):
        return
    if not os.path.exists(place["connection_file"]) or not _sessions.is_alive(_sessions.read_facts(directory)):
        engines.follow_lost(directory.name)
    else:
        show_notice(
            f"the engines of the earlier kernel still run (session {directory.name}). Its arrays come to those in use as it "
            "left them; what others have written there since stays there"
        )


def inherit(place, data, wanted):
    """Taken or why not, by ids there. Engines that the earlier kernel has started become this program's own. ValueError where the
    other kernel lives."""
    process = place.get("process", {})
    try:
        made, shared, written, taken = _core.inherit(place["holder"], place["mark"], data, wanted, _sessions.has_ended(process))
    except EngineTimeoutError as error:
        raise ValueError(
            f"{error}. Two kernels cannot have one notebook: end the other one, or wait until it has ended. Nothing was changed"
        ) from None
    if place.get("settings"):
        _session.adopt(place["settings"], process.get("pid"))
    again = sum(not isinstance(each, str) for each in made.values()) - taken
    if again and not taken:
        show_notice(f"the engines have computed {counted(again, 'array')} of the earlier kernel again")
    if taken:
        rest = f"; {again} had changed and {'was' if again == 1 else 'were'} computed again" if again else ""
        show_notice(f"{taken} array{'s lie' if taken > 1 else ' lies'} on the engines as the earlier kernel left them{rest}")
    alone = {there for there, here in made.items() if not isinstance(here, str)} - {*shared}
    apart = [repr(name) for name, there, _ in place.get("published", ()) if there in alone]
    if apart:  # the earlier kernel has left in good order, and what others use has stayed
        names = ", ".join(sorted(apart))
        show_notice(f"what was published as {names} is computed again, for this kernel alone: np.attach gives what others use")
    return {
        there: here if isinstance(here, str) else Taken(here, there in shared, there in written) for there, here in made.items()
    }


def left(folder):
    """What was taken over of the folder, and nobody has asked for yet: it stays on the engines for who restores more, or once
    again after an error. Who takes an array removes it."""
    if not _core.is_connected() and _core.repeatable() is None:
        return {}  # they have ended, and the arrays with them
    return _left.setdefault((folder, _core.holder()), {})
