# SPDX-License-Identifier: BSD-3-Clause
"""Which engines a program gets that has none, or that has lost its own, and what it is told then."""

import sys

from . import _core
from ._config import config
from ._errors import EngineLostError


def show_notice(text):
    """A line for the user, beside the program's output."""
    print(f"gamelan: {text}", file=sys.stderr, flush=True)


def first_engines():
    """The engines that the options name, or new ones."""
    from . import launch

    if not config.connect:
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

    untold = _core.untold_loss()
    cause = untold or str(lost.ending or "the engines do not answer")
    if lost.launcher == "slurm":  # whoever asked for a cluster gets no local ones unasked
        told = str(lost.ending) if lost.ending else f"the engines do not answer; {lost.last_seen()}"
        again = f"%engines attach {lost.facts['slurm_job_id']}, " if not lost.ending else ""
        raise EngineLostError(
            f"{told}. To go on: {again}%engines restart, %engines start --slurm ..., or %engines stop and "
            f"have engines on this machine{_what_comes_again()}"
        )
    if lost.is_replaceable:
        if untold:
            show_notice(f"{cause}. {_what_follows('new engines start')}")
        try:
            return lost.replace()
        except launch.StartError:  # what has killed the engines may have met their successors, too
            return lost.replace()
    try:  # their owner may have started others under that name, or they answer again
        new = launch.connect(lost.connection_file)
    except launch.LaunchError:
        raise EngineLostError(
            f"{cause}. This program did not start these engines and starts no others in their place. It goes on "
            f"when engines serve "
            f"again at {lost.connection_file} (gamelan engines start --session {lost.session}); in a notebook, %engines start or "
            f"%engines attach takes others{_what_comes_again()}"
        ) from None
    if untold:
        show_notice(f"{cause}. {_what_follows(f'connected to session {new.session} again')}")
    return new


def _what_follows(start):
    """The second half of the notice that engines are lost: `start`, and what becomes of their arrays."""
    repeatable = _core.repeatable()
    if repeatable is None:
        return f"The arrays on them are lost; {start}"
    commands, seconds = repeatable
    if not commands:
        return f"{start[0].upper()}{start[1:]}"
    time = "less than a second" if seconds < 1 else f"about {seconds:.0f} s" if seconds < 120 else f"about {seconds / 60:.0f} min"
    way_out = "" if seconds < 60 else ". To go on without them, interrupt, then %engines stop"
    return (
        f"{start[0].upper()}{start[1:]}; the arrays are computed again: {commands:,} command{'s' if commands > 1 else ''}, "
        f"{time}{way_out}"
    )


def _what_comes_again():
    commands = (_core.repeatable() or (0, 0))[0]
    return (
        f". Engines that follow compute the arrays again ({commands:,} command{'s' if commands > 1 else ''})" if commands else ""
    )
