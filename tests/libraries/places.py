# SPDX-License-Identifier: BSD-3-Clause
"""Where things are."""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("GAMELAN_BUILD", HERE.parents[1] / "build")).resolve()
