# SPDX-License-Identifier: BSD-3-Clause
"""Runs random programs on NumPy and on the engines, compares, and makes a failing program short.

python fuzz.py --ranks 3 --seconds 60 [--seed 1] [--passes each] [--from 0]      prints every failure it finds
"""

import argparse
import gc
import random
import signal
import time

import numpy

import gamelan
from gamelan import _core, _session
from oracle import error_class
from random_programs import Environment, Writer


class Hang(Exception):
    """A program took too long."""


class Difference(AssertionError):
    """What differed, and the kind of it (so that a shorter program shows the same defect)."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def _compare(where, actual, expected):
    if not isinstance(actual, numpy.ndarray):
        actual = numpy.asarray(actual)
    expected = numpy.asarray(expected)
    if actual.shape != expected.shape:
        raise Difference("shape", f"{where}: shape {actual.shape}, NumPy {expected.shape}")
    if actual.dtype != expected.dtype:
        raise Difference("dtype", f"{where}: dtype {actual.dtype}, NumPy {expected.dtype}")
    same = (actual == expected) | ((actual != actual) & (expected != expected))
    if not same.all():
        raise Difference(
            "value", f"{where}:\n{numpy.array2string(actual, threshold=60)}\nNumPy:\n{numpy.array2string(expected, threshold=60)}"
        )


def compare(lines):
    """Raises Difference unless the program means the same to NumPy and to gamelan."""
    expected, actual = Environment(numpy), Environment(gamelan)
    for line in lines:
        wanted, got = expected.run(line), actual.run(line)
        if (wanted is None) != (got is None):
            raise Difference(f"error {type(got or wanted).__name__}", f"{line}\nraised {got!r}, NumPy {wanted!r}")
        if wanted is not None and not isinstance(got, error_class(wanted)):
            raise Difference("error class", f"{line}\nraised {got!r}, NumPy {wanted!r}")
        for number in range(min(len(expected.reads), len(actual.reads))):
            if actual.reads[number] is not None:
                _compare(f"read by {line}", actual.reads[number], expected.reads[number])
                actual.reads[number] = expected.reads[number] = None
    arrays = actual.arrays()
    for name, value in expected.arrays().items():
        _compare(f"{name} at the end", arrays[name], value)


def attempt(lines, seconds=20.0):
    """The Difference of a program, None when there is none. A hang or dead engines are differences too."""

    def late(signum, frame):
        raise Hang(f"no answer within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        compare(lines)
        _core.flush(True)
        return None
    except Difference as difference:
        return difference
    except Exception as error:
        return Difference(type(error).__name__, f"{type(error).__name__}: {error}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, before)
        gc.collect()


FATAL = ("Hang", "EngineLostError", "EngineTimeoutError")


def shorten(lines, kind, attempt=attempt, tries=200):
    """The program without the lines that the defect does not need."""
    changed = True
    while changed:
        changed = False
        for index in reversed(range(len(lines))):
            shorter = lines[:index] + lines[index + 1 :]
            tries -= 1
            if tries < 0:
                return lines
            difference = attempt(shorter)
            if difference is not None and difference.kind == kind:
                lines, changed = shorter, True
    return lines


class Session:
    """Engines for fuzzing: started again when a program kills them."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.passes = ""
        self.engines = None

    def start(self):
        from gamelan import launch

        if self.engines is not None:
            _session.release()
            try:
                self.engines.stop()
            except Exception as error:
                print("stop:", error)
        self.engines = launch.start(n=self.ranks)
        _session.use(self.engines)
        self.disable(self.passes)

    def disable(self, passes):
        self.passes = passes
        _core.flush(True)
        _core.configure([("disable_passes", passes)])

    def attempt(self, lines):
        difference = attempt(lines)
        if difference is not None:
            if difference.kind not in FATAL:
                try:
                    _core.flush(True)
                except Exception:
                    pass
            else:
                self.start()
        return difference


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ranks", type=int, default=3)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--length", type=int, default=14)
    options.add_argument("--passes", default="", help="passes to disable; 'each': another choice for every program")
    options.add_argument("--from", dest="threshold", type=int, default=0, help="GAMELAN_DISTRIBUTE_FROM; -1: 0 or 10 by chance")
    options.add_argument("--failures", type=int, default=10)
    options.add_argument("--log", help="file that holds the program that runs, for when this process dies")
    given = options.parse_args()
    print("seed", given.seed, "ranks", given.ranks, flush=True)
    session = Session(given.ranks)
    session.start()
    end = time.monotonic() + given.seconds
    programs = failures = lines_run = 0
    number = given.seed
    while time.monotonic() < end and failures < given.failures:
        chance = random.Random(number)
        threshold = given.threshold if given.threshold >= 0 else chance.choice([0, 10])
        passes = given.passes
        if passes == "each":
            passes = chance.choice(
                ["", "", "fuse", "interior", "simplify", "contract", "version", "fuse,simplify,contract,version"]
            )
        if passes != session.passes:
            session.disable(passes)
        with gamelan.options(distribute_from=threshold):
            lines = Writer(chance, given.length).write()
            programs += 1
            lines_run += len(lines)
            if given.log:
                with open(given.log, "w") as log:
                    log.write("\n".join(lines) + "\n")
            difference = session.attempt(lines)
            if difference is not None:
                failures += 1
                short = shorten(lines, difference.kind, session.attempt)
                again = session.attempt(short) or difference
                print(f"---- program {number} ranks={given.ranks} from={threshold} disabled={passes!r} kind={difference.kind}")
                print("\n".join(short))
                print("=> " + str(again), flush=True)
        number += 1
    print(f"{programs} programs, {lines_run} lines, {failures} failures; next seed {number}")
    _session.release()
    session.engines.stop()


if __name__ == "__main__":
    main()
