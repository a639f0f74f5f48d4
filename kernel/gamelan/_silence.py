# SPDX-License-Identifier: BSD-3-Clause
"""Engines that do not answer for a while (a cut network, a stopped process) are waited for: what the user is told then."""

import json
import time

from . import _core
from ._config import config
from ._launch._tables import counted, duration
from ._next_engines import is_notebook, show_notice

_STOPPED_S = 2.0  # that a rank has been stopped when it is told: a shorter stop is no news
_BEATS_S = 2.0  # of a wait, after which the last heartbeat is of this wait

_since = None  # when the user was told that nothing is heard


def tell_silence(waited_s=0.0):
    """To be called while somebody waits, for so many seconds so far, and when they have answered: one line when the engines have
    become silent, one when they answer again."""
    global _since
    why = silence(waited_s)
    if why and _since is None:
        _since = time.monotonic()
        restart = "; then `%engines restart` starts others, which compute the arrays again" if is_notebook() else ""
        show_notice(f"{why}. Nothing is lost, and the program goes on when the engines do. An interrupt ends the wait{restart}")
    elif not why and _since is not None:
        waited = time.monotonic() - _since
        forget_silence()
        show_notice(f"the engines answer again, {waited:.0f} s later; the program goes on")


def silence(waited_s):
    """Why the engines are waited for in vain, as far as is known after so many seconds, in words; None while they compute."""
    if why := _core.suspension():
        limit = duration(config.link_timeout)
        return f"{why}: waiting up to {limit} (np.config.link_timeout)"
    if waited_s <= _BEATS_S:
        return None
    beat = _core.last_status()
    stopped = json.loads(beat).get("stopped", ()) if '"stopped"' in beat else ()
    return _stopped_in_words([each for each in stopped if each["seconds"] >= _STOPPED_S])


def _stopped_in_words(stopped):
    if not stopped:
        return None
    first = stopped[0]
    since = time.strftime("%H:%M:%S", time.localtime(time.time() - max(each["seconds"] for each in stopped)))
    who = f"rank {first['rank']} on {first['host']} (process {first['process']})"
    if len(stopped) == 1:
        return f"{who} is stopped (noticed at {since}), and the engines wait for it (kill -CONT {first['process']} has it go on)"
    return (
        f"{who} and {counted(len(stopped) - 1, 'other rank')} are stopped (noticed at {since}), and the engines wait for them "
        "(kill -CONT has them go on)"
    )


def forget_silence():
    """The engines are lost, or others are in use."""
    global _since
    _since = None
