# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs of a public suite on numpy and on gamelan and compares what they leave: what all of them but the pytest
suites share. A suite is a function from its checkout to (name, program) pairs; a program is a function of the module under
test. What NumPy itself refuses does not count. A difference that is meant stands in differs.txt with its reason."""
import argparse
import fnmatch
import pathlib
import signal
import sys
import warnings

import numpy

HERE = pathlib.Path(__file__).parent
SHOWN = 60  # differences in the report


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


def run(program, module):
    """What a program leaves, as NumPy data; or the exception."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return plain(program(module)), None
        except Exception as error:
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


def main(suite, programs, relative=None):
    """The command line of a suite: exit code 0 when all that NumPy passes is equal, but for what is meant to differ."""
    options = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", help="a checkout of the suite")
    options.add_argument("--ranks", type=int, default=3)
    options.add_argument("--from", dest="threshold", type=int, default=0, help="elements from which arrays are distributed")
    options.add_argument("--require", type=int, default=0, help="fail when NumPy passes fewer programs")
    options.add_argument("--only", default="*", help="pattern of names")
    options.add_argument("--seconds", type=int, default=600, help="limit for the whole run")
    given = options.parse_args()
    signal.alarm(given.seconds)
    import gamelan
    from gamelan import _session, launch

    meant = meant_differences(suite)
    engines = launch.start(n=given.ranks)
    total = passed = equal = 0
    failures, expected_failures = [], 0
    try:
        _session.use(engines)
        with gamelan.options(distribute_from=given.threshold):
            for name, program in programs(pathlib.Path(given.directory)):
                if not fnmatch.fnmatchcase(name, given.only):
                    continue
                total += 1
                expected, refused = run(program, numpy)
                if refused is not None:
                    continue
                passed += 1
                actual, error = run(program, gamelan)
                why = f"{type(error).__name__}: {error}" if error is not None else difference(actual, expected, relative)
                equal += not why
                if why and is_meant(name, meant):
                    expected_failures += 1
                elif why:
                    failures.append((name, why[:200]))
    finally:
        _session.release()
        engines.stop()
    print("\n".join(_grouped(failures)))
    print(f"{suite}: {total} programs, NumPy passes {passed}, equal {equal}, differ {len(failures)}, meant to differ "
          f"{expected_failures} on {given.ranks} ranks, distributed from {given.threshold} elements")  # fmt: skip
    return 0 if passed >= given.require and not failures else 1
