# SPDX-License-Identifier: BSD-3-Clause
"""Runs tiers of tests, each with a time limit, and adds up what ctest and pytest report.

Called by tests/run after the build. Counts come from the JUnit files that both write, never from their prose; a tier
that breaks off counts as a failure, so that silence cannot pass.
"""

import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tier_table import TIERS

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RESULTS = BUILD / "test-results"
STOPPED = []  # the signal that told us to stop; whatever runs looks at it
LOOK_S = 0.1
# What a user's shell may choose: another Python, other engines. Tests are of this build, and choose for themselves.
OF_THE_SHELL = {"VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME"} | {
    f"GAMELAN_{name}" for name in ("PYTHON", "ENGINE", "ENGINES", "CONNECT", "ROUTE", "RUN", "SESSION", "ROUTINES")
}
TOLD_LINES = 30  # of a failing test's output; all of it is in RESULTS


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    second: int = 0  # of the passed: those that failed at first

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.second += other.second

    def __str__(self):
        told = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return f"{told}, {self.second} at a second try" if self.second else told


def environment():
    paths = [str(BUILD / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return dict(
        {name: value for name, value in os.environ.items() if name not in OF_THE_SHELL},
        PYTHONPATH=os.pathsep.join(paths),
        JUPYTER_PATH=str(BUILD / "share/jupyter"),
        PATH=os.pathsep.join([str(BUILD / "bin"), "/usr/bin", os.environ.get("PATH", "")]),
        GAMELAN_BUILD=str(BUILD),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )


def command_of(run, report, tier):
    kind, *arguments = run
    if kind == "ctest":
        return [
            "/usr/bin/ctest",
            "--test-dir",
            str(BUILD),
            "--output-on-failure",
            "--quiet",
            "--timeout",
            "300",
            "-j",
            str(os.cpu_count()),
            "--no-tests=error",
            "--output-junit",
            str(report),
            "--output-log",
            str(report.with_suffix(".log")),
            *arguments,
        ]
    if kind == "bench":
        return ["/usr/bin/python3", str(ROOT / "tests/bench/run.py"), "--junit", str(report), *arguments]
    return [
        "/usr/bin/python3",
        "-m",
        "pytest",
        "-q",
        "-rfE",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "120",
        f"--junitxml={report}",
        "-o",
        "junit_family=xunit2",
        *([] if tier.tries == 1 else ["-rfER", "--reruns", str(tier.tries - 1)]),
        *([] if tier.workers == 1 else ["-n", str(tier.workers), "--dist", "loadfile"]),
        *arguments,
    ]


def count_cases(report):
    """Every test case of a JUnit file; None when the file is not there or broken."""
    try:
        cases = list(xml.parse(report).iter("testcase"))
    except (OSError, xml.ParseError):
        return None
    count = Count()
    for case in cases:
        skipped = case.find("skipped")
        # ctest says `notrun` of programs that were not built; a skip on purpose carries its code.
        is_missing = case.get("status") == "notrun" and "SKIP" not in (skipped.get("message", "") if skipped is not None else "")
        if case.find("failure") is not None or case.find("error") is not None or is_missing:
            count.failed += 1
            if case.get("status"):  # ctest's; pytest has told already
                said = (case.findtext("system-out") or "").splitlines()[-TOLD_LINES:]
                print("\n".join([f"FAILED {case.get('name')}", *said]), flush=True)
        elif skipped is not None:
            count.skipped += 1
        else:
            count.passed += 1
            count.second += case.find("properties/property[@name='second_try']") is not None  # of tests/conftest.py
    return count


def end(process):
    """Ends what we run; it has a process group of its own, which Ctrl-C does not reach."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(subprocess.TimeoutExpired, ProcessLookupError):
            os.killpg(process.pid, number)
            process.wait(10)
            return


def run_one(run, report, seconds, tier):
    """One ctest or pytest within its time; what it counts, and one failure more when it did not end by itself."""
    report.unlink(missing_ok=True)
    if STOPPED:
        return Count()
    process = subprocess.Popen(
        [*(["/usr/bin/nice"] if tier.yields else []), *command_of(run, report, tier)],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + max(1, seconds)
    while process.poll() is None and time.monotonic() < deadline and not STOPPED:
        time.sleep(LOOK_S)
    code = process.poll()
    broke_off = "" if code in (0, 1, 8) else f"ended with exit code {code}"
    if code is None:
        broke_off = f"did not end within {seconds:.0f} s"
        end(process)
    if STOPPED:
        return Count()
    count = count_cases(report)
    if count is None:
        count, broke_off = Count(), broke_off or "left no report"
    if broke_off:
        print(f"FAILED {' '.join(run)}: {broke_off}", flush=True)
        count.failed += 1
    return count


def run_tier(tier):
    total, deadline = Count(), time.monotonic() + tier.limit_s
    start = time.monotonic()
    with ThreadPoolExecutor(tier.together) as pool:
        counts = [
            pool.submit(
                lambda index=index, run=run: run_one(run, RESULTS / f"{tier.name}-{index}.xml", deadline - time.monotonic(), tier)
            )
            for index, run in enumerate(tier.runs)
        ]
    for count in counts:
        total.add(count.result())
    if not STOPPED:
        print(f"--- {tier.name}: {total} in {time.monotonic() - start:.0f} s", flush=True)
    return total


def run_tiers(tiers):
    """In turn, but for neighbours with lanes."""
    total = Count()
    for _, neighbours in groupby(tiers, lambda tier: bool(tier.lane)):
        lanes = {}
        for tier in neighbours:
            lanes.setdefault(tier.lane, []).append(tier)
        with ThreadPoolExecutor(len(lanes)) as pool:
            for counts in pool.map(lambda lane: [run_tier(tier) for tier in lane], lanes.values()):
                for count in counts:
                    total.add(count)
    return total


def take_suites(arguments):
    """The arguments without `--suite NAME=DIRECTORY`, of which each goes to the tests as GAMELAN_SUITE_<NAME>."""
    rest, given = [], iter(arguments)
    for argument in given:
        if argument != "--suite":
            rest.append(argument)
            continue
        name, _, directory = next(given, "").partition("=")
        is_installed = directory == "installed"  # numpy's own tests are where numpy is
        if not is_installed and not Path(directory or "?").is_dir():
            raise SystemExit(f"tests/run: --suite {name}={directory}: expected NAME=DIRECTORY of a checkout that is there")
        os.environ[f"GAMELAN_SUITE_{name.upper().replace('-', '_')}"] = (
            directory if is_installed else str(Path(directory).resolve())
        )
    return rest


def print_tiers():
    for title, is_default in (("run when none is named:", True), ("run when named:", False)):
        print(title)
        for tier in TIERS:
            if tier.default == is_default:
                print(f"  {tier.name:12}{tier.what}")


def main(arguments):
    if "--help" in arguments:
        print_tiers()
        return 0
    arguments = take_suites(arguments)
    known = {tier.name: tier for tier in TIERS}
    is_check = "--check" in arguments
    names = [argument for argument in arguments if argument != "--check"] or [tier.name for tier in TIERS if tier.default]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"tests/run: no tier {', '.join(unknown)}; tiers: {', '.join(known)}", file=sys.stderr)
        return 2
    if is_check:
        print("build" if any(known[name].is_built for name in names) else "")
        return 0
    RESULTS.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, frame: STOPPED.append(got))
    total = run_tiers([known[name] for name in names])
    if STOPPED:
        print(f"tests/run: stopped by {signal.Signals(STOPPED[0]).name}", file=sys.stderr)
        return 128 + STOPPED[0]
    print(total, flush=True)
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
