# SPDX-License-Identifier: BSD-3-Clause
"""`gamelan doctor`: looks at everything that engines and kernel need, and says what to do about what is wrong.

One function per question, each a verdict; none changes anything. Works without _core and without NumPy.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import launch
from .._launch import _environments, _kernelspec, _lacks, _mpiexec, _pythons, _sessions, _tables
from .._launch._errors import LaunchError
from .._requirements import pip_install
from . import _mpi_questions, _route_questions, _slurm_questions

_COMFORTABLE_SHM_BYTES = 1 << 30


@dataclass
class Verdict:
    state: str  # ok, warn, fail
    what: str
    advice: str = ""


def _text_of(arguments: list[str], seconds: float = 20, **variables: str) -> str:
    try:
        done = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**_mpiexec.environment(), **variables},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def programs() -> Iterator[Verdict]:
    """Are mpiexec, the engine and the kernel there, and do they run?"""
    try:
        mpiexec = _mpiexec.find_mpiexec()
        version = _text_of([mpiexec, "--version"]).splitlines()
        yield Verdict("ok", f"MPI: {version[0] if version else 'unknown version'} ({mpiexec})")
    except LaunchError as error:
        yield Verdict("fail", "MPI: none", str(error))
    try:
        engine = _mpiexec.find_engine()
        version = _text_of([engine, "--version"]).strip()
        if version:
            yield Verdict("ok", f"engine: {version} ({engine})")
        else:
            missing = _lacks.libraries(engine)
            mend = _lacks.other_system("it", missing) if missing else "build it again on this machine: cmake --build build"
            yield Verdict("fail", f"engine: {engine} does not run", mend)
    except LaunchError as error:
        yield Verdict("fail", "engine: none", str(error))
    kernel = _mpiexec.find_program("gamelan-kernel", "GAMELAN_KERNEL")
    if not kernel:
        yield Verdict("warn", "notebook kernel: none", "build it (cmake --build build); scripts work without")
        return
    yield from _kernelspecs(kernel)


def _kernelspecs(kernel: str) -> Iterator[Verdict]:
    """Does Jupyter know the kernel, and does what it knows run?"""
    chosen, _ = _pythons.chosen()
    told = [base for base in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if base.endswith("/share/jupyter")]
    bases = {
        _kernelspec.user_directory(): "--user",
        Path("/usr/local/share/jupyter"): "--prefix /usr/local",
        Path("/usr/share/jupyter"): "--prefix /usr",
    }
    prefix = _pythons.ask(chosen).prefix if chosen else sys.prefix
    own = Path(prefix or "/nowhere") / "share/jupyter"  # a Python that does not run has none; `python` tells that
    # Jupyter in an environment looks there first.
    bases = {own: "--sys-prefix"} | bases if chosen else bases | {own: "--sys-prefix"}
    bases = {Path(base): f"--prefix {shlex.quote(str(Path(base).parents[1]))}" for base in told} | bases
    specs = {base / "kernels" / _kernelspec.NAME: option for base, option in bases.items()}
    spec = next((spec for spec in specs if (spec / "kernel.json").is_file()), None)
    if spec is None:
        yield Verdict("warn", f"notebook kernel: {kernel}, not known to Jupyter", "gamelan kernel install --user")
        return
    program, python = _kernelspec.program_of(spec), _kernelspec.python_of(spec)
    mend = f"gamelan kernel install {specs[spec]}"
    if not (program and shutil.which(program)):
        yield Verdict(
            "fail", f"notebook kernel: Jupyter's kernelspec in {spec} names {program or 'no program'}, which does not run", mend
        )
    elif missing := _lacks.libraries(program):
        yield Verdict("fail", f"notebook kernel: {program} does not run", _lacks.other_system("it", missing))
    elif python and not shutil.which(python):
        yield Verdict("fail", f"notebook kernel: Jupyter's kernelspec in {spec} names {python}, whose environment is gone", mend)
    elif Path(shutil.which(program)).resolve() != Path(kernel).resolve():
        yield Verdict("warn", f"notebook kernel: Jupyter's kernelspec in {spec} names {program}, not this build's {kernel}", mend)
    else:
        yield Verdict("ok", f"notebook kernel: {program}, known to Jupyter in {spec}" + (f", with {python}" if python else ""))


def mpi() -> Iterator[Verdict]:
    """Do the engine's MPI and mpiexec belong together?"""
    for state, what, advice in _mpi_questions.questions():
        yield Verdict(state, what, advice)


def memory() -> Iterator[Verdict]:
    """Is /dev/shm large enough?"""
    try:
        _mpiexec.require_shared_memory(launch.default_ranks())
    except LaunchError as error:
        yield Verdict("fail", "shared memory", str(error))
        return
    facts = os.statvfs("/dev/shm")
    free, total = facts.f_bavail * facts.f_frsize, facts.f_blocks * facts.f_frsize
    line = f"shared memory: /dev/shm has {_tables.size(free)} free of {_tables.size(total)}: all arrays live there"
    if free < _COMFORTABLE_SHM_BYTES:
        yield Verdict(
            "warn",
            line,
            "arrays will be small; in a container: docker run --shm-size=4g; as root: mount -o " "remount,size=4g /dev/shm",
        )
    else:
        yield Verdict("ok", line)


def processors() -> Iterator[Verdict]:
    """Are there as many cores as engines?"""
    cores, ranks = len(os.sched_getaffinity(0)), launch.default_ranks()
    line = f"processors: {cores} cores for {ranks} engines"
    if ranks > cores:
        yield Verdict("warn", line, "more engines than cores take turns: correct, but slower; set GAMELAN_ENGINES or -n")
    else:
        yield Verdict("ok", line)


def blas() -> Iterator[Verdict]:
    """Is the BLAS that the engine gets OpenBLAS?"""
    try:
        libraries = _text_of(["ldd", _mpiexec.find_engine()])
    except LaunchError:
        return
    lines = [line.split("=>")[-1].split("(")[0].strip() for line in libraries.splitlines() if re.search(r"lib(open)?blas", line)]
    resolved = [os.path.realpath(line) for line in lines]
    if not lines:
        yield Verdict("warn", "BLAS: linked statically or not found", "ldd of gamelan-engine shows no libblas")
    elif any("openblas" in path for path in resolved):
        yield Verdict("ok", f"BLAS: OpenBLAS ({next(path for path in resolved if 'openblas' in path)})")
    else:
        yield Verdict(
            "warn",
            f"BLAS: the reference one ({resolved[0]})",
            "matrix products are 4 times slower: apt-get install libopenblas0-pthread",
        )


def python() -> Iterator[Verdict]:
    """Does the Python that people use fit the extension that was built, and has it what the kernel imports?"""
    if not _pythons.built_for():
        yield Verdict("fail", "Python package: no extension _core was built", "build it: cmake --build build")
        return
    chosen, source = _pythons.chosen()
    used = chosen or sys.executable  # by the kernel and `gamelan run`
    yield _python_in_use(used, source)
    for program in sorted({sys.executable, *filter(None, [shutil.which("python3")])} - {used}):
        answer = _pythons.ask(program, "numpy")
        line = f"Python: {program} is {_environments.dotted(answer.version) or 'not runnable'}"
        refused = _environments.refusal(program, program, answer)
        yield Verdict("warn", line, refused) if refused else Verdict("ok", f"{line}, NumPy {answer.modules['numpy']}")


def _python_in_use(program: str, source: str) -> Verdict:
    answer = _pythons.ask(program, "numpy", "IPython", "comm", "gamelan")
    line = f"Python: {program} is {_environments.dotted(answer.version) or 'not runnable'}"
    line += f", chosen by {source}" if source else ""
    line += "".join(f", {name} {answer.modules[key]}" for key, name in _SHOWN if key in answer.modules)
    if refused := _environments.refusal(program, source or program, answer):
        return Verdict("fail", line, refused)
    if "IPython" in answer.faults:
        return Verdict(
            "warn", f"{line}; IPython: {answer.faults['IPython']}", f"notebooks need it: {pip_install(program, 'ipython')}"
        )
    if "gamelan" in answer.faults:
        return Verdict(
            "fail",
            f"{line}; gamelan: {answer.faults['gamelan']}",
            f"build it again for this Python, or tell us: {shlex.join([program, '-c', 'import gamelan'])}",
        )
    engines = _table_of_engine()
    if answer.table and engines and engines != answer.table:
        return Verdict(
            "fail",
            f"{line}; gamelan: op table {answer.table}, the engine's is {engines}",
            "use the package and the engine of one build (GAMELAN_ENGINE names the engine)",
        )
    if "comm" in answer.faults:
        return Verdict("warn", f"{line}; comm: {answer.faults['comm']}", f"widgets need it: {pip_install(program, 'comm')}")
    return Verdict("ok", line)


def _table_of_engine() -> str:
    """The table of operations that the engine was built from; empty where it does not run."""
    try:
        found = re.search(r"op table (\w+)", _text_of([_mpiexec.find_engine(), "--version"]))
    except LaunchError:
        return ""
    return found[1] if found else ""


_SHOWN = (("numpy", "NumPy"), ("IPython", "IPython"))
_WIDGETS = "from importlib.metadata import version; print(version('ipywidgets'))"


def widgets() -> Iterator[Verdict]:
    """Are the widgets, where there are any, such as JupyterLab shows?"""
    version = _text_of([_pythons.chosen()[0] or sys.executable, "-c", _WIDGETS]).strip()
    major = version.split(".")[0]
    if not major.isdigit():
        return
    if int(major) < 7:
        yield Verdict(
            "warn",
            f"widgets: ipywidgets {version}",
            "JupyterLab 3 and later say `model not found` in place of its widgets: in a venv, pip install 'ipywidgets>=8'",
        )
    else:
        yield Verdict("ok", f"widgets: ipywidgets {version}")


def sessions() -> Iterator[Verdict]:
    """What runs, and what did dead sessions leave?"""
    try:
        known = launch.list_all()
    except LaunchError as error:
        yield Verdict("fail", "sessions", str(error))
        return
    running = [each for each in known if each["state"] != "ended"]
    yield Verdict(
        "ok", f"sessions: {len(running)} running" + "".join(f", {each['session']} ({each['ranks']} ranks)" for each in running)
    )
    dead = [each for each in known if each["state"] == "ended"]
    if dead:
        yield Verdict(
            "ok", f"sessions: {len(dead)} dead ones kept for their logs: " + ", ".join(each["session"] for each in dead)
        )


def connection() -> Iterator[Verdict]:
    """Is what GAMELAN_CONNECT names a living session?"""
    connect = os.environ.get("GAMELAN_CONNECT")
    if connect:
        try:
            facts = _sessions.read_connection(launch.find_connection_file(connect))
            yield Verdict("ok", f"GAMELAN_CONNECT: {facts['ranks']} ranks on {facts['host']}")
        except LaunchError as error:
            yield Verdict("fail", "GAMELAN_CONNECT", str(error))


def route() -> Iterator[Verdict]:
    """Which way leads to rank 0, and does it?"""
    for state, what, advice in _route_questions.questions():
        yield Verdict(state, what, advice)


def cluster() -> Iterator[Verdict]:
    """Is there a Slurm, and does it fit?"""
    for state, what, advice in _slurm_questions.questions():
        yield Verdict(state, what, advice)


def trial() -> Iterator[Verdict]:
    """Two engines for a moment: do they start, serve and leave, and how does a program reach them?"""
    try:
        engines = launch.start(2, idle_timeout=30, timeout=20)
    except (LaunchError, OSError) as error:
        yield Verdict("fail", "trial: engines do not start", str(error))
        return
    try:
        facts = _sessions.read_connection(Path(engines.connection_file))
        yield Verdict("ok", f"trial: {engines.ranks} engines started and serve at {facts['addresses'][0]}")
        chosen, source = _pythons.chosen()
        if not chosen or not _environments.refusal(chosen, source, _pythons.ask(chosen, "numpy")):  # else `python` has told it
            yield _trial_program(engines.connection_file)
    finally:
        engines.stop()


def _trial_program(connection_file: str) -> Verdict:
    """A program that computes on the engines and says by which way it reached them."""
    program = (
        "import gamelan as np; from gamelan import _session; "
        "print(np.ones(np.config.distribute_from).sum() > 0, _session.route() + '; ' + _session.threshold())"
    )
    python, _ = _pythons.chosen()
    command = [python or sys.executable, "-c", program]
    found = {name: value for name, value in _pythons.variables().items() if name == "PYTHONPATH"}
    is_right, _, way = _text_of(command, **found, GAMELAN_CONNECT=connection_file).strip().partition(" ")
    if is_right != "True":
        shown = shlex.join([*(f"{name}={value}" for name, value in found.items()), *command])
        return Verdict("fail", "trial: a program could not compute on them", f"run {shown} to see why")
    if "without shared memory" in way:
        return Verdict("warn", f"trial: a program computed on them: {way}", "every look at a value takes some 0.2 ms longer")
    return Verdict("ok", f"trial: a program computed on them: {way}")


QUESTIONS: list[Callable[[], Iterator[Verdict]]] = [
    programs,
    mpi,
    memory,
    processors,
    blas,
    python,
    widgets,
    sessions,
    connection,
    route,
    cluster,
    trial,
]


def main() -> int:
    """Ask everything, print the verdicts and how many of them are no good news; 1 when something must be mended."""
    states = Counter()
    for question in QUESTIONS:
        for verdict in question():
            print(f"[{verdict.state:^4}] {verdict.what}", flush=True)
            if verdict.advice:
                print("       " + verdict.advice.replace("\n", "\n       "), flush=True)
            states[verdict.state] += 1
    found = [
        f"{states[state]} {what}{'s' if states[state] > 1 else ''}{rest}"
        for state, what, rest in (("fail", "thing", " to mend"), ("warn", "warning", ""))
        if states[state]
    ]
    print(", ".join(found) or "all is well")
    return 1 if states["fail"] else 0
