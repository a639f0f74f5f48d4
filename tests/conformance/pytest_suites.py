# SPDX-License-Identifier: BSD-3-Clause
"""Runs a suite that is itself a pytest suite, in a process of its own, with stand-ins of ours on its path: what became of
each test, by its JUnit file; and which of them should not have come out so."""

import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from programs import is_meant, meant_differences

LIMIT_S = 1500


def outcomes(directory, options, shims, settings, ranks=0):
    """Test name -> "passed", "skipped" or the message of its failure; with engines when `ranks` is given."""
    from gamelan import launch

    # On a busy machine the suite's own imports take longer than engines wait for a client.
    engines = launch.start(n=ranks, idle_timeout=300) if ranks else None
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        environment = {**os.environ, **settings, "GAMELAN_DISTRIBUTE_FROM": "0",
                       "PYTHONPATH": os.pathsep.join([str(shims), os.environ.get("PYTHONPATH", "")])}  # fmt: skip
        if engines:
            environment["GAMELAN_CONNECT"] = str(engines.connection_file)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-W", "ignore", "-p", "no:cacheprovider", "-p", "no:randomly",
                   f"--junitxml={report}", "-o", "junit_family=xunit2", *options]  # fmt: skip
        try:
            done = subprocess.run(
                command, cwd=directory, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
            )
        finally:
            if engines:
                engines.stop()
        if not report.exists():
            raise AssertionError(f"the suite left no report:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return {
            f"{case.get('classname', '').rsplit('.', 1)[-1]}::{case.get('name')}": _outcome(case)
            for case in xml.parse(report).iter("testcase")
        }


def _outcome(case):
    for kind in ("failure", "error"):
        found = case.find(kind)
        if found is not None:
            return (found.get("message") or kind).splitlines()[0][:160]
    return "skipped" if case.find("skipped") is not None else "passed"


def unexpected(suite, actual, expected):
    """Tests that fail though NumPy passes them (all, where there is no NumPy to compare with) and are not meant to differ."""
    meant = meant_differences(suite)
    return [f"{name}\n    {outcome}" for name, outcome in actual.items() if outcome not in ("passed", "skipped")
            and (expected is None or expected.get(name) == "passed") and not is_meant(name, meant)]  # fmt: skip
