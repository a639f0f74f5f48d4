# SPDX-License-Identifier: BSD-3-Clause
"""Which engines a program gets that has none, or that has lost its own, and what it is told then."""

import signal
import sys

from . import _core
from ._config import config
from ._errors import EngineLostError
from ._launch._changing_line import NotebookLine, TerminalLine
from ._launch._tables import counted

_END_S = 10.0  # within which the launcher learns how engines ended
_told_lost = None  # the engines of another owner of which a first error has told all


def show_notice(text):
    """A line for the user, beside the program's output."""
    print(f"gamelan: {text}", file=sys.stderr, flush=True)


def is_notebook():
    """Are there magics, a cell, a line in it that changes?"""
    found = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return found is not None


def changing_line():
    """One line for what is waited for; to be ended."""
    return NotebookLine() if is_notebook() else TerminalLine()


def job_of(engines):
    """The number of the Slurm job with these engines."""
    return engines.facts.get("slurm_job_id", "")


def first_engines():
    """The engines that the options name, or new ones."""
    from . import launch

    if not config.connect:
        try:
            return launch.start(n=config.engines or None)
        except launch.StartError as error:
            if error.ending is None or error.ending.signal != signal.SIGKILL:
                raise
            show_notice(f"{error.ending.reason}, before they served. New engines start")
            return launch.start(n=config.engines or None)
    try:
        return launch.connect(config.connect)
    except launch.ConnectionFileError:
        ended = launch.Engines.of_run(config.connect)
        if ended is None:
            raise
        show_notice(f"{ended.status()['ending'] or 'the engines of this run are gone'}. New engines start")
        return ended.replace()


def engines_after(lost):
    """What follows engines that are lost, told unless an exception has told it."""
    from . import launch

    if lost.launcher == "slurm":  # whoever asked for a cluster gets no local ones unasked
        return _in_next_job(lost)
    untold = _core.untold_loss()
    cause = untold or str(lost.ending or "the engines do not answer")
    if lost.is_replaceable:
        if untold:
            show_notice(f"{cause}. {_what_follows('new engines start')}")
        try:
            return lost.replace()
        except launch.StartError:  # what has killed the engines may have met their successors, too
            return lost.replace()
    try:  # their owner may have started others in their place, or they answer again
        new = lost.successor()
    except launch.LaunchError:
        raise EngineLostError(_without_owner(lost, cause)) from None
    if untold:
        show_notice(f"{cause}. {_what_follows(_how_reached(lost, new))}")
    return new


def _without_owner(lost, cause):
    """Why a program does not go on whose engines are another's; shorter in a notebook that shows it above."""
    global _told_lost
    was_told, _told_lost = _told_lost is lost, lost
    ways = "; %engines start or %engines attach takes others" if is_notebook() else ""
    if was_told and ways:
        return f"the engines of session {lost.session} are lost, and their owner has started no others{ways}"
    return (
        f"{cause}. This program did not start these engines, and starts no others. It goes on when their owner, or gamelan "
        f"engines start --session {lost.session}, has started some{ways}{_what_comes_again()}"
    )


def _how_reached(lost, new):
    if new.session == lost.session:
        return f"connected to session {new.session} again"
    return f"connected to session {new.session}, which its owner started in their place"


def _in_next_job(lost):
    """The engines of the job that is queued behind that of the lost ones, for which it waits; EngineLostError without one."""
    from . import launch

    following = lost.following()
    if following is not None and not lost.ending:
        lost.wait(_END_S)
    if following is None or not lost.ending:
        _core.untold_loss()
        told = str(lost.ending) if lost.ending else f"the engines do not answer; {lost.last_seen()}"
        again = f"%engines attach {job_of(lost)}, " if not lost.ending else ""
        raise EngineLostError(f"{told}. To go on: {again}{_ways()}")
    tell_what_follows(following)
    job, line = job_of(following), changing_line()
    try:
        return lost.follow(
            lambda text: line(f"{text}. An interrupt ends this wait and loses nothing; %engines stop ends the job")
        )
    except KeyboardInterrupt:
        show_notice(
            f"Slurm job {job} stays in the queue, and nothing is lost. The next use of an array waits again; "
            "%engines stop cancels the job"
        )
        raise
    except launch.LaunchError as error:
        raise EngineLostError(f"{error}. To go on: {_ways()}") from None
    finally:
        line.end()


def tell_what_follows(following):
    """Why the engines were lost and which job takes their place, unless it was told."""
    if untold := _core.untold_loss():
        show_notice(f"{untold}. {_what_follows(f'Slurm job {job_of(following)} takes their place')}")


def _ways():
    return f"%engines restart, %engines start --slurm ..., or %engines stop and have engines on this machine{_what_comes_again()}"


def what_is_repeated():
    """How much the next engines will compute again, in words; None where the arrays would be lost."""
    repeatable = _core.repeatable()
    if repeatable is None:
        return None
    commands, seconds = repeatable
    if not commands:
        return ""
    time = "less than a second" if seconds < 1 else f"about {seconds:.0f} s" if seconds < 120 else f"about {seconds / 60:.0f} min"
    return f"{counted(commands, 'command')}, {time}"


def _what_follows(start):
    """The second half of the notice that engines are lost: `start`, and what becomes of their arrays."""
    repeated = what_is_repeated()
    if repeated is None:
        return f"The arrays on them are lost; {start}"
    if not repeated:
        return f"{start[0].upper()}{start[1:]}"
    is_long = _core.repeatable()[1] >= 60
    way_out = ". To go on without them, interrupt, then %engines stop" if is_long else ""
    return f"{start[0].upper()}{start[1:]}; the arrays are computed again: {repeated}{way_out}"


def _what_comes_again():
    commands = (_core.repeatable() or (0, 0))[0]
    return f". Engines that follow compute the arrays again ({counted(commands, 'command')})" if commands else ""
