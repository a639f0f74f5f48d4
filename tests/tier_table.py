# SPDX-License-Identifier: BSD-3-Clause
"""The tiers of tests: what each runs, for how long at most, and beside what."""

import os
from dataclasses import dataclass, field


@dataclass
class Tier:
    name: str
    runs: list  # one list of arguments per run: for ctest after "ctest", for pytest after "pytest", for run.py after "bench"
    limit_s: int
    what: str
    default: bool = field(default=True)
    together: int = 1  # runs at a time
    workers: int = 1  # of one pytest, which share its files out
    lane: str = ""  # neighbours with lanes run beside each other, those of one lane in turn: most of their time is patience
    tries: int = 1  # more where patience meets a busy machine; a test that needs its second try is told
    is_built: bool = True  # whether its tests need the build
    yields: bool = False  # to tests beside it, of which time is asked: gets the processors when these leave them


def pytest(folder, *options):
    return ["pytest", f"tests/{folder}", *options]


def part(which):
    """A part of the tests, of every function some: several runs share them. All of them where time does not matter."""
    return () if os.environ.get("GAMELAN_TEST_WHOLE") else ("--part", which)


# Of the Python suite: shared memory and messages, even and odd numbers, one rank on a node and two. Each test on 4 ranks or on 2,
# and half of them on 3 or on 1, where there is one node.
RANKS = [
    pytest("python", "--ranks", "4", "--ranks-per-node", "2", *part("1/2")),
    pytest("python", "--ranks", "2", "--ranks-per-node", "1", *part("2/2")),
    pytest("python", "--ranks", "3", *part("1/4")),
    pytest("python", "--ranks", "1", *part("2/4")),
    # Four nodes in a row: interrupts and counters take three hops.
    pytest(
        "python/sessions/test_interrupts.py",
        "tests/python/sessions/test_stats.py",
        "--ranks",
        "4",
        "--ranks-per-node",
        "1",
        "--node-fanout",
        "1",
    ),
]

# What only the model of the engines can show: every batch that is recorded, and that nothing reads what is not here.
MODEL = [
    pytest(
        "python/sessions/test_recorder.py",
        "tests/python/sessions/test_user_calls.py",
        "tests/python/arrays/test_walk.py",
        "tests/python/test_docstring_truth.py",
    )
]

FAULTS = ("faults", "cuts", "latency", "routes")  # of the cluster's tests: most of their time is patience

TIERS = [
    Tier(
        "style",
        [pytest("style", "--ignore", "tests/style/test_tidy.py")],
        300,
        "formatters, spelling, the rules of the house",
        is_built=False,
    ),
    Tier(
        "setup",
        [pytest("deploy", "--ignore", "tests/deploy/test_fresh.py")],
        300,
        "what deploy/demo says where it cannot go on",
        is_built=False,
    ),
    Tier("python", RANKS + MODEL, 3000, "NumPy as oracle on 1 to 4 ranks, two of these on two nodes", together=2),
    Tier("kernel", [pytest("kernel")], 1800, "the notebook kernel, driven as a front end does", workers=2, lane="first", tries=2),
    Tier(
        "slurm",
        [pytest("slurm")],
        1800,
        "a real Slurm: the queue in words, ends and their causes, attaching",
        lane="first",
        tries=2,
    ),
    Tier(
        "cluster",
        [pytest("cluster", *(f"--ignore=tests/cluster/test_{name}.py" for name in FAULTS))],
        1800,
        "a Slurm of several hosts, engines on two of them",
        lane="second",
        tries=2,
    ),
    Tier("launch", [pytest("launch")], 1800, "starting, stopping, dying; the command gamelan", workers=2, lane="second", tries=2),
    Tier(
        "pure",
        [["ctest", "-LE", "^(mpi|kernel|python)$"]],
        1800,
        "no MPI: protocol, layouts, loops, the server's sockets",
        lane="spare",
        yields=True,
    ),
    Tier("engine", [["ctest", "-L", "mpi"]], 1800, "the C++ engine under MPI on 1, 2, 3 and 4 ranks", lane="spare", yields=True),
    Tier("notebooks", [pytest("notebooks")], 1200, "every notebook at 4 ranks against NumPy", lane="spare", yields=True),
    Tier(
        "smoke",
        [pytest("bench")],
        600,
        "the bench at small sizes: every competitor computes the same",
        lane="spare",
        yields=True,
    ),
    Tier(
        "faults",
        [[*pytest("cluster")[:1], *(f"tests/cluster/test_{name}.py" for name in FAULTS)]],
        1800,
        "hosts that fail, cables that are cut, ways around, latency hidden",
        default=False,
        tries=2,
    ),
    Tier(
        "chaos",
        [pytest("chaos")],
        1800,
        "random programs and what befalls them: interrupts, killed ranks and kernels, calls that fail",
        default=False,
    ),
    Tier(
        "conformance",
        [pytest("conformance")],
        7200,
        "public suites of others: --suite NAME=DIRECTORY for each checkout",
        default=False,
    ),
    Tier("tidy", [pytest("style/test_tidy.py")], 7200, "clang-tidy on every source file", default=False),
    Tier(
        "fresh",
        [pytest("deploy/test_fresh.py", "--timeout", "7200")],
        28800,
        "a bare Debian 12 and 13: deploy/demo with root and without, tests/run pure",
        default=False,
        is_built=False,
    ),
    Tier(
        "install",
        [pytest("install", "--timeout", "4000")],
        14400,
        "pip install into venvs of each Python, a Debian package in a bare Debian: needs PyPI, root, and builds for each",
        default=False,
        is_built=False,
    ),
    Tier(
        "libraries",
        [pytest("libraries", "--timeout", "900")],
        7200,
        "other libraries from PyPI with our arrays, programs and notebooks: needs PyPI and two gigabytes",
        default=False,
    ),
    Tier("bench", [["bench"]], 7200, "side by side with NumPy, numexpr, Dask and C++/MPI, in figures", default=False),
]
