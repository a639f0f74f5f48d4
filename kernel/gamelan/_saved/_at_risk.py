# SPDX-License-Identifier: BSD-3-Clause
"""Variables that would be lost with their engines, because the session's log had no room for what made them: in %session, and
told once at the end of the cell after which there are some."""

from .. import _core
from .._config import config
from .._local import is_distributed
from .._next_engines import show_notice

_has_told = False


def at_risk(variables):
    """Names of variables by the reason why the log cannot make them. Arrays within other values are not looked for."""
    why, found = _core.unlogged(), {}
    for name, value in variables.items() if why else ():
        if is_distributed(value) and value._b.id in why:
            found.setdefault(why[value._b.id], []).append(name)
    return found


def in_words(variables):
    """A line for each reason; nothing where all can be computed again."""
    return [f"would be lost with the engines: {', '.join(names)}: {why}" for why, names in at_risk(variables).items()]


def tell_once(variables_of):
    """Of what the log's limit has cost, unless checkpoints are made."""
    global _has_told
    if _has_told or config.protect or not _core.unlogged():
        return
    names = [name for why, named in at_risk(variables_of()).items() if "np.config.log_bytes" in why for name in named]
    if names:
        _has_told = True
        those = "it" if len(names) == 1 else "them"
        show_notice(
            f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''} would be lost with the engines: the log has no room "
            f"(np.config.log_bytes). np.config.protect = 'memory', or a folder, keeps {those}"
        )
