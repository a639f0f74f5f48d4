# SPDX-License-Identifier: BSD-3-Clause
"""Other libraries as PyPI has them, with small arrays and with arrays on the engines: what they compute is what they compute of
NumPy's. A tier of its own, `tests/run libraries`: it needs PyPI and a gigabyte. GAMELAN_LIBRARIES names an environment that has
them already (its Python must be the build's)."""

import json
import os
import subprocess

import programs
import pytest
from places import BUILD, HERE

SMALL, LARGE = 1_000, 100_000  # elements; the second are on the engines


@pytest.mark.parametrize("count", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("library", programs.PROGRAMS)
@pytest.mark.timeout(900)
def test_a_library_takes_our_arrays_for_numpys(python, library, count):
    run = subprocess.run(
        [python, HERE / "run_programs.py", library, str(count)],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=BUILD,
        env={**os.environ, "GAMELAN_ENGINES": "2", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads(run.stdout.splitlines()[-1])
    if "missing" in found:
        pytest.skip(f"{library}: {found['missing']}")
    version, ranks = found.pop("version"), found.pop("ranks")
    assert ranks == 2 or count < LARGE, f"{library} ran on {ranks} engines"
    differ = [f"{each}: {ours}, with NumPy {theirs}" for each, (theirs, ours, *_) in found.items() if ours != theirs]
    assert not differ, f"{library} {version}\n" + "\n".join(differ)
    slow = [
        f"{each}: {ours_s:.1f} s, with NumPy {theirs_s:.1f} s"
        for each, (*_, theirs_s, ours_s) in found.items()
        if ours_s > 30 * theirs_s + 3  # element by element it would take minutes
    ]
    assert not slow, f"{library} {version}\n" + "\n".join(slow)
    broken = [f"{each}: {theirs}" for each, (theirs, *_) in found.items() if "Error: " in theirs]
    assert not broken, f"{library} {version}: these fail with NumPy, too\n" + "\n".join(broken)
