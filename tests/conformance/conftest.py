# SPDX-License-Identifier: BSD-3-Clause
"""Where the public suites are: `tests/run conformance --suite NAME=DIRECTORY`, which sets GAMELAN_SUITE_<NAME>. None of them
is part of this project; without its checkout a test is skipped. Each runs on 1 and on 3 ranks, everything distributed."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
LIMIT_S = 1500


@pytest.fixture(params=[1, 3])
def ranks(request):
    """Both numbers of engines."""
    return request.param


@pytest.fixture
def checkout():
    """The directory of a suite by name; skips when none was given."""

    def find(name):
        directory = os.environ.get(f"GAMELAN_SUITE_{name.upper().replace('-', '_')}")
        if not directory:
            pytest.skip(f"no checkout: tests/run conformance --suite {name}=DIRECTORY")
        return pathlib.Path(directory).resolve()

    return find


@pytest.fixture
def compare(checkout, ranks):
    """Runs a suite's programs on both modules; fails with what differs that is not meant to."""

    def run(name, required):
        done = subprocess.run([sys.executable, HERE / f"{name}_programs.py", checkout(name), "--ranks", str(ranks), "--require", str(required),
                               "--seconds", str(LIMIT_S)], capture_output=True, text=True, timeout=LIMIT_S + 60, check=False)  # fmt: skip
        print(done.stdout.strip().splitlines()[-1:])
        assert done.returncode == 0, done.stdout + done.stderr[-3000:]

    return run
