# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that CuPy may compute with: none, whatever is set."""

ACCELERATOR_CUTENSOR = "cutensor"


def get_routine_accelerators():
    """None."""
    return []


def set_routine_accelerators(names):
    """Changes nothing."""


get_reduction_accelerators, set_reduction_accelerators = get_routine_accelerators, set_routine_accelerators
