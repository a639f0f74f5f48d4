# SPDX-License-Identifier: BSD-3-Clause
"""Engines that outlive a notebook's kernel still have its arrays. What is kept of a cell says which engines these are and under
which number the kernel held its arrays there; the next kernel attaches to them and takes the arrays over as they lie."""

import os
from typing import NamedTuple

from .. import _core, _session
from .._config import config
from .._errors import EngineTimeoutError, GamelanError
from .._next_engines import show_notice

_left = {}  # what was taken over and not asked for, by folder and by the session here that has it: Taken by the ids there


class Taken(NamedTuple):
    """An array of an earlier kernel's: its id here, whether others may write it, and whether that was done since."""

    id: int
    is_shared: bool = False
    is_written: bool = False


def place(mark):
    """Where the arrays are, for the manifest; None without engines. `mark`: the moment that was marked there."""
    engines = _session.engines()
    if engines is None or not _core.is_connected():
        return None
    ends_with_kernel = getattr(engines, "is_owned", False) and engines.launcher != "slurm"
    return {
        "connection_file": str(engines.connection_file),
        "holder": _core.holder(),
        "mark": mark,
        "ends_with_kernel": ends_with_kernel,
    }


def reach(place):
    """Are these the engines in use, and the arrays there those of another program? Attaches to them where this program has used
    none yet, and they live."""
    from .. import launch

    if not place:
        return False
    file = place["connection_file"]
    if _session.engines() is None and not config.connect and not place["ends_with_kernel"] and os.path.exists(file):
        try:
            _session.use(launch.connect(file))
            show_notice(f"attached to the engines of session {_session.engines().session}, which the earlier kernel used")
        except (GamelanError, launch.LaunchError):
            return False
    _session.ensure_engines()
    engines = _session.engines()
    if engines is None or os.path.realpath(engines.connection_file) != os.path.realpath(file):
        return False
    return place["holder"] != _core.holder()


def inherit(place, data, wanted):
    """Taken or why not, by ids there. ValueError where the other kernel lives."""
    try:
        made, shared, written, taken = _core.inherit(place["holder"], place["mark"], data, wanted)
    except EngineTimeoutError as error:
        raise ValueError(
            f"{error}. Two kernels cannot have one notebook: end the other one, or wait until it has ended. Nothing was changed"
        ) from None
    if taken:
        again = sum(not isinstance(each, str) for each in made.values()) - taken
        rest = f"; {again} had changed and {'was' if again == 1 else 'were'} computed again" if again else ""
        show_notice(f"{taken} array{'s lie' if taken > 1 else ' lies'} on the engines as the earlier kernel left them{rest}")
    return {
        there: here if isinstance(here, str) else Taken(here, there in shared, there in written) for there, here in made.items()
    }


def left(folder):
    """What was taken over of the folder, and nobody has asked for yet: it stays on the engines for who restores more, or once
    again after an error. Who takes an array removes it."""
    if not _core.is_connected() and _core.repeatable() is None:
        return {}  # they have ended, and the arrays with them
    return _left.setdefault((folder, _core.holder()), {})
