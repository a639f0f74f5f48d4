# SPDX-License-Identifier: BSD-3-Clause
"""The fixtures of this tier are in slurm_cluster.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from slurm_cluster import cluster, sessions  # noqa: E402, F401
