# SPDX-License-Identifier: BSD-3-Clause
"""Runs GAiN's own one-line programs (`tests/gain.py` of a checkout of GlobalArrays/ga4py) on numpy and on gamelan.

    python gain_programs.py DIRECTORY [--ranks 3] [--from 0] [--require 89]

The file is Python 2 and is not copied here: its list of program texts is read with a small parser of our own. Prints how
many programs NumPy passes and how many of those gamelan runs equal; each that differs by its text.
"""
import argparse
import ast
import pathlib
import re
import signal
import sys
import warnings

import numpy


def programs(directory):
    """The texts of the list `tests`, each a program that leaves `result`."""
    source = (pathlib.Path(directory) / "tests" / "gain.py").read_text()
    found = re.search(r"^tests = (\[.*?^\])", source, re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f"{directory}/tests/gain.py holds no list named tests")
    return ["\n".join(line.strip() for line in text.splitlines()) for text in ast.literal_eval(found.group(1))]


def run(text, module):
    """What a program leaves in `result`, as NumPy data; or the exception."""
    names = {"m": module, "np": numpy}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            exec(text, names)
            return plain(names["result"]), None
        except Exception as error:
            return None, error


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, numpy.flatiter):
        return numpy.array(value)
    return numpy.asarray(value)


def difference(actual, expected):
    """Why two results differ, '' when they are equal. Floating point may differ in the order of a sum."""
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{actual!r} is not a sequence of {len(expected)}"
        return next(filter(None, map(difference, actual, expected)), "")
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{actual.dtype} {actual.shape}, NumPy {expected.dtype} {expected.shape}"
    if expected.dtype.kind in "fc":
        tolerance = 1e-5 if expected.dtype.itemsize == 4 else 1e-12
        same = numpy.allclose(actual, expected, rtol=tolerance, atol=0, equal_nan=True)
    else:
        same = numpy.array_equal(actual, expected)
    return "" if same else f"{actual}, NumPy {expected}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", help="a checkout of GlobalArrays/ga4py")
    options.add_argument("--ranks", type=int, default=3)
    options.add_argument("--from", dest="threshold", type=int, default=0, help="elements from which arrays are distributed")
    options.add_argument("--require", type=int, default=0, help="fail when fewer programs are equal")
    options.add_argument("--seconds", type=int, default=120, help="limit for the whole run")
    given = options.parse_args()
    signal.alarm(given.seconds)
    import gamelan
    from gamelan import _session, launch

    texts = programs(given.directory)
    engines = launch.start(n=given.ranks)
    passed, failures = 0, []
    try:
        _session.use(engines)
        with gamelan.options(distribute_from=given.threshold):
            for number, text in enumerate(texts):
                expected, refused = run(text, numpy)
                if refused is not None:
                    continue
                passed += 1
                actual, error = run(text, gamelan)
                why = f"{type(error).__name__}: {error}" if error is not None else difference(actual, expected)
                if why:
                    failures.append(f"#{number} {'; '.join(text.splitlines())}\n    {why[:200]}")
    finally:
        _session.release()
        engines.stop()
    print("\n".join(failures))
    print(f"gain: {len(texts)} programs, NumPy passes {passed}, equal {passed - len(failures)} on {given.ranks} ranks, "
          f"distributed from {given.threshold} elements")  # fmt: skip
    return 0 if passed - len(failures) >= given.require else 1


if __name__ == "__main__":
    sys.exit(main())
