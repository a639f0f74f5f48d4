# SPDX-License-Identifier: BSD-3-Clause
"""Variables that would be lost, with their engines or with the kernel and its engines: the log has no room for what made them,
their file has been written since, others have written into them. In %session, told once at the end of a cell, and what a restart
of the engines asks for."""

import json

from .. import _core
from .._config import config
from .._local import is_distributed
from .._next_engines import show_notice
from .._protection import folder as checkpoints
from ._repeating import KeptLog, is_too_long

_TOO_MANY = (
    "more elements of this program's own than np.config.kept_bytes has room for; np.config.protect ('memory', or a folder) "
    "keeps them"
)
_REASONS = {  # as an array's own reason has them, and as they are told
    "np.config.log_bytes": "the log has no room (np.config.log_bytes)",
    "has written its file": "this program has written the file from which it would be read",
}
_seen_bytes = 0  # of the log, when it was looked into last
_needless_bytes = 0  # of the log, when a checkpoint was found needless
_told = set()  # of these, and of the one above
_MOST_NAMES = 3  # that are told at a cell's end


def at_risk(variables):
    """Names of variables by the reason why the log cannot make them. Arrays within other values are not looked for."""
    return _by_reason(_core.unlogged(), variables)[0]


def _by_reason(why, variables):
    """Names of the variables whose arrays are in `why`, by the reason there; and the ids in `why` that are no variable."""
    found, within = {}, {*why}
    for name, value in variables.items() if why else ():
        if is_distributed(value) and value._b.id in why:
            found.setdefault(why[value._b.id], []).append(name)
            within.discard(value._b.id)
    return found, within


def lost_in_restart(variables, may_ask):
    """What engines which follow those in use could not make: names of variables, and words for what is within others. The log has
    lost it, or, as far as is known and the engines say if they may be asked, other clients have written into it."""
    found, within = _by_reason(_core.unlogged(), variables)
    names = {*sum(found.values(), [])}
    if may_ask:
        own = {each[0] for each in _core.log_arrays()}
        names |= {name for id, named in written_by_others(variables).items() if id in own for name in named}
    removed = ["arrays of the checkpoint, which somebody has removed"] if checkpoints.lacks(_core.log_files()) else []
    return [*sorted(names), *(["arrays within other values"] if within or _core.has_foreign() else []), *removed]


def written_by_others(variables, mark=None):
    """id -> names of arrays, published or attached, into which another client has written: behind a mark, or ever."""
    shared = {}
    for name, value in variables.items():
        if is_distributed(value) and value._b.is_shared and not value._b.is_lost:
            shared.setdefault(value._b.id, []).append(name)
    if not shared or not _core.ranks():
        return {}
    told, own, found = json.loads(_core.ask_holding("list")), _core.holder(), {}
    moment = dict(told["marks"]).get(mark, 0)
    for each in told["arrays"]:
        is_of_another = each["writer"] != own and each["written"] > moment
        if each["id"] in shared and (is_of_another or each["written_by_others"] > moment):
            found[each["id"]] = shared[each["id"]]
    return found


def lost_with_kernel(variables):
    """Names of variables that the next kernel could not make: what is kept for it has no room for this program's own elements,
    from which they were made. Those that would be lost with the engines are not named again."""
    if not config.kept_bytes or not is_too_long():
        return []
    if KeptLog.is_left_out:
        return [name for name, value in variables.items() if is_distributed(value)]
    ids = {*_core.lost_without_elements()} - _core.unlogged().keys()
    return [name for name, value in variables.items() if is_distributed(value) and value._b.id in ids]


def in_words(variables):
    """A line for each reason; nothing where all can be computed again."""
    lines = [f"would be lost with the engines: {', '.join(names)}: {why}" for why, names in at_risk(variables).items()]
    if names := lost_with_kernel(variables):
        lines.append(f"would be lost with this kernel and its engines: {', '.join(names)}: {_TOO_MANY}")
    return lines


def tell_once(variables_of):
    """Of what the limits, and files that the program has written, have cost; once for each, unless checkpoints are made."""
    if config.protect:
        return
    if len(_told) < len(_REASONS) and _core.unlogged():
        found = at_risk(variables_of())
        for mark, words in _REASONS.items():
            names = [name for why, named in found.items() if mark in why for name in named]
            if names and mark not in _told:
                _told.add(mark)
                those = "it" if len(names) == 1 else "them"
                keeps = f"np.config.protect = 'memory', or a folder, keeps {those}"
                show_notice(f"{_some(names)} would be lost with the engines: {words}. {keeps}")
    if _TOO_MANY not in _told and is_too_long() and _has_grown():
        if names := lost_with_kernel(variables_of()):
            _told.add(_TOO_MANY)
            show_notice(f"{_some(names)} would be lost with this kernel and its engines: {_TOO_MANY}")


def needs_checkpoint():
    """Are checkpoints made, and would the next kernel miss arrays because the log has more of this program's own elements than
    are kept for it? Not of what the program has let go of. To be asked when the engines have nothing to do."""
    global _needless_bytes
    if not _core.makes_checkpoints() or not config.kept_bytes:
        return False
    if not is_too_long() or _core.stats()["log_bytes"] == _needless_bytes:  # to look into all of a long log takes time
        return False
    try:
        _core.flush(True)  # what was let go of is freed
    except Exception:
        return False  # engines that are lost are the next statement's matter
    _core.prune_log()
    is_needed = is_too_long() and (KeptLog.is_left_out or bool(_core.lost_without_elements()))
    _needless_bytes = 0 if is_needed else _core.stats()["log_bytes"]
    return is_needed


def _has_grown():
    """By an eighth since this was asked: to look into all of a long log takes time."""
    global _seen_bytes
    held = _core.stats()["log_bytes"]
    if 8 * held < 9 * _seen_bytes:
        return False
    _seen_bytes = held
    return True


def _some(names):
    return ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
