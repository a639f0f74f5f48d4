# SPDX-License-Identifier: BSD-3-Clause
"""The options that start engines, described once for the command line and for %engines."""
from __future__ import annotations

import argparse

from ._slurm import SlurmRequest


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


def add_start_options(parser: argparse.ArgumentParser, default_idle: str) -> None:
    parser.add_argument("-n", "--ranks", type=positive, metavar="N",
                        help="how many engines (default: GAMELAN_ENGINES, or min(4, cores))")
    parser.add_argument("--heap", metavar="BYTES", help="array memory of one engine: 512M, 4G (default: what fits)")
    parser.add_argument("--idle-timeout", type=seconds, metavar="SECONDS",
                        help=f"they leave after so long without a client; 0 = never (default: {default_idle})")
    parser.add_argument("--session", metavar="NAME", help="name of the session (default: a short random one)")
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS",
                        help="wait so long until they serve (default 30; under Slurm 600, the queue included)")
    slurm = parser.add_argument_group("under Slurm")
    slurm.add_argument("--slurm", action="store_true", help="submit a job instead of starting them on this machine")
    slurm.add_argument("-N", "--nodes", type=positive, metavar="NODES", help="on how many nodes")
    slurm.add_argument("-p", "--partition", metavar="NAME")
    slurm.add_argument("-t", "--minutes", type=positive, metavar="MINUTES", help="time limit of the job")
    slurm.add_argument("--sbatch", metavar="OPTIONS", default="", help='more options for sbatch: "--account=x --mem=8G"')


def start_settings(options: argparse.Namespace, parser: argparse.ArgumentParser) -> dict:
    """Keyword arguments of `Engines.start`; errors end in `parser.error`."""
    request = None
    if options.slurm:
        request = SlurmRequest(options.nodes, options.partition, options.minutes, options.sbatch)
    elif options.nodes or options.partition or options.minutes or options.sbatch:
        parser.error("-N, -p, -t and --sbatch go with --slurm")
    return {"n": options.ranks, "slurm": request, "heap": options.heap, "idle_timeout": options.idle_timeout,
            "session": options.session, "timeout": options.timeout}
