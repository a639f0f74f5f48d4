# SPDX-License-Identifier: BSD-3-Clause
"""The fixtures of this tier are in launch_fixtures.py, which the Slurm tier shares."""

from clients import start  # noqa: F401
from launch_fixtures import gamelan, runtime  # noqa: F401
