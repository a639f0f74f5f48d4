# SPDX-License-Identifier: BSD-3-Clause
"""Runs NumPy's own test files, those of the installed NumPy, with gamelan or with numpy itself in numpy's place, each file in a
process of its own: what became of each test. A test that crashes, hangs or loses the engines is told by name, and the others go on.

    python numpy_files.py [core/test_indexing ...] [--ranks 3] [--from 0] [--module numpy] [-k WORD] [--save FILE]
"""

import argparse
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import numpy

from shims import NUMPY_TESTS

ROOT = pathlib.Path(numpy.__file__).parent
TEST_S = 60  # for one test
FILE_S = 1200  # for one file
SILENCE_S = TEST_S + 30  # without a word a file has crashed or hangs where no signal ends it
RESTARTS = 12
SMALL = 1 << 60  # elements from which arrays are distributed: none is
FOLDER = pathlib.Path(__file__).parent
REFUSALS = ("NotImplementedError:", "gamelan._errors.NotImplemented")
FOLDERS = ("core", "lib", "linalg", "fft")

# Files that look at no array of the module under test, or at classes of NumPy's own only (memmap), or hold slow tests only.
LEFT_OUT = {
    "core": """test__exceptions test_abc test_argparse test_array_interface test_arraymethod test_casting_unittests test_cpu_dispatcher test_cpu_features test_custom_dtypes
               test_cython test_extint128 test_hashtable test_limited_api test_machar test_mem_policy test_memmap test_simd test_simd_module test_umath_accuracy""",
    "lib": "test__datasource test__iotools test__version test_financial_expired",
}
# Tests after which the process is not what it was (it has forked, and both halves would go on), and of gigabytes that NumPy never
# touches.
NOT_RUN = (
    "linalg/tests/test_linalg.py::test_xerbla_override",
    "core/tests/test_regression.py::TestRegression::test_dot_big_stride",
)


def files():
    """Names of NumPy's test files that are run: folder and stem."""
    return [f"{folder}/{path.stem}" for folder in FOLDERS for path in sorted((ROOT / folder / "tests").glob("test_*.py"))
            if path.stem not in LEFT_OUT.get(folder, "").split()]  # fmt: skip


def path_of(name):
    """Where a test file is."""
    folder, stem = name.split("/")
    return ROOT / folder / "tests" / f"{stem}.py"


def _read(journal):
    """Outcomes of the tests that ended, in a dict; the one that had begun, or None; seconds of each."""
    outcomes, begun, seconds = {}, None, {}
    for line in journal.read_text().splitlines() if journal.exists() else ():
        entry = json.loads(line)
        if "begins" in entry:
            begun = entry["begins"]
            continue
        if entry["outcome"] != "passed" or entry["ends"] not in outcomes:
            outcomes[entry["ends"]] = entry["outcome"]
        seconds[entry["ends"]] = entry.get("seconds", 0)
    return outcomes, begun if begun not in outcomes else None, seconds


def _watch(process, journal, end):
    """Waits for a file's process; '' when it ended by itself, else why it was ended."""
    size, moved = -1, time.monotonic()
    while process.poll() is None:
        now = time.monotonic()
        new = journal.stat().st_size if journal.exists() else 0
        if new != size:
            size, moved = new, now
        why = "hangs" if now - moved > SILENCE_S else "the file takes too long" if now > end else ""
        if why:
            process.kill()
            process.wait()
            return why
        time.sleep(0.1)
    return "" if process.returncode in (0, 1, 2, 5) else f"ends the process (exit code {process.returncode})"


def run(name, module, ranks=0, threshold=0, options=()):
    """Test name -> "passed", "skipped" or its error, of one file; and the seconds of each."""
    from gamelan import launch

    end = time.monotonic() + FILE_S
    with tempfile.TemporaryDirectory() as scratch:
        journal, done = pathlib.Path(scratch) / "journal", pathlib.Path(scratch) / "done"
        for _ in range(RESTARTS):
            engines = launch.start(n=ranks, idle_timeout=300) if ranks else None
            environment = {**os.environ, "GAMELAN_DISTRIBUTE_FROM": str(SMALL), "CONFORMANCE_FROM": str(threshold), "CONFORMANCE_MODULE": module, "CONFORMANCE_DONE": str(done),
                           "CONFORMANCE_JOURNAL": str(journal), "PYTHONDONTWRITEBYTECODE": "1",
                           "PYTHONPATH": os.pathsep.join([str(NUMPY_TESTS), os.environ.get("PYTHONPATH", "")])}  # fmt: skip
            if engines:
                environment["GAMELAN_CONNECT"] = str(engines.connection_file)
            command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "stand_in_for_numpy",
                       "-c", os.devnull, "--rootdir", str(ROOT),
                       *(f"--deselect={each}" for each in NOT_RUN), "-m", "not slow", f"--timeout={TEST_S}", "--timeout-method=signal", *options,
                       str(path_of(name))]  # fmt: skip
            output = pathlib.Path(scratch) / "output"
            try:
                with output.open("w") as stream:
                    process = subprocess.Popen(
                        command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream
                    )
                    why = _watch(process, journal, end)
            finally:
                if engines:
                    engines.stop()
            outcomes, begun, seconds = _read(journal)
            if not why:
                break
            with journal.open("a") as stream:
                stream.write(
                    json.dumps({"ends": begun or "the file itself", "outcome": f"{why}: {output.read_text()[-300:]}"}) + "\n"
                )
            outcomes, _, seconds = _read(journal)
            done.write_text("\n".join(outcomes))
            if begun is None or why == "the file takes too long":
                break
    return outcomes, seconds


@dataclass
class Count:
    """What became of the tests that NumPy passes; the others by name, with their error."""

    passed: int = 0
    refused: dict = field(default_factory=dict)  # by name, with everything distributed
    meant: dict = field(default_factory=dict)  # numpy_differs.txt has the reason
    wrong: dict = field(default_factory=dict)


def _meant(name):
    """Patterns of tests of a file that are known to differ: those of any test, and those of cases that are not there."""
    lines = (FOLDER / "numpy_differs.txt").read_text().splitlines()
    rows = (line.split() for line in lines if line.strip() and not line.startswith("#"))
    rows = [row[1:] for row in rows if row[0] == name]
    return [row[0] for row in rows if len(row) == 1], [row[0] for row in rows if row[1:] == ["absent"]]


def judged(name, expected, outcomes, is_distributed):
    """Counts the outcomes of those tests of a file that NumPy passes."""
    count, (failing, absent) = Count(), _meant(name)
    for test in expected:
        outcome = outcomes.get(test, "is not there")
        patterns = failing if test in outcomes else absent
        function = test.split("[")[0]
        if outcome == "passed":
            count.passed += 1
        elif any(fnmatch.fnmatchcase(function, pattern) for pattern in patterns):
            count.meant[test] = outcome
        elif is_distributed and outcome.startswith(REFUSALS):
            count.refused[test] = outcome
        else:
            count.wrong[test] = outcome
    return count


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", help="folder/stem of test files; all without one")
    options.add_argument("--module", default="gamelan")
    options.add_argument("--ranks", type=int, default=0, help="0: no engines, arrays are small")
    options.add_argument("--from", dest="threshold", type=int, default=None, help="elements from which arrays are distributed")
    options.add_argument("-k", dest="word", default="")
    options.add_argument("--save", help="a file for the outcomes, as JSON")
    given = options.parse_args()
    threshold = given.threshold if given.threshold is not None else 0 if given.ranks else SMALL
    saved = {}
    for name in given.files or files():
        start = time.monotonic()
        outcomes, seconds = run(name, given.module, given.ranks, threshold, ["-k", given.word] if given.word else [])
        passed, skipped = (sum(each == kind for each in outcomes.values()) for kind in ("passed", "skipped"))
        print(
            f"{name}: {passed} passed, {len(outcomes) - passed - skipped} failed, {skipped} skipped in {time.monotonic() - start:.0f} s",
            flush=True,
        )
        saved[name] = {"outcomes": outcomes, "seconds": seconds}
        if given.save:
            pathlib.Path(given.save).write_text(json.dumps(saved, indent=0))


if __name__ == "__main__":
    main()
