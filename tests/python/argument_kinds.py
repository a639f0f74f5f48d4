# SPDX-License-Identifier: BSD-3-Clause
"""Calls every public function with other kinds of arguments than it is mostly called with, on NumPy and on the engines.

python argument_kinds.py --ranks 3 --cases 100000 --seed 0 [--from 0,10] [--first N] [--log FILE]
python argument_kinds.py --seed 0 --case 123        one case again, with its program
"""

import argparse
import gc
import json
import random
import signal
import warnings

import gamelan
import kinds_cases
from gamelan import _core
from kinds_cases import Case
from kinds_compare import Difference, compare, refuses
from kinds_differences import is_known

FATAL = ("Hang", "EngineLostError", "EngineTimeoutError")
THRESHOLDS = (0, 10)  # everything on the engines; what has ten elements or more


class Hang(BaseException):
    """A case took too long."""


def attempt(case, seconds=20.0):
    """The Difference of a case, None when there is none."""

    def late(signum, frame):
        raise Hang(f"no answer within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    outer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        difference = compare(case.lines)
        _core.flush(True)
        return difference
    except (Exception, Hang) as error:
        return Difference(type(error).__name__, f"{type(error).__name__}: {error}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, before)


def shorten(case, kind):
    """The case without the changes that the difference does not need."""
    for number in reversed(range(len(case.changes))):
        shorter = case.without(number)
        difference = attempt(shorter)
        if difference is not None and difference.kind == kind:
            case = shorter
    return case


def make(seed, number):
    """Case `number` of a seed."""
    return kinds_cases.make(random.Random(f"{seed}:{number}"))


def run_one(seed, number, threshold):
    """The case of a number, made short, with its difference; None when all is well or known."""
    with gamelan.options(distribute_from=threshold), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = make(seed, number)
        difference = attempt(case)
        if difference is None or is_known(case.lines, difference):
            return None
        if difference.kind not in FATAL:
            case = shorten(case, difference.kind)
            difference = attempt(case) or difference
            if is_known(case.lines, difference) or difference.kind == "error class" and _has_two_mistakes(case):
                return None
    return case, difference


def _has_two_mistakes(case):
    """True when NumPy refuses each of several changes alone: of two mistakes either may be told."""
    return len(case.changes) > 1 and all(refuses(Case(case.call, [change]).lines) for change in case.changes)


def program(case, threshold):
    """A program that runs by itself, under `gamelan run`; with numpy in the place of gamelan it is the oracle's."""
    return "\n".join(["import numpy as n, gamelan as np", f"np.config.distribute_from = {threshold}",
                      "from kinds_values import names; globals().update(names(np))", *case.lines])  # fmt: skip


def main():
    from fuzz import Session

    options = argparse.ArgumentParser()
    options.add_argument("--ranks", type=int, default=3)
    options.add_argument("--cases", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--case", type=int)
    options.add_argument("--from", dest="thresholds", default="0,10")
    options.add_argument("--log", help="takes every failure as a line of JSON")
    given = options.parse_args()
    thresholds = [int(each) for each in given.thresholds.split(",")]
    first, cases = (given.first, given.cases) if given.case is None else (given.case, 1)
    session = Session(given.ranks)
    session.start()
    failures = 0
    for number in range(first, first + cases):
        if given.log:
            with open(given.log + ".at", "w") as at:  # for when this process dies
                at.write(f"{number}\n")
                at.flush()
                at.write("\n".join(make(given.seed, number).lines))
        threshold = thresholds[number % len(thresholds)]
        found = run_one(given.seed, number, threshold)
        if number % 100 == 0:
            gc.collect()
        if found is None:
            continue
        failures += 1
        case, difference = found
        if given.log:
            with open(given.log, "a") as log:
                told = {"number": number, "threshold": threshold, "kind": difference.kind, "text": str(difference)}
                log.write(json.dumps({**told, "call": case.call, "changes": case.changes, "lines": case.lines}) + "\n")
        else:
            print(
                f"---- case {number} of seed {given.seed}, {given.ranks} ranks: {difference.kind}\n{program(case, threshold)}\n=> {difference}",
                flush=True,
            )
        if difference.kind in FATAL:
            session.start()
    print(f"{cases} cases, {failures} differ; next --first {first + cases}")
    from gamelan import _session

    _session.release()
    session.engines.stop()


if __name__ == "__main__":
    main()
