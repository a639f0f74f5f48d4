# SPDX-License-Identifier: BSD-3-Clause
# GAiN's one-line programs, from a checkout of GlobalArrays/ga4py that GAMELAN_GA4PY names: it is not part of this project.
import os
import pathlib
import subprocess
import sys

import pytest

NUMPY_PASSES = 89  # of the 93


@pytest.mark.timeout(300)
@pytest.mark.parametrize("ranks", [1, 3])
def test_every_program_that_numpy_passes(ranks):
    directory = os.environ.get("GAMELAN_GA4PY")
    if not directory:
        pytest.skip("set GAMELAN_GA4PY to a checkout of GlobalArrays/ga4py")
    program = pathlib.Path(__file__).with_name("gain_programs.py")
    done = subprocess.run([sys.executable, program, directory, "--ranks", str(ranks), "--require", str(NUMPY_PASSES)],
                          capture_output=True, text=True, timeout=200, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
