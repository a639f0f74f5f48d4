# SPDX-License-Identifier: BSD-3-Clause
"""Engines that outlive a notebook's kernel still have its arrays. What is kept of a cell says which engines these are and under
which number the kernel held its arrays there; the next kernel attaches to them and takes the arrays over as they lie."""

import os

from .. import _core, _session
from .._config import config
from .._errors import EngineTimeoutError, GamelanError
from .._next_engines import show_notice

_left = {}  # what was taken over and not asked for, by folder: ids there, and (id here, may others write it?)


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
    """(ids here or why not, by ids there; ids of those that others may write). ValueError where the other kernel lives."""
    try:
        made, shared, taken = _core.inherit(place["holder"], place["mark"], data, wanted)
    except EngineTimeoutError as error:
        raise ValueError(
            f"{error}. Two kernels cannot have one notebook: end the other one, or wait until it has ended. Nothing was changed"
        ) from None
    if taken:
        again = sum(not isinstance(each, str) for each in made.values()) - taken
        rest = f"; {again} had changed and {'was' if again == 1 else 'were'} computed again" if again else ""
        show_notice(f"{taken} array{'s lie' if taken > 1 else ' lies'} on the engines as the earlier kernel left them{rest}")
    return made, shared


def leave(folder, made):
    """These arrays, by their ids there, stay on the engines for who restores more of the folder."""
    _left.setdefault(folder, {}).update(made)


def take_left(folder):
    """What `leave` has left of the folder."""
    return _left.pop(folder, {})
