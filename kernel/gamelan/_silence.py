# SPDX-License-Identifier: BSD-3-Clause
"""Engines that are silent for a while (a cut network, a process that is stopped) are waited for: what the user is told then."""

import time

from . import _core
from ._config import config
from ._launch._tables import duration
from ._next_engines import show_notice

_since = None  # when the user was told that nothing is heard


def tell_silence():
    """To be called while somebody waits: one line when the engines have become silent, one when they answer again."""
    global _since
    why = _core.suspension()
    if why and _since is None:
        _since = time.monotonic()
        limit = duration(config.link_timeout)
        show_notice(f"{why}. Their arrays are kept: waiting up to {limit} (np.config.link_timeout); an interrupt ends the wait")
    elif not why and _since is not None:
        waited = time.monotonic() - _since
        forget_silence()
        show_notice(f"the engines answer again, {waited:.0f} s later; the program goes on")


def forget_silence():
    """The engines are lost, or others are in use."""
    global _since
    _since = None
