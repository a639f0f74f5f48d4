# SPDX-License-Identifier: BSD-3-Clause
"""For all tests in Python: arrays of 65,536 elements are distributed, whatever would be measured on this machine, and a second try
is told in the JUnit file, where tiers.py counts."""

import os

os.environ.setdefault("GAMELAN_DISTRIBUTE_FROM", "65536")


def pytest_runtest_setup(item):
    """pytest-rerunfailures counts the tries of a test, and leaves nothing of them in the file."""
    if getattr(item, "execution_count", 1) > 1:
        item.user_properties.append(("second_try", True))
