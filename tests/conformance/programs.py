# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs of a public suite on numpy and on gamelan and compares what they leave: what all of them but the pytest
suites share. A suite is a function from its checkout to (name, program) pairs; a program is a function of the module under
test. What NumPy itself refuses does not count, and is told by name. A difference that is meant stands in differs.txt with its
reason. Each program has a limit of its own; one that exceeds it differs, and the others go on."""

import argparse
import contextlib
import fnmatch
import pathlib
import signal
import sys
import time
import warnings

import numpy

HERE = pathlib.Path(__file__).parent
SHOWN = 60  # differences in the report
SLOWEST = 5  # programs named with their seconds
COMPARED = 1 << 28  # elements that a comparison may bring here; programs have the limit that users have


class TooLong(BaseException):
    """A program's time is over. Programs that catch every Exception do not catch this."""


@contextlib.contextmanager
def limited(seconds):
    """Raises TooLong in what runs longer, in Python and wherever a library looks for signals."""

    def stop(*_):
        raise TooLong(f"not through after {seconds:.0f} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def meant_differences(suite):
    """Patterns of programs of a suite that are known to differ."""
    lines = (HERE / "differs.txt").read_text().splitlines()
    rows = [line.split("#")[0].split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return [pattern.strip() for name, pattern in rows if suite == name or suite.startswith(f"{name}-")]


def is_meant(name, patterns):
    """True when a program's name matches one of the patterns."""
    return any(fnmatch.fnmatchcase(name, pattern.replace("[", "[[]")) for pattern in patterns)


def plain(value):
    """A result as NumPy data, also inside sequences."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return numpy.array(value) if isinstance(value, numpy.flatiter) else numpy.asarray(value)


def run(program, module, seconds):
    """What a program leaves, as NumPy data; or the exception."""
    import gamelan

    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with limited(seconds):
                value = program(module)
                with gamelan.options(gather_limit=COMPARED):
                    return plain(value), None
        except (Exception, TooLong) as error:
            return None, error


def difference(actual, expected, relative=None):
    """Why two results differ, '' when they are equal. Floating point may differ in the order of a sum."""
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{actual!r} is not a sequence of {len(expected)}"
        return next(filter(None, (difference(*pair, relative) for pair in zip(actual, expected))), "")
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{actual.dtype} {actual.shape}, NumPy {expected.dtype} {expected.shape}"
    if expected.dtype.kind in "fc":
        tolerance = relative or (1e-12 if expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1) == 8 else 1e-5)
        finite = numpy.abs(expected[numpy.isfinite(expected)])
        # Of whole programs: what is left of a difference of numbers near 1 is noise.
        absolute = tolerance * max(1e-4, float(finite.max(initial=0.0))) if relative else 0.0
        same = numpy.allclose(actual, expected, rtol=tolerance, atol=absolute, equal_nan=True)
    else:
        same = numpy.array_equal(actual, expected)
    return "" if same else f"{actual}, NumPy {expected}".replace("\n", " ")


def _grouped(failures):
    """One line for every reason and group of programs that differ only in their number."""
    groups = {}
    for name, why in failures:
        groups.setdefault((name.rstrip("0123456789"), why[:60]), []).append((name, why))
    lines = [f"{first[0]}{f' and {len(rest)} more' if rest else ''}\n    {first[1]}" for first, *rest in groups.values()]
    return lines[:SHOWN] + [f"... {len(lines) - SHOWN} more groups"] * (len(lines) > SHOWN)


def _reason(error):
    return f"{type(error).__name__}: {error}"[:200]


def _compare(chosen, given, relative, meant):
    """Runs (name, program) pairs; the failures, those that are meant, what NumPy refuses, and seconds of each, by name."""
    import gamelan

    failures, expected_failures, refusals, seconds = [], [], [], {}
    end = time.monotonic() + given.seconds
    for name, program in chosen:
        start = time.monotonic()
        if start >= end:
            seconds[name] = 0.0
            failures.append((name, f"not run: the {given.seconds:.0f} s for all programs are over"))
            continue
        expected, refused = run(program, numpy, min(given.each, end - start))
        if isinstance(refused, Exception):
            refusals.append((name, _reason(refused)))
            continue
        if refused is None:
            start = time.monotonic()
            actual, refused = run(program, gamelan, min(given.each, end - start))
        seconds[name] = time.monotonic() - start
        why = _reason(refused) if refused is not None else difference(actual, expected, relative)
        if why:
            (expected_failures if is_meant(name, meant) else failures).append((name, why[:200]))
    return failures, expected_failures, refusals, seconds


def main(suite, programs, relative=None, sizes=()):
    """The command line of a suite: exit code 0 when all that NumPy passes is equal, but for what is meant to differ. A suite
    that has several sizes is asked for its programs in one of them."""
    options = argparse.ArgumentParser(
        description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("directory", help="a checkout of the suite")
    options.add_argument("--ranks", type=int, default=3)
    options.add_argument("--from", dest="threshold", type=int, default=0, help="elements from which arrays are distributed")
    options.add_argument("--require", type=int, default=0, help="fail when NumPy passes fewer programs")
    options.add_argument("--only", default="*", help="pattern of names")
    options.add_argument(
        "--seconds", type=float, default=600, help="limit for all programs together; those that it cuts off differ"
    )
    options.add_argument("--each", type=float, default=120, help="limit for a program, on NumPy and on Gamelan")
    if sizes:
        options.add_argument("--sizes", choices=sizes, default=sizes[0])
    given = options.parse_args()
    import gamelan
    from gamelan import _session, launch

    directory = pathlib.Path(given.directory)
    chosen = ((name, program) for name, program in (programs(directory, given.sizes) if sizes else programs(directory))
              if fnmatch.fnmatchcase(name, given.only))  # fmt: skip
    engines = launch.start(n=given.ranks)
    try:
        _session.use(engines)
        with gamelan.options(distribute_from=given.threshold):
            failures, expected_failures, refusals, seconds = _compare(chosen, given, relative, meant_differences(suite))
    finally:
        _session.release()
        engines.stop()
    if refusals:
        print("\n".join(["NumPy itself refuses", *_grouped(refusals), ""]))
    print("\n".join(_grouped(failures)))
    slowest = sorted(seconds.items(), key=lambda pair: -pair[1])[:SLOWEST]
    print(f"{sum(seconds.values()):.0f} s, of these " + ", ".join(f"{name} {taken:.1f}" for name, taken in slowest))
    passed = len(seconds)
    print(f"{suite}: {passed + len(refusals)} programs, NumPy passes {passed}, equal {passed - len(failures) - len(expected_failures)}, "
          f"differ {len(failures)}, meant to differ {len(expected_failures)} on {given.ranks} ranks, distributed from {given.threshold} elements")  # fmt: skip
    return 0 if passed >= given.require and not failures else 1
