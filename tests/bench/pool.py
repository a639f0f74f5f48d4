# SPDX-License-Identifier: BSD-3-Clause
"""Workers as the harness sees them: a process per competitor, asked in turn, each answer within a time limit.

A worker that dies, hangs or talks nonsense becomes an error of its case; it never takes the run down. The lines are described in
README.md of this folder.
"""

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("GAMELAN_BUILD") or FOLDER.parents[1] / "build").resolve()
_STOP_LIMIT_S = 10
_TOLD_BYTES = 400  # of a dead worker's stderr


class WorkerError(Exception):
    """Why a worker gave no answer."""


class Worker:
    """One competitor at one case. `name` is its column: numpy, numexpr, dask, gamelan-2, reference-2."""

    def __init__(self, name, command, environment=None):
        self.name, self.facts = name, {}
        self._errors = tempfile.TemporaryFile()
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env={**surroundings(), **(environment or {})}, start_new_session=True)  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def answer(self, limit_s):
        """The next line as a dict; raises WorkerError when there is none in time."""
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty:
            raise WorkerError(f"no answer within {limit_s:.0f} s") from None
        if line is None:
            raise WorkerError(self._last_words())
        try:
            return dict(json.loads(line))
        except (ValueError, TypeError):
            raise WorkerError(f"answered {line[:_TOLD_BYTES]!r}") from None

    def run(self, limit_s):
        """Has the case run once."""
        self._order("run")
        return self.answer(limit_s)

    def _order(self, what):
        try:
            self._process.stdin.write(json.dumps({"do": what}) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise WorkerError(self._last_words()) from None

    def _last_words(self):
        code = self._process.poll()
        if code is None:
            try:
                code = self._process.wait(1)
            except subprocess.TimeoutExpired:
                return "closed its stdout"
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _TOLD_BYTES))
        said = " / ".join(self._errors.read().decode(errors="replace").split("\n")[-4:]).strip(" /")
        return f"ended with code {code}: {said}" if said else f"ended with code {code}"

    def stop(self):
        """Ends the process and its children: asked first, then told, then made to."""
        try:
            self._order("quit")
            self._process.stdin.close()
        except (WorkerError, OSError):
            pass
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                try:
                    os.killpg(self._process.pid, number)
                except ProcessLookupError:
                    break
            try:
                self._process.wait(_STOP_LIMIT_S)
                break
            except subprocess.TimeoutExpired:
                continue
        self._process.stdout.close()
        self._errors.close()


def surroundings():
    """The environment of every worker: the package and the programs of this build come first."""
    python_path = [str(BUILD / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(python_path), "GAMELAN_BUILD": str(BUILD),
            "PATH": os.pathsep.join([str(BUILD / "bin"), os.environ.get("PATH", "")]),
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # fmt: skip


def python_worker(competitor, case, params, ranks, threads):
    """A worker in Python: numpy, numexpr, dask or gamelan."""
    command = [sys.executable, str(FOLDER / "worker.py"), competitor, case, *pairs(params), "--threads", str(threads)]
    environment = {}
    if competitor == "gamelan":
        command += ["--ranks", str(ranks)]
    if competitor == "dask":
        environment["OPENBLAS_NUM_THREADS"] = "1"  # its tasks are the threads
    return Worker(name_of(competitor, ranks), command, environment)


def reference_worker(program, case, params, ranks):
    """The program in C++ and MPI that an expert would write for this one case."""
    command = ["mpiexec.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-np", str(ranks),
               str(program), case, *pairs(params)]  # fmt: skip
    return Worker(name_of("reference", ranks), command)


def name_of(competitor, ranks):
    return f"{competitor}-{ranks}" if competitor in ("gamelan", "reference") else competitor


def pairs(params):
    return [f"{key}={value}" for key, value in params.items()]
