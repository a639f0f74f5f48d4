# SPDX-License-Identifier: BSD-3-Clause
"""For all tests in Python: arrays of 65,536 elements are distributed, whatever would be measured on this machine."""

import os

os.environ.setdefault("GAMELAN_DISTRIBUTE_FROM", "65536")
