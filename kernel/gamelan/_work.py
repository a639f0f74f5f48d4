# SPDX-License-Identifier: BSD-3-Clause
"""How much of what is recorded the engines have done, told while somebody waits for them: to the notebook's bar, and to
whoever asks elsewhere for the status of the engines."""

import json
import time

from . import _core
from ._launch import _work_note
from ._launch._tables import counted
from ._places import place

_progress = None
_busy_since = _last_wait = _next_note = 0.0
_noted_in = None  # the connection file of the engines that somebody may ask what they compute


def on_progress(callback):
    """Have `callback(done, recorded, place)` called about ten times a second while the engines are waited for; None to stop.

    See `work` for what it is given.
    """
    global _progress
    _progress = callback


def recorded_count():
    """How many operations the program has recorded since the engines were connected."""
    sent, pending, _ = _core.work_ahead()
    return sent + pending


def work():
    """(done, recorded, place): operations done of those recorded since the engines were connected, and the line that
    computes, in words; of a batch that runs as far as the last heartbeat told, which is at most a second old."""
    sent, pending, unanswered = _core.work_ahead()
    beat = json.loads(_core.last_status())
    done = sent - sum(unanswered.values())
    running = unanswered.get(beat.get("batch"), 0)
    if beat.get("steps_planned"):
        done += running * min(beat["steps_done"], beat["steps_planned"]) // beat["steps_planned"]
    return done, sent + pending, place(beat.get("file"), beat.get("line")) if unanswered else ""


def tell_work(engines):
    """While the engines are waited for: to the notebook's bar, and to whoever asks for their status elsewhere."""
    global _busy_since, _last_wait, _next_note, _noted_in
    now = time.monotonic()
    if now - _last_wait > 0.5:
        _busy_since, _next_note = now, now + 1.0
    _last_wait = now
    if _progress is None and now < _next_note:
        return
    done, total, where = work()
    if _progress is not None:
        _progress(done, total, where)
    if now >= _next_note and total > done and engines is not None:
        _next_note, _noted_in = now + 1.0, engines.connection_file
        beat = json.loads(_core.last_status())
        step = f"pass {beat['steps_done'] + 1} of {beat['steps_planned']} of its batch" if beat.get("batch") else ""
        ahead = f"{counted(total - done, 'recorded operation')} to do"
        _work_note.leave(engines.connection_file, ", ".join(filter(None, [where, step, ahead, f"for {now - _busy_since:.0f} s"])))


def end_work():
    """A cell is over: what was said of it elsewhere is."""
    global _noted_in
    if _noted_in is not None:
        _work_note.remove(_noted_in)
        _noted_in = None
