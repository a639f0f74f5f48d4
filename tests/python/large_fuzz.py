# SPDX-License-Identifier: BSD-3-Clause
"""Runs random statements over arrays of ordinary size on NumPy and on the engines, at the default threshold, and compares.

python large_fuzz.py --ranks 3 --seconds 600 [--seed 1]      prints every difference, as the shortest program that shows it
"""

import argparse
import gc
import random
import time

import numpy

import fuzz
import gamelan
import oracle
from gamelan import _core, _session
from large_programs import MOST, LargeEnvironment
from large_statements import Statements

STATEMENTS = 14  # of a program, after its leaves
MOST_READ = 12_000_000  # elements of a result that is brought here


def is_kept(value):
    """Later statements may use what is not too large, and whole: differences of what is rounded would differ themselves."""
    if value.dtype.kind not in "fc":
        return value.nbytes < 40_000_000
    return value.nbytes < 40_000_000 and bool(
        (numpy.abs(value) < 1e6).all()
        and (numpy.rint(value.real) == value.real).all()
        and (value.imag == numpy.rint(value.imag)).all()
    )


class Both:
    """One program on both modules, statement by statement."""

    def __init__(self):
        self.expected, self.actual = LargeEnvironment(numpy), LargeEnvironment(gamelan)

    def values(self):
        return {name: value for name, value in self.expected.arrays().items() if isinstance(value, numpy.ndarray)}

    def run(self, statement):
        """Raises fuzz.Difference. A statement is a line; on a second one the names that it makes or changes, if it begins with no other."""
        line, _, changed = statement.partition("\n")
        wanted, got = self.expected.run(line), self.actual.run(line)
        if (wanted is None) != (got is None):
            raise fuzz.Difference(f"error {type(got or wanted).__name__}", f"{line}\nraised {got!r}, NumPy {wanted!r}")
        if wanted is not None and not isinstance(got, oracle.error_class(wanted)):
            raise fuzz.Difference("error class", f"{line}\nraised {got!r}, NumPy {wanted!r}")
        for name in changed.split() or [line.split(" = ")[0]]:
            if name in self.expected:
                self.compare(name, line)

    def compare(self, name, line):
        if self.expected[name].size > MOST_READ:
            del self.expected[name], self.actual[name]
            return
        try:
            value = self.actual[name]
            oracle.assert_same(numpy.asarray(value), numpy.asarray(self.expected[name]), f"{name} after {line}")
        except (AssertionError, KeyError) as error:
            raise fuzz.Difference("value", f"{error}") from None
        if not isinstance(value, gamelan.ndarray) or not is_kept(self.expected[name]):
            del self.expected[name], self.actual[name]


def attempt(statements):
    """The difference that a program shows, or None."""
    both = Both()
    try:
        for statement in statements:
            both.run(statement)
    except fuzz.Difference as difference:
        return difference
    except Exception as error:
        return fuzz.Difference(type(error).__name__, f"{type(error).__name__}: {error}")
    finally:
        del both
        gc.collect()
    return None


def run(seed, most=MOST, statements=STATEMENTS):
    """(the statements of one program, its difference from NumPy or None)."""
    both, written = Both(), []
    writer = Statements(random.Random(seed), both.values, most)
    try:
        for statement in writer.leaves():
            written.append(statement)
            both.run(statement)
        for _ in range(statements):
            written.append(writer.next())
            both.run(written[-1])
    except fuzz.Difference as difference:
        return written, difference
    except Exception as error:
        if not isinstance(error, (gamelan.EngineLostError, gamelan.CancelledError, MemoryError, RuntimeError)):
            raise
        return written, fuzz.Difference(type(error).__name__, f"{type(error).__name__}: {error}")
    finally:
        del both, writer
        gc.collect()
    return written, None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ranks", type=int, default=3)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--most", type=int, default=MOST, help="elements of an array")
    options.add_argument("--passes", default="", help="passes to disable")
    options.add_argument("--failures", type=int, default=10)
    given = options.parse_args()
    print("seed", given.seed, "ranks", given.ranks, flush=True)
    session = fuzz.Session(given.ranks)
    session.passes = given.passes
    session.start()
    end = time.monotonic() + given.seconds
    done = failures = 0
    seed = given.seed
    while time.monotonic() < end and failures < given.failures:
        written, difference = run(seed, given.most)
        done += len(written)
        if difference is not None:
            failures += 1
            if difference.kind in fuzz.FATAL:
                session.start()
            else:
                _core.flush(True)
            short = fuzz.shorten(written, difference.kind, attempt, tries=60)
            print(
                f"---- seed {seed} ranks {given.ranks} kind {difference.kind}\n"
                + "\n".join(short)
                + f"\n=> {attempt(short) or difference}",
                flush=True,
            )
        seed += 1
    print(f"{seed - given.seed} programs, {done} statements, {failures} failures; next seed {seed}")
    _session.release()
    session.engines.stop()


if __name__ == "__main__":
    main()
