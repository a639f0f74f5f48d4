# SPDX-License-Identifier: BSD-3-Clause
"""An environment with the libraries, which all tests of this folder share."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from places import BUILD, HERE


@pytest.fixture(scope="session")
def python():
    """The Python of an environment with the libraries."""
    folder = Path(os.environ.get("GAMELAN_LIBRARIES", BUILD / "libraries"))
    python = folder / "bin/python"
    if "GAMELAN_LIBRARIES" in os.environ:
        return python
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True, timeout=120)
        if made.returncode:
            pytest.skip(f"no environment could be made: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
    major = int(numpy.__version__.split(".")[0])
    numpys = f"numpy>={major},<{major + 1}"  # the build's NumPy
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "20", numpys]
    if subprocess.run([*pip, "ipython"], capture_output=True, timeout=600).returncode:
        pytest.skip("PyPI cannot be reached")
    for line in (HERE / "requirements.txt").read_text().splitlines():
        if arguments := line.partition("#")[0].split():
            subprocess.run([*pip, *arguments], capture_output=True, timeout=900)
    return python
