# SPDX-License-Identifier: BSD-3-Clause
"""The command `gamelan`: run scripts with engines up, look after engines, install the kernel, find what is wrong.

Thin over launch.py and _doctor. Exit codes: 0 done, 1 could not (with what to do), 2 wrong usage; `run` gives the script's.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from . import launch
from ._launch import _environments, _kernelspec, _of_run, _pythons, _routes, _sessions, _tables
from ._launch._arguments import add_start_options, joined, start_settings
from ._launch._attach import only_one
from ._launch._changing_line import TerminalLine
from ._launch._ending import tail
from ._launch._errors import LaunchError
from ._version import VERSION

KEPT_IDLE_SECONDS = 3600.0  # engines that a person started by hand wait this long for a client


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gamelan",
        description="NumPy on all ranks of an MPI job, from one notebook or script.",
        epilog="`gamelan COMMAND --help` tells more of each.",
    )
    parser.add_argument("--version", action="version", version=f"gamelan {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    run = commands.add_parser(
        "run",
        help="run a Python script with engines up; its exit code is the script's",
        description="Start engines, run a Python script that imports gamelan, stop the engines. The Python is that of "
        "GAMELAN_PYTHON, else of the environment that Gamelan was installed in by pip, else of the active venv or conda "
        "environment, else the one that Gamelan was built with.",
    )
    add_start_options(run, f"{launch.DEFAULT_IDLE_SECONDS:g}")
    run.add_argument("-m", dest="is_module", action="store_true", help="run a module by its name, as python3 -m does")
    run.add_argument("script", help="a Python file; with -m a module's name")
    rest = run.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script gets")
    rest.required = False  # argparse would name it among what is missing
    run.set_defaults(act=_run, parser=run)

    engines = commands.add_parser("engines", help="start, stop and look at engines").add_subparsers(
        dest="action", metavar="start | attach | stop | list | status | logs", required=True
    )
    start = engines.add_parser("start", help="start engines that stay until stopped or long unused")
    add_start_options(start, f"{KEPT_IDLE_SECONDS:g}")
    start.add_argument("--foreground", action="store_true", help="stay with them; Ctrl-C stops them")
    start.set_defaults(act=_start, parser=start)
    attach = engines.add_parser("attach", help="find the engines in a Slurm job, and say how to use them")
    attach.add_argument(
        "session",
        nargs="?",
        metavar="WHERE",
        help="a session's name, the number of a Slurm job, or a connection file (default: the engines that run, where nobody "
        "else computes with them)",
    )
    attach.set_defaults(act=_attach, parser=attach)
    stop = engines.add_parser("stop", help="end the engines of a session; arrays are lost")
    stop.add_argument(
        "session", nargs="?", help="name, Slurm job or connection file (default: the only one that runs, if nobody uses it)"
    )
    stop.add_argument("--all", action="store_true", help="every session of yours")
    stop.set_defaults(act=_stop, parser=stop)
    engines.add_parser("list", help="all sessions of yours").set_defaults(act=_list)
    for name, text, act in (("status", "the ranks of a session", _status), ("logs", "what engines printed", _logs)):
        sub = engines.add_parser(name, help=text)
        sub.add_argument("session", nargs="?", help="name, Slurm job or connection file (default: the newest)")
        if name == "logs":
            sub.add_argument("-l", "--lines", type=int, default=100, help="how many lines, from the end (default 100)")
        sub.set_defaults(act=act, parser=sub)

    kernel = commands.add_parser("kernel", help="make the notebook kernel known to Jupyter").add_subparsers(
        dest="action", metavar="install", required=True
    )
    install = kernel.add_parser("install", help="write the kernelspec")
    where = install.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for you (the default)")
    where.add_argument("--sys-prefix", action="store_true", help="into the active environment: its Jupyter alone sees it")
    where.add_argument("--prefix", metavar="DIR", help="into DIR/share/jupyter/kernels")
    install.add_argument("--name", default=_kernelspec.NAME, help="under another name, where there are several environments")
    install.add_argument("--keep", action="store_true", help="leave a kernelspec that starts another Gamelan as it is")
    install.set_defaults(act=_install)

    commands.add_parser("doctor", help="look at MPI, memory, versions, sessions, and say what to do").set_defaults(act=_doctor)
    return parser


def _run(options) -> int:
    script = [*(["-m"] if options.is_module else []), options.script, *options.arguments]
    if not options.is_module and not os.path.exists(options.script):
        print(f"gamelan run: no such file: {options.script}", file=sys.stderr)
        return 2
    interpreter = _interpreter()
    if connect := os.environ.get("GAMELAN_CONNECT"):
        print(
            f"gamelan run: starts engines of its own and does not use GAMELAN_CONNECT={connect}; `python3 {options.script}` does",
            file=sys.stderr,
        )
    engines = _start_and_tell(start_settings(options, options.parser, launch.default_ranks))
    try:
        variables = _pythons.variables() | _of_run.variables(engines)
        variables.pop("GAMELAN_ENGINES", None)
        if options.protect:
            variables["GAMELAN_PROTECT"] = options.protect
        child = subprocess.Popen([interpreter, *script], env=variables)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda got, frame: child.send_signal(got))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal gives Ctrl-C to the script as well
        code = child.wait()
    finally:
        engines.stop()
        for connection_file in _of_run.left_by(engines.session):
            launch.find(connection_file).stop()
    return 128 - code if code < 0 else code  # as a shell says it


def _interpreter() -> str:
    """The Python that the environment names, when Gamelan fits it; else the one that runs this command."""
    program, source = _pythons.chosen()
    if program is None:
        return sys.executable
    _require_gamelan(program, source)
    return program


def _require_gamelan(program: str, source: str) -> None:
    # Where pip has put Gamelan into one environment, another one needs its own.
    answer = _pythons.ask(program, "numpy", *(["gamelan"] if _pythons.is_among_others() else []))
    if refused := _environments.refusal(program, source, answer):
        raise LaunchError(refused)


def _start(options) -> int:
    settings = start_settings(options, options.parser, launch.default_ranks)
    if options.continues:
        options.parser.error(
            "--continue goes with %engines start and gamelan run: the program that computes moves to the next job"
        )
    if settings["idle_timeout"] is None:
        settings["idle_timeout"] = KEPT_IDLE_SECONDS
    settings["lease"] = settings["lease"] or os.environ.get("GAMELAN_LEASE") or "24h"
    if options.slurm or options.foreground:
        engines = _start_and_tell(settings, keep=options.slurm)
        _announce(engines, options.protect)
        if not options.slurm:
            os.chdir("/")  # nobody's folder is in use while engines run
            try:
                print(engines.wait(), flush=True)
            except KeyboardInterrupt:
                engines.stop()
        return 0
    return _start_detached(options)


def _start_and_tell(settings: dict, **more) -> launch.Engines:
    """Start engines while a line says what is waited for; a terminal that is closed ends the wait as Ctrl-C does."""

    def leave(number, frame):
        raise KeyboardInterrupt

    previous = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    line = TerminalLine()
    try:
        return launch.start(**settings, **more, on_progress=line)
    finally:
        line.end()
        for number, action in previous.items():
            signal.signal(number, action)


def _attach(options) -> int:
    _announce(launch.connect(options.session or only_one(launch.list_all(), "gamelan engines attach")))
    return 0


def _start_detached(options) -> int:
    """The same command again, in the foreground of a process that stays as mpiexec's parent."""
    name = options.session or _sessions.random_name()
    arguments = [*options.argv, "--foreground", *([] if options.session else ["--session", name])]
    reader, writer = os.pipe()
    keeper = subprocess.Popen(
        [sys.executable, os.path.abspath(sys.argv[0]), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
        start_new_session=True,  # here: the words may have paths from here on
    )
    os.close(writer)
    with os.fdopen(reader, "r", errors="replace") as output:
        lines = []
        for line in output:  # until it has announced the session, or ended
            lines.append(line)
            if line.startswith("export GAMELAN_CONNECT="):
                sys.stdout.write("".join(lines))
                return 0
    sys.stderr.write("".join(lines))
    return keeper.wait() or 1


def _announce(engines, protect: str | None = None) -> None:
    """Tell who starts them what to set; the last line is GAMELAN_CONNECT's, which _start_detached waits for."""
    who = f"{_tables.engines(engines.ranks)} {'serves' if engines.ranks == 1 else 'serve'}"
    print(f"session {engines.session}: {who}, log {engines.log}")
    if engines.notice:
        print(engines.notice)
    if protect:
        print(f"export GAMELAN_PROTECT={protect}")
    print(f"export GAMELAN_CONNECT={engines.connection_file}", flush=True)


def _find(options, *, only_running: bool) -> launch.Engines | None:
    if options.session:
        return launch.find(options.session)
    known = [each for each in launch.list_all() if not only_running or each["state"] != "ended"]
    if not known:
        print("no engines run" if only_running else "no sessions")
        return None
    if only_running and len(known) > 1:
        raise LaunchError("several sessions run: name one of " + ", ".join(each["session"] for each in known) + ", or --all")
    engines = launch.Engines.of_session(Path(known[0]["connection_file"]))
    if only_running and engines:
        client = _routes.client_of(engines.connection_file)
        if client:
            raise LaunchError(
                f"session {engines.session} computes for process {client[0]} on {client[1]}: to end it all the same, "
                f"gamelan engines stop {engines.session}"
            )
    return engines


def _stop(options) -> int:
    if options.all:
        found = [
            launch.Engines.of_session(Path(each["connection_file"])) for each in launch.list_all() if each["state"] != "ended"
        ]
    else:
        found = [_find(options, only_running=True)]
    for engines in filter(None, found):
        engines.stop()
        print(f"session {engines.session} stopped")
    return 0


def _list(options) -> int:
    sessions = launch.list_all()
    print(_tables.columns(_tables.session_rows(sessions)) if sessions else "no sessions")
    return 0


def _status(options) -> int:
    engines = _find(options, only_running=False)
    if engines:
        print(_tables.StatusTable(engines.status()))
    return 0 if engines else 1


def _logs(options) -> int:
    engines = _find(options, only_running=False)
    if engines:
        print(tail(Path(engines.log), options.lines) or f"nothing in {engines.log}")
    return 0 if engines else 1


def _install(options) -> int:
    program, _ = _pythons.chosen()
    prefix = options.prefix
    if program:
        _require_gamelan(program, program)
    environment = _pythons.ask(program).prefix if program else sys.prefix
    if options.sys_prefix:
        prefix = environment
    place = _kernelspec.folder(prefix, options.name)
    other = _kernelspec.other_program(place)
    if other and options.keep:
        print(f"the kernelspec in {place} starts {other}: it stays. gamelan kernel install without --keep replaces it")
        return 0
    place = _kernelspec.install(prefix, program, options.name)
    print(
        f"kernelspec {options.name} installed in {place}"
        + (f", with {program}" if program else "")
        + (f"; the one that was there started {other}" if other else "")
    )
    is_of_the_system = Path(environment) in (Path("/usr"), Path("/usr/local"))
    if not is_of_the_system and Path(environment) not in place.parents:
        print(f"It starts {environment}: when that environment is gone, run `gamelan kernel install` in another one.")
    return 0


def _doctor(options) -> int:
    from ._doctor import _questions as doctor

    return doctor.main()


def main(arguments: list[str] | None = None) -> int:
    """Entry of the command; returns the exit code."""
    parser = _parser()
    argv = sys.argv[1:] if arguments is None else arguments
    options = parser.parse_args(joined(argv))
    if options.command is None:
        parser.print_help(sys.stderr)
        return 2
    options.argv = argv
    try:
        return options.act(options)
    except (LaunchError, ValueError, OSError) as error:
        print(f"gamelan: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("gamelan: interrupted", file=sys.stderr)
        return 130
