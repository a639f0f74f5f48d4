# SPDX-License-Identifier: BSD-3-Clause
"""How engines ended, read from what mpirun, srun and the engines themselves print.

Pure text in, an `Ending` out; used by _ensemble.py when the launcher's process is gone.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import asdict, dataclass
from pathlib import Path

from . import _ending_slurm, _hydra


@dataclass
class Ending:
    """How engines ended. `rank`, `host`, `signal` and `exit_code` are None where nobody knows them."""

    reason: str
    rank: int | None = None
    host: str | None = None
    signal: int | None = None
    exit_code: int | None = None
    is_expected: bool = False
    log: str = ""

    def __str__(self) -> str:
        return f"{self.reason}; log: {self.log}" if self.log else self.reason

    def to_dict(self) -> dict:
        return asdict(self)


def tail(log: Path, lines: int = 20) -> str:
    """The last lines of a log that say something, without mpirun's rules of dashes."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.path.getsize(log) - 16384))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    told = [line for line in text.splitlines() if line.strip() and not set(line.strip()) <= {"-"}]
    return "\n".join(told[-lines:])


def quoted_tail(log: str) -> str:
    """The last lines of a log, to follow the first line of an error."""
    text = tail(Path(log))
    return f"\n--- last lines of {log}\n{text}" if text else f" (nothing in {log})"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_HINTS = {
    signal.SIGKILL: "kill -9, or the system ran out of memory (dmesg tells)",
    signal.SIGBUS: "/dev/shm ran full",
    signal.SIGSEGV: (
        "a bug: of your own library if the engines ran a routine of it (--routines), else please report it " "with the log"
    ),
    signal.SIGILL: "built for another processor: build on this machine",
}
_SIGNALLED = re.compile(r"process rank (\d+) with PID (\d+) on node (\S+) exited on\s+signal (\d+)")
_LAST_WORDS = re.compile(r"^gamelan-engine: rank (\d+) of \d+ on (\S+): (.+)$", re.MULTILINE)
# What differs in Open MPI 5: "Errorcode: 5" on a line of its own, "Process name: [prterun-host-4711@1,3]".
_ABORTED = re.compile(r"MPI_ABORT was invoked on rank (\d+).*?[Ee]rrorcode:? (-?\d+)", re.DOTALL)
_EXITED = re.compile(r"Process name: \[(?:\[\d+,\d+\]|[^\],]+),(\d+)\]\s+Exit code:\s+(\d+)")


def explain(log: Path, return_code: int | None, session: str) -> Ending:
    """Read from what mpirun, srun and the engines printed how the engines of a session ended."""
    text = tail(log, 400)
    name = f"the engines of session {session} ended"
    words = _LAST_WORDS.search(text)
    by_slurm = _ending_slurm.cause(text, words.start() if words else len(text))
    if _ending_slurm.is_definite(by_slurm):
        return _by_slurm(by_slurm, name, log)
    found = _SIGNALLED.search(text)
    if found:
        rank, number, host = int(found[1]), int(found[4]), found[3]
        hint = f" ({_HINTS[number]})" if number in _HINTS else ""
        return Ending(
            f"{name}: rank {rank} on {host} was killed by {signal_name(number)}{hint}", rank, host, number, log=str(log)
        )
    killed = _hydra.killed(text)
    if killed:
        host, number = killed
        hint = f" ({_HINTS[number]})" if number in _HINTS else ""
        return Ending(f"{name}: a rank on {host} was killed by {signal_name(number)}{hint}", None, host, number, log=str(log))
    if words:
        code = _ABORTED.search(text)
        return Ending(
            f"{name}: rank {words[1]} on {words[2]}: {words[3]}",
            int(words[1]),
            words[2],
            exit_code=int(code[2]) if code else return_code,
            log=str(log),
        )
    found = _ABORTED.search(text)
    if found:
        return Ending(
            f"{name}: rank {found[1]} aborted with code {found[2]}", int(found[1]), exit_code=int(found[2]), log=str(log)
        )
    aborted = _hydra.aborted(text)
    if aborted:
        rank, code = aborted
        return Ending(f"{name}: rank {rank} aborted with code {code}", rank, exit_code=code, log=str(log))
    found = _EXITED.search(text)
    if found:
        return Ending(
            f"{name}: rank {found[1]} left with exit code {found[2]}", int(found[1]), exit_code=int(found[2]), log=str(log)
        )
    by_slurm = by_slurm or _ending_slurm.gone_node(text)
    if by_slurm:
        return _by_slurm(by_slurm, name, log)
    if return_code == 0:
        idle = re.search(r"no client was heard for [\d.]+ s: leaving", text)
        return Ending(f"{name}: {idle[0]}" if idle else f"{name} in good order", exit_code=0, is_expected=True, log=str(log))
    if return_code is not None and return_code < 0:
        return Ending(f"{name}: mpiexec was killed by {signal_name(-return_code)}", signal=-return_code, log=str(log))
    if return_code is not None and return_code > 128:
        return Ending(f"{name}: by {signal_name(return_code - 128)}", signal=return_code - 128, log=str(log))
    if return_code is None:
        return Ending(f"{name}: mpiexec is gone, and nobody saw how it ended", log=str(log))
    return Ending(f"{name}: mpiexec returned {return_code}", exit_code=return_code, log=str(log))


def _by_slurm(found: dict, name: str, log: Path) -> Ending:
    found = dict(found)
    reason = found.pop("reason", None)
    if reason is None:
        number = found["signal"]
        hint = f" ({_HINTS[number]})" if number in _HINTS else ""
        how = f"was killed by {signal_name(number)}{hint}" if number else f"left with exit code {found['exit_code']}"
        reason = f"rank {found['rank']} on {found['host']} {how}"
    return Ending(f"{name}: {reason}", **found, log=str(log))
