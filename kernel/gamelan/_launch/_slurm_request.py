# SPDX-License-Identifier: BSD-3-Clause
"""What to ask Slurm for: options that contradict each other are refused here, before anything is submitted.

Pure: numbers and texts in, arguments of sbatch out. What only the cluster can know (partitions, limits, accounts) is
refused by sbatch, and said in our words by _slurm_words.py. Used by _arguments.py and _by_slurm.py.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

_TIME = re.compile(
    r"(?:(?P<days>\d+)-(?P<day_hours>\d+)(?::(?P<day_minutes>\d+)(?::(?P<day_seconds>\d+))?)?"
    r"|(?P<minutes>\d+)"
    r"|(?P<ms_minutes>\d+):(?P<ms_seconds>\d+)"
    r"|(?P<hours>\d+):(?P<hms_minutes>\d+):(?P<hms_seconds>\d+))"
)
_UNLIMITED = ("UNLIMITED", "INFINITE")
_MOST_WARNING_SECONDS = 300

# Options of sbatch that would pull the job from under us, and what to do instead.
_NOT_IN_SBATCH = {
    ("-n", "--ntasks"): "say -n",
    ("-N", "--nodes"): "say -N",
    ("--ntasks-per-node",): "say --ntasks-per-node",
    ("-p", "--partition"): "say -p",
    ("-t", "--time"): "say -t",
    ("-o", "--output", "-e", "--error", "-D", "--chdir", "--open-mode"): "the log and the folder are the session's",
    ("-J", "--job-name"): "say --session NAME: the job is called gamelan-NAME",
    ("-a", "--array"): "engines are one job, an array is many",
    (
        "--wrap",
        "--parsable",
        "-W",
        "--wait",
        "--test-only",
        "-h",
        "--help",
        "--usage",
        "-V",
        "--version",
    ): "engines could not be started that way",
    ("-M", "--clusters", "--cluster"): "the job's number would be another cluster's, and by their numbers jobs are asked and "
    "cancelled on this one: start the engines from a login node of that cluster",
    ("--requeue",): "engines that start again have lost their arrays: start new ones",
}


def time_seconds(text: str) -> float:
    """A time limit as Slurm writes it, in seconds; `inf` for none. Raises ValueError.

    minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds.
    """
    if text.upper() in _UNLIMITED:
        return float("inf")
    found = _TIME.fullmatch(text)
    if not found:
        raise ValueError(
            f"time limit: got {text!r}, expected minutes (90), hours:minutes:seconds (1:30:00), days-hours "
            "(2-12), or UNLIMITED"
        )

    def number(*names: str) -> int:
        return next((int(found[name]) for name in names if found[name]), 0)

    seconds = (
        number("days") * 86400
        + number("day_hours", "hours") * 3600
        + number("day_minutes", "minutes", "ms_minutes", "hms_minutes") * 60
        + number("day_seconds", "ms_seconds", "hms_seconds")
    )
    if seconds == 0:
        raise ValueError(
            f"time limit: got {text!r}, which Slurm reads as no limit; expected a time, or UNLIMITED if you " "mean that"
        )
    return float(seconds)


def warning_seconds(limit_s: float) -> int:
    """How long before its end a job is warned: five minutes, less for short jobs."""
    return int(min(_MOST_WARNING_SECONDS, limit_s / 4))


@dataclass
class SlurmRequest:
    """What to ask Slurm for; None leaves it to the cluster's defaults."""

    nodes: int | None = None
    ranks_per_node: int | None = None
    partition: str | None = None
    time: str | int | None = None  # "90", "1:30:00", "2-12"; a number is minutes
    extra: str = ""  # more options of sbatch, as on a command line: "--account=x --constraint=ib"
    continues: bool = False  # another job is queued behind it, in which its client goes on

    def __post_init__(self):
        for what, value in (("nodes", self.nodes), ("ranks per node", self.ranks_per_node)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ValueError(f"{what}: got {value!r}, expected a whole number from 1")
        if self.time is not None:
            self.time = str(self.time).strip()
            time_seconds(self.time)
        if self.partition is not None and not re.fullmatch(r"[^\s,]+(,[^\s,]+)*", self.partition):
            raise ValueError(f"partition: got {self.partition!r}, expected a name, or names with commas between them")
        self.more_options()

    def ranks(self, asked: int | None, default: Callable[[], int]) -> int:
        """How many ranks that makes, `asked` being -n; raises ValueError where the numbers contradict each other."""
        if self.nodes is None and self.ranks_per_node is not None:
            if asked is None:
                raise ValueError(f"--ntasks-per-node {self.ranks_per_node} does not say on how many nodes: add -N NODES")
            if asked % self.ranks_per_node:
                raise ValueError(
                    f"-n {asked} is no multiple of --ntasks-per-node {self.ranks_per_node}: say -N NODES and " "one of the two"
                )
            return asked
        if self.nodes is None:
            return default() if asked is None else asked
        if self.ranks_per_node is not None:
            ranks = self.nodes * self.ranks_per_node
            if asked not in (None, ranks):
                raise ValueError(
                    f"-n {asked} contradicts -N {self.nodes} with --ntasks-per-node {self.ranks_per_node}, "
                    f"which make {ranks}: leave one of the three out"
                )
            return ranks
        if asked is None:
            return self.nodes  # one on each node, as Slurm itself has it
        if asked < self.nodes:
            raise ValueError(
                f"-n {asked} ranks do not fill -N {self.nodes} nodes: at least one rank on each; say "
                f"-N {asked}, or -n {self.nodes}"
            )
        return asked

    def limit_seconds(self) -> float | None:
        return None if self.time is None else time_seconds(str(self.time))

    def said_warning(self) -> int | None:
        """How long before its end the job is warned, where `extra` says so (--signal=USR1@60)."""
        said = re.findall(r"--signal[= ][\w:]+@(\d+)", " ".join(self.more_options()))
        return int(said[-1]) if said else None

    def more_options(self) -> list[str]:
        """The words of `extra`; raises ValueError for those that would break the job."""
        try:
            words = shlex.split(self.extra)
        except ValueError as error:
            raise ValueError(f"cannot read the sbatch options {self.extra!r}: {error}") from None
        may_be_value = False
        for word in words:
            if not word.startswith("-") or word == "--" or word == "-":
                if not may_be_value:
                    raise ValueError(
                        f"--sbatch: got {word!r}, expected options only, as --account=x: sbatch would take " "it for the script"
                    )
                may_be_value = False
                continue
            for names, remedy in _NOT_IN_SBATCH.items():
                if _names_option(word, names):
                    raise ValueError(f"--sbatch: {word} does not go there: {remedy}")
            may_be_value = "=" not in word
        return words

    def arguments(self, ranks: int) -> list[str]:
        """Arguments of sbatch that say what is asked for."""
        told = [f"--ntasks={ranks}", "--no-requeue"]
        limit = self.limit_seconds()
        told.append(f"--signal=USR1@{warning_seconds(limit or float('inf'))}")
        if self.nodes is not None:
            told.append(f"--nodes={self.nodes}")
        elif self.ranks_per_node is not None:
            told.append(f"--nodes={ranks // self.ranks_per_node}")
        if self.ranks_per_node is not None:
            told.append(f"--ntasks-per-node={self.ranks_per_node}")
        if self.partition:
            told.append(f"--partition={self.partition}")
        if self.time is not None:
            told.append(f"--time={self.time}")
        return told + self.more_options()


def _names_option(word: str, names: tuple[str, ...]) -> bool:
    """Is `word` one of these options, however it is written: --time=5, -t5, or abbreviated as --tim?"""
    for name in names:
        if name.startswith("--"):
            given = word.partition("=")[0]
            if given == name or (len(given) > 4 and name.startswith(given)):
                return True
        elif word.startswith(name) and not word.startswith("--"):
            return True
    return False
