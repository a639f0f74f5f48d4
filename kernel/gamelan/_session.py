# SPDX-License-Identifier: BSD-3-Clause
"""The engines of this process: started or found on first need, watched while waiting, left at exit.

`gamelan.launch` knows how to start processes; this module knows only which engines are in use.
"""

import atexit
import contextlib
import json
import os
import socket
import sys
import threading

from . import _core, _next_job, _threshold
from ._config import config
from ._errors import EngineLostError, VersionError
from ._float_errors import forget_warnings
from ._launch import _of_run, _routes
from ._next_engines import engines_after, first_engines
from ._silence import forget_silence, silence, tell_silence
from ._work import end_work, on_progress, recorded_count, tell_work  # noqa: F401  (two of them for the notebook)

__all__ = ["stats", "status", "sync"]

_engines = None  # launch.Engines in use, None when connected by hand or not at all
_parting = None  # why the engines in use are about to be ended by their user, and in which thread
_starting = threading.RLock()
_MOST_AT_EXIT_S = 0.8  # that the engines are asked who else uses them: Jupyter kills a kernel soon
_called_before_end = []
_ending_thread = None  # that ends Python, once the engines are about to be stopped


def engines():
    """The `gamelan.launch.Engines` in use, or None."""
    return _engines


def is_connected():
    """Do the engines in use answer, as far as is known?"""
    return _core.is_connected()


def ensure_engines():
    """Connects to GAMELAN_CONNECT, or starts engines here, unless some are connected already. Lost ones are replaced by
    engines that are started as they were, if this process or `gamelan run` has started them on this machine."""
    if _ending_thread not in (None, threading.get_ident()):
        raise SystemExit  # of a daemon thread, which Python leaves behind: nobody is told
    with _starting:  # threads that need engines at the same time get the same ones
        if _core.is_connected():
            return
        _core.hear_of_end()
        new = first_engines() if _engines is None else engines_after(_engines)
        try:
            use(new)
        except BaseException:
            if new.is_owned and not getattr(new, "is_next_job", False):
                new.stop()
            raise


def use(new_engines):
    """Makes engines from `gamelan.launch` the current ones; arrays of earlier ones are lost."""
    global _engines
    _require_same_build(new_engines)
    _core.hear_of_end()  # while the launcher of the earlier ones is asked
    previous, _engines = _engines, new_engines  # at once: while connecting, their end matters, not that of their predecessors
    for function in _called_before_end:
        call_before_end(function)
    try:
        goes_on = _core.connect(
            str(new_engines.connection_file),
            config.connect_timeout,
            who=_who(),
            **_routes.for_connection(new_engines.connection_file, config.route),
        )
    except BaseException:
        _engines = previous
        raise
    forget_silence()  # that was of the earlier ones
    _routes.note(new_engines.connection_file, _core.route())
    _next_job.watch(new_engines, previous, engines, use)
    for function in _called_before_end:
        call_before_end(function)  # they may have become this process's only now
    if not goes_on:
        config.measure_with(_measured_threshold)


def adopt(settings, owner_pid):
    """Becomes the owner of the engines in use, as `launch.Engines.adopt` says."""
    _engines.adopt(settings, owner_pid)
    for function in _called_before_end:
        call_before_end(function)  # the engines end behind these


def call_before_end(function):
    """Has a function called at exit before the engines in use are ended, which were told last that they are to be."""
    if function not in _called_before_end:
        _called_before_end.append(function)
    atexit.unregister(function)
    atexit.register(function)


def _who():
    """This program, for the people at other clients of the engines."""
    notebook = os.environ.get("JPY_SESSION_NAME")
    script = sys.argv[0] if sys.argv else ""
    name = (
        f"notebook {os.path.basename(notebook)}"
        if notebook
        else os.path.basename(script)
        if script not in ("", "-c")
        else "a program"
    )
    return f"{name}, process {os.getpid()} on {socket.gethostname()}"


def _measured_threshold():
    """The number of elements for `np.config.distribute_from`; None where no engines answer, or they compute for somebody else
    and would let us wait."""
    try:
        if not _core.is_connected() or status()["server"]["is_busy"]:
            return None
        elements = _threshold.measure()
        if getattr(_engines, "is_owned", False):
            _core.configure([("reset_stats", "")])  # the counters are for what the user does
        return elements
    except EngineLostError:  # whoever uses them next hears of it
        return None


def _require_same_build(new_engines):
    """The file of the engines says which table of operations they have: nobody needs to be asked to see another one."""
    told = new_engines.facts.get("fingerprint") if hasattr(new_engines, "facts") else None
    if told and told != f"{_core.fingerprint():016x}":
        raise VersionError(
            f"the engines of session {new_engines.session} were built from another source than this Python package (op table "
            f"{told} there, {_core.fingerprint():016x} here): use the package and the engine of one build (GAMELAN_ENGINE names "
            "the engine), and start new engines"
        )


def release(why="they were disconnected"):
    """Forgets the current engines without stopping them; an array of theirs says `why` it is lost."""
    global _engines
    if _engines is not None:
        _routes.forget(_engines.connection_file)
    _core.hear_of_end()
    _core.lose(why)
    _core.disconnect()
    _engines = None


def part(why):
    """Leaves the current engines, which are about to end; the next ones compute their arrays again. What they are at is
    waited for, unless they do not answer, or a rank is stopped."""
    global _parting
    if _engines is not None:
        _routes.forget(_engines.connection_file)
    _parting = why, threading.get_ident()
    try:
        if _core.is_connected():
            with contextlib.suppress(EngineLostError):
                flush()  # what has its result is not computed twice
        if _parting is not None:
            _core.part(why)
    finally:
        _parting = None


def flush(wait=True):
    """Sends what is recorded; with `wait`, returns when it is computed and raises what went wrong."""
    _core.flush(wait)
    if wait:
        tell_silence()


def flush_cell():
    """The end of a notebook cell: everything recorded in it is computed, or raises here."""
    try:
        if _core.has_unfinished():
            _core.flush(True)
        tell_silence()
    finally:
        end_work()
        forget_warnings()
        forget_silence()  # the next cell that waits says so again


def end_interrupted():
    """The end of an interrupted cell: what it has recorded runs behind it, and the next cell waits for its turn."""
    end_work()
    forget_silence()
    _core.end_interrupted()


@contextlib.contextmanager
def timing(turns=False):
    """For a clock: what is computed in this context is computed though nobody reads it; with `turns`, what a statement
    does is not computed together with what its next turn does."""
    is_on = _core.is_connected()
    if is_on:
        _core.configure([("keep_unread", "1")])
        _core.cut_every_iteration(turns)
    try:
        yield
    finally:
        if is_on and _core.is_connected():
            _core.cut_every_iteration(False)
            _core.configure([("keep_unread", "0")])


def _end_of_engines(wait_s):
    """How the launcher saw the engines end, or None while they run or when nobody watches them."""
    watch = getattr(_engines, "end_cause", None)
    return watch(wait_s) if watch is not None else None


def _leave_silent():
    """They are waited for in vain, and about to be ended: what has no reply is sent to those that follow."""
    global _parting
    (why, _), _parting = _parting, None
    _core.part(why)
    return why


def _while_waiting(seconds, lost):
    if '"time_limit_signal"' in _core.last_status() and hasattr(_engines, "warn_of_time"):
        _engines.warn_of_time()
    if lost:
        forget_silence()
    else:
        tell_work(_engines)
        # Only this thread may leave: it is alone with the engines from then on.
        if _parting is not None and _parting[1] == threading.get_ident() and silence(seconds) is not None:
            return _leave_silent()
        tell_silence(seconds)
    # When the socket closed first, the launcher learns the cause a moment later.
    cause = _end_of_engines(3.0 if lost else 0.0)
    return _with_own_view(cause, lost) if cause and lost else cause or (lost and lost + _last_seen())


def _with_own_view(cause, lost):
    """When two nodes do not hear each other, and rank 0's is not heard here either, it may be that one which is cut off."""
    host = getattr(_engines, "facts", {}).get("engine_host")
    if not host or "has not been heard" not in cause or "has not been heard" in lost:
        return cause
    return f"{cause}. Nor does rank 0 on {host} answer here ({lost}): {host} may be the one that is cut off"


def _last_seen():
    """What is known of engines that do not answer and have not ended, to follow the error."""
    seen = getattr(_engines, "last_seen", lambda: "")()
    return f"; {seen}" if seen else ""


def sync():
    """Wait until everything recorded so far is computed.

    Triggers evaluation. Use it around timings: operations return before they are computed.

    Returns
    -------
    None

    Raises
    ------
    EngineLostError
        If the engines are gone.
    MemoryError
        If the engines have no room for an array.

    Examples
    --------
    >>> import gamelan as np
    >>> np.sync()
    """
    flush(True)


def status():
    """What the engines report of themselves.

    Asks the engines. Triggers no evaluation.

    Returns
    -------
    dict
        Empty when no engines run.

    Raises
    ------
    EngineLostError
        If the engines are gone.
    """
    return json.loads(_core.status()) if _core.is_connected() else {}


def route():
    """How the engines are reached, in words."""
    return _core.route() + (f", connection number {_core.connections()}" if _core.connections() > 1 else "")


def threshold():
    """From which size an array lives on the engines, and who says so, in words."""
    who = "measured" if config.is_measured() else "until it is measured"
    if config.is_given("distribute_from"):
        who = "np.config.distribute_from"
    return f"arrays of {config.distribute_from:,} elements or more live on the engines ({who})"


def stats(reset=False):
    """Counters since the engines started or since the last reset.

    Sends what is recorded. `host_ops` counts the operations on small arrays, which NumPy computes in the notebook's process. The
    other counters are the engines'.

    Parameters
    ----------
    reset : bool, optional
        Set the counters to zero afterwards.

    Returns
    -------
    dict

    Raises
    ------
    EngineLostError
        If the engines are gone.

    Examples
    --------
    >>> import gamelan as np
    >>> np.stats()["host_ops"] >= 0
    True
    """
    counters = dict(_core.stats())
    flush()
    if _core.is_connected():
        counters.update(status())
        if reset:
            _core.configure([("reset_stats", "")])
    return counters


def _leave_to_others():
    # Engines that this process started stay where other clients that live use them. Of those that do not answer nobody knows.
    if os.getpid() != _process or not getattr(_engines, "is_owned", False) or _engines.ending:
        return
    status = json.loads(_core.look_at_status(_MOST_AT_EXIT_S) or "{}")
    if others := status.get("server", {}).get("others"):
        print(f"gamelan: {_engines.leave_to(others)}", file=sys.stderr, flush=True)


def _note_end():
    global _ending_thread
    if os.getpid() == _process:
        _ending_thread = threading.get_ident()
        _core.note_end_of_python(is_last=False)


@atexit.register
def _leave():
    # Engines that this process started end with it; others are only left.
    if os.getpid() != _process:
        return
    tell_silence()
    if _engines is not None and getattr(_engines, "is_owned", False):
        try:
            _engines.stop()
        except Exception as error:  # exit must go on; the engines leave by themselves when nobody is heard
            print(f"gamelan: could not stop the engines: {error}", file=sys.stderr)
    _core.disconnect()
    _core.note_end_of_python(is_last=True)


_process = os.getpid()
call_before_end(_leave_to_others)
call_before_end(_note_end)
_of_run.end_once()
_core.set_start_hook(ensure_engines)
_core.set_wait_hook(_while_waiting)
