# SPDX-License-Identifier: BSD-3-Clause
"""%engines, %session and %%explain, for the Gamelan kernel and for any IPython: `%load_ext gamelan._magics`.

Thin: words of a line in, calls of launch.py and of the session, a table out.
"""

from __future__ import annotations

import os
import shlex
import socket

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class, no_var_expand

from . import _core, _explain, _session, launch
from ._config import config
from ._config import options as options_of
from ._held_arrays import held_arrays
from ._launch import _routes
from ._dry._magic import DryMagics
from ._launch._arguments import add_start_options, joined, positive, start_settings
from ._launch._attach import only_one
from ._launch._changing_line import NotebookLine
from ._launch._errors import LaunchError
from ._launch._tables import StatusTable, counted
from ._magic_parser import Finished, MagicParser
from ._named_memory import MemoryTable
from ._protection import checkpoint
from ._protection import folder as checkpoints
from ._saved._at_risk import lost_in_restart
from ._session_magic import SessionMagics


def _parser() -> MagicParser:
    parser = MagicParser(prog="%engines", description="The engines that this notebook computes with.")
    commands = parser.add_subparsers(dest="command", metavar="start | attach | stop | restart | status | memory | arrays | help")
    for name, text in (
        ("start", "start engines, on this machine or under Slurm"),
        ("attach", "use engines that run already"),
        ("stop", "end them; arrays are lost"),
        ("restart", "end them and start as before; the new ones compute the arrays again"),
        ("status", "a table of them (the default)"),
        ("memory", "which names hold how many bytes"),
        ("arrays", "whose arrays lie on the engines, and how large they are"),
        ("help", "this text"),
    ):
        sub = commands.add_parser(name, help=text, description=text)
        if name == "start":
            add_start_options(sub, f"{launch.DEFAULT_IDLE_SECONDS:g}")
        elif name == "attach":
            sub.add_argument(
                "where",
                nargs="?",
                metavar="WHERE",
                help="a session's name, the number of a Slurm job, or a connection file (default: the engines that run, where "
                "nobody else computes with them)",
            )
        elif name == "status":
            sub.add_argument("--all", action="store_true", help="with every counter of np.stats()")
        elif name == "stop":
            sub.add_argument(
                "session", nargs="?", help="name, Slurm job or connection file (default: those this notebook has started)"
            )
        elif name == "restart":
            sub.add_argument(
                "-n", "--ranks", type=positive, metavar="N", help="how many engines from now on (default: as many as before)"
            )
    return parser


_LONG_S = 10.0  # of a wait that has told whether a rank is stopped


@magics_class
class EngineMagics(Magics):
    """`%engines ...` and `%explain`."""

    @line_magic
    def engines(self, line: str):
        """Start, stop, restart or look at the engines: `%engines start -n 4`; `%engines start --help` tells all."""
        parser = _parser()
        try:
            options = parser.parse_args(joined(shlex.split(line)))
        except Finished:
            return None
        except ValueError as error:
            raise UsageError(f"%engines: {error}") from None
        command = options.command or "status"
        try:
            return getattr(self, "_" + command)(options, parser)
        except (LaunchError, ValueError) as error:
            raise UsageError(str(error)) from None

    def _start(self, options, parser):
        settings = start_settings(options, parser, launch.default_ranks)
        self._require_none()
        if options.protect:
            config.protect = options.protect
        line = NotebookLine()
        try:
            engines = launch.start(**settings, on_progress=line)
        finally:
            line.end()
        return self._use(engines)

    def _attach(self, options, parser):
        self._require_none()
        return self._use(launch.connect(options.where or only_one(launch.list_all(), "%engines attach")))

    @staticmethod
    def _require_none():
        running = _session.engines()
        if running is not None and not running.ending and _session.is_connected():
            raise UsageError(f"engines run already ({counted(running.ranks, 'rank')}): %engines stop first, or %engines restart")

    def _stop(self, options, parser):
        own = _session.engines() or launch.current()
        engines = launch.find(options.session) if options.session else own
        if engines is None:
            print("no engines run")
            return
        if not options.session:
            self._require_own(engines)
        if own is not None and engines.connection_file == own.connection_file:
            checkpoints.remove_from_nodes()
            _session.release(f"session {own.session} was stopped by %engines stop")
            engines = own  # which knows the process that it started
        engines.stop()
        print(f"engines of session {engines.session} stopped")

    @staticmethod
    def _require_own(engines):
        """Engines that others started or use are ended only by name."""
        if engines.ending:
            return
        client = _routes.client_of(engines.connection_file)
        if client is not None and client != (os.getpid(), socket.gethostname()):
            why = f"computes for process {client[0]} on {client[1]}, too"
        elif not engines.is_owned:
            why = "was not started by this notebook"
        else:
            return
        raise UsageError(f"session {engines.session} {why}: to end it all the same, %engines stop {engines.session}")

    def _help(self, options, parser):
        parser.print_help()

    def _restart(self, options, parser):
        engines = _session.engines() or launch.current()
        if engines is None:
            return self._use(launch.start(n=options.ranks))
        engines.require_restartable(options.ranks)
        self._keep_at_risk(engines)
        line = NotebookLine()
        try:
            _session.part(f"session {engines.session} was ended by %engines restart")
            engines = engines.restart(line, n=options.ranks)
            return self._use(engines)
        finally:
            line.end()
            _core.end_part()

    def _keep_at_risk(self, engines):
        """Arrays that the next engines could not compute again are written first. UsageError where that cannot be."""
        if engines.ending or not _core.is_connected():
            return
        why = _session.silence(_LONG_S)
        names = lost_in_restart(self.shell.user_ns, may_ask=why is None)
        if not names:
            return
        try:
            if why:
                raise OSError(why)
            with options_of(protect=config.protect or "memory"):
                checkpoint()
        except (OSError, ValueError, MemoryError) as error:
            raise UsageError(
                f"{', '.join(names)} would be lost with these engines, and cannot be written before: {error}. %session save DIR "
                "keeps them; %engines stop ends the engines all the same"
            ) from None

    def _status(self, options, parser):
        engines = _session.engines() or launch.current()
        if engines is None:
            print("no engines run; the first large array starts them, or %engines start -n 4")
            return None
        return self._table(engines, getattr(options, "all", False))

    def _memory(self, options, parser):
        _session.flush()
        return MemoryTable(self.shell.user_ns, _session.status())

    def _arrays(self, options, parser):
        return held_arrays(self.shell.user_ns)

    @staticmethod
    def _use(engines):
        _session.use(engines)
        return EngineMagics._table(engines)

    @staticmethod
    def _table(engines, is_all=False):
        state = engines.status()
        if _session.engines() is engines and state["state"] == "running":
            state["route"] = _session.route()
            state["threshold"] = _session.threshold()
        return StatusTable(state, _session.status() if state["state"] == "running" else None, is_all)

    @no_var_expand
    @line_cell_magic
    def explain(self, line: str, cell: str | None = None):
        """The plan of what is recorded: of an expression (`%explain a + b`), or of a cell, whose names stay."""
        if cell is None:
            value = self.shell.ev(line) if line.strip() else None
            print(_explain.explain(value))
            return
        _session.flush()
        self.shell.ex(cell)
        print(_explain.explain())


def load_ipython_extension(shell) -> None:
    """Called by %load_ext."""
    shell.register_magics(EngineMagics)
    shell.register_magics(SessionMagics)
    shell.register_magics(DryMagics)
