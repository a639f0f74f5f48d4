# SPDX-License-Identifier: BSD-3-Clause
"""The options that start engines, described once for the command line and for %engines."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable

from ._slurm_request import SlurmRequest, time_seconds


def positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a whole number from 1")
    return value


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected seconds, 0 or more")
    return value


def bytes_of(text: str) -> str:
    """An amount of memory as the engines read it."""
    if not re.fullmatch(r"\d+(\.\d*)?[KMGT]?B?", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected bytes, with K, M, G or T if you like: 512M, 4G")
    return text


def time_of(text: str) -> str:
    """A length of time as the engines read it."""
    if not re.fullmatch(r"\d+(\.\d*)?[smhd]?", text):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a time, in seconds or with s, m, h or d: 90, 10m, 24h")
    return text


def time_limit(text: str) -> str:
    try:
        time_seconds(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def protect_folder(text: str) -> str:
    """A folder that can be written, from the root on; `memory` as it is."""
    if text == "memory":
        return text
    path = os.path.abspath(os.path.expanduser(text))
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot make the folder {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise argparse.ArgumentTypeError(f"the folder {path} cannot be written")
    return path


def joined(words: list[str]) -> list[str]:
    """The words of a command line with --sbatch and its value in one: argparse takes "--mem=8G" for an option of ours."""
    told: list[str] = []
    for word in words:
        if told and told[-1] == "--sbatch":
            told[-1] = f"--sbatch={word}"
        else:
            told.append(word)
    return told


def add_start_options(parser: argparse.ArgumentParser, default_idle: str) -> None:
    parser.add_argument(
        "-n", "--ranks", type=positive, metavar="N", help="how many engines (default: GAMELAN_ENGINES, or min(4, cores))"
    )
    parser.add_argument(
        "--routines", metavar="PATH[:PATH]", help="shared libraries whose functions np.routine may call (docs/routines.md)"
    )
    parser.add_argument(
        "--heap", type=bytes_of, metavar="BYTES", help="array memory of one engine: 512M, 4G (default: what fits)"
    )
    parser.add_argument(
        "--idle-timeout",
        type=seconds,
        metavar="SECONDS",
        help=f"they leave after so long without a client; 0 = never (default: {default_idle})",
    )
    parser.add_argument(
        "--lease",
        type=time_of,
        metavar="TIME",
        help="free the arrays of a client of which nothing is heard for so long: 90s, 10m, 24h; 0 = never (default: 10m; 24h for "
        "engines of a shell, and under Slurm)",
    )
    parser.add_argument(
        "--protect",
        metavar="DIR",
        type=protect_folder,
        help="folder for checkpoints, from which engines that follow lost ones read the arrays (np.config.protect); `memory`: "
        "in the memory of the engines' nodes, each part on two of them where there are several",
    )
    parser.add_argument("--session", metavar="NAME", help="name of the session (default: a short random one)")
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="wait so long until they serve (default 30; under Slurm 600, the queue included)",
    )
    slurm = parser.add_argument_group("under Slurm")
    slurm.add_argument("--slurm", action="store_true", help="submit a job instead of starting them on this machine")
    slurm.add_argument("-N", "--nodes", type=positive, metavar="NODES", help="on how many nodes (alone: one rank on each)")
    slurm.add_argument("--ntasks-per-node", type=positive, metavar="RANKS", help="ranks on each node; with -N, instead of -n")
    slurm.add_argument("-p", "--partition", metavar="NAME")
    slurm.add_argument(
        "-t", "--time", type=time_limit, metavar="TIME", help="time limit of the job: minutes, hours:minutes:seconds, days-hours"
    )
    slurm.add_argument(
        "--continue",
        dest="continues",
        action="store_true",
        help="queue another job behind it at once, in which the program goes on when this one ends, and so on",
    )
    slurm.add_argument("--sbatch", metavar="OPTIONS", default="", help='more options for sbatch: "--account=x --mem=8G"')


def start_settings(options: argparse.Namespace, parser: argparse.ArgumentParser, default_ranks: Callable[[], int]) -> dict:
    """Keyword arguments of `Engines.start`; errors end in `parser.error`."""
    request = None
    if options.slurm:
        try:
            request = SlurmRequest(
                options.nodes, options.ntasks_per_node, options.partition, options.time, options.sbatch, options.continues
            )
            options.ranks = request.ranks(options.ranks, default_ranks)
        except ValueError as error:
            parser.error(str(error))
    elif options.continues:
        parser.error("--continue goes with --slurm: only a Slurm job has an end behind which another can be queued")
    elif options.nodes or options.ntasks_per_node or options.partition or options.time or options.sbatch:
        parser.error("-N, --ntasks-per-node, -p, -t and --sbatch go with --slurm")
    return {
        "n": options.ranks,
        "slurm": request,
        "heap": options.heap,
        "routines": options.routines,
        "idle_timeout": options.idle_timeout,
        "lease": options.lease,
        "session": options.session,
        "timeout": options.timeout,
    }
