# SPDX-License-Identifier: BSD-3-Clause
"""What a program does about the end of the Slurm job with its engines: a checkpoint before, the next job after (--continue).

`watch` is told of engines that come into use. The job behind theirs is queued at once. When theirs ends, whoever needs the
engines first moves to it: a cell that runs or waits (_next_engines.py), or else the thread here.
"""

import os
import threading
import time

from . import _core
from ._config import config
from ._launch._errors import LaunchError
from ._next_engines import is_notebook, job_of, show_notice, tell_what_follows, what_is_repeated

_LOOK_S = 1.0
_ASK_S = 60.0  # between questions to Slurm whether a job that nobody waits for still has a chance
_PAUSE_S = 0.5
_MOST_S = 3600.0  # that a checkpoint before the end is waited for: a job has ended by then

_batches_at_begin = 0  # of this program, when the engines in use came into use
_refusal = ""  # why no job is queued behind that of the engines in use
_is_promised = False  # a checkpoint, to the user


def watch(engines, previous, current, use):
    """`engines` came into use after `previous`. `current()`: those that are in use; `use(engines)`: has others used."""
    global _batches_at_begin, _refusal
    if hasattr(previous, "end_chain") and previous is not engines:
        previous.end_chain(but=engines)
    if not hasattr(engines, "on_notice"):
        return
    is_idle = getattr(previous, "continues", False) and _batches() == _batches_at_begin
    _batches_at_begin, _refusal = _batches(), ""
    engines.on_notice(lambda notice: _time_is_short(engines, notice) if engines.is_time_short else show_notice(notice))
    if engines.launcher != "slurm":
        return
    if engines.continues:
        if is_idle:
            _refusal = "nothing was computed in the job before"
        else:
            _queue(engines)
            if _refusal:
                show_notice(
                    f"no job could be queued behind Slurm job {job_of(engines)}: {_refusal}. It is tried again before its end"
                )
    engines.on_end(lambda ending: threading.Thread(target=_move, args=(engines, current, use), daemon=True).start())


def take_promise():
    """Was a checkpoint announced to the user? Then he should hear of it, once."""
    global _is_promised
    is_promised, _is_promised = _is_promised, False
    return is_promised


def _batches():
    return dict(_core.stats()).get("sent_batches", 0)


def _queue(engines):
    global _refusal
    try:
        engines.queue_next()
        _refusal = ""
    except (LaunchError, OSError) as error:
        _refusal = str(error)


def _time_is_short(engines, notice):
    """Little of the job's time is left: says what comes then, and has a checkpoint made. Called on the watching thread."""
    global _is_promised
    if engines.launcher == "slurm" and engines.continues and engines.following() is None and _batches() != _batches_at_begin:
        _queue(engines)
    show_notice(f"{notice}{_what_comes_then(engines)}")
    if config.protect:
        _is_promised = True
        threading.Thread(target=_store_before_the_end, args=(engines,), daemon=True).start()


def _what_comes_then(engines):
    following = engines.following() if engines.launcher == "slurm" else None
    if following is not None:
        return f"; it continues in job {job_of(following)}, which is queued behind it{_how()}"
    none = f"; no job follows: {_refusal}" if _refusal else ""
    if is_notebook() and engines.launcher == "slurm" and what_is_repeated() is not None:
        how = "restart" if getattr(engines, "_settings", None) else "start --slurm ..."
        return f"{none}; it continues with %engines {how}{_how()}"
    return f"{none}; save what you need: what lives on the engines is lost then"


def _how():
    """How the arrays come to the next engines."""
    if config.protect:
        return f". A checkpoint is made in {config.protect}"
    repeated = what_is_repeated()
    return f". There the arrays are computed again: {repeated}" if repeated else ""


def _store_before_the_end(engines):
    """A program that uses the engines makes the checkpoint between two batches; for one that is elsewhere, it is made here.
    While another one is on its way to the disk, both wait for that."""
    _core.ask_for_checkpoint(True)
    quiet, end = 0, time.monotonic() + _MOST_S
    while _core.is_checkpoint_asked_for() and not engines.ending and time.monotonic() < end:
        quiet = quiet + 1 if _core.is_idle() else 0
        if quiet > 2:
            _core.store_if_due()
        time.sleep(_PAUSE_S)


def _move(engines, current, use):
    """The engines have ended. Moves to the next job when it runs, unless a cell has done so or the user chose others."""
    following = engines.following()
    if following is None:
        return
    next_ask = time.monotonic() + _ASK_S
    while not os.path.exists(following.connection_file):
        if following.ending or current() is not engines:
            return
        if time.monotonic() > next_ask:
            next_ask = time.monotonic() + _ASK_S
            if following.status()["state"] == "ended":
                return  # the next use of an array says why
        time.sleep(_LOOK_S)
    time.sleep(2 * _LOOK_S)  # a cell that waits comes first
    try:
        with _core.Alone():
            _core.hear_of_end()
            if current() is engines and not _core.is_connected():
                tell_what_follows(following)
                use(engines.follow(lambda line: None))
    except Exception as error:  # on a thread of its own; the next use of an array tries again
        show_notice(f"Slurm job {job_of(following)} was not joined: {error}. The next use of an array tries again")
