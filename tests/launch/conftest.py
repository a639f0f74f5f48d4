# SPDX-License-Identifier: BSD-3-Clause
"""The fixtures of this tier are in launch_fixtures.py, which the Slurm tier shares."""

import pytest
from clients import start  # noqa: F401
from launch_fixtures import gamelan, runtime  # noqa: F401


@pytest.fixture(autouse=True)
def no_kernelspecs_of_the_shell(monkeypatch):
    """A test says itself what Jupyter knows."""
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
