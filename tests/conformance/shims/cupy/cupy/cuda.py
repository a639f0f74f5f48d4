# SPDX-License-Identifier: BSD-3-Clause
"""What CuPy's tests look at to know the machine: not a HIP one, of a version that is not too old for any of them. Memory is
nobody's to set here; the rest is not there."""

from types import SimpleNamespace

runtime = SimpleNamespace(is_hip=False, runtimeGetVersion=lambda: 12000)
driver = SimpleNamespace()
cub = SimpleNamespace(available=True)


def get_allocator():
    """None: the arrays of the module under test are its own affair."""


def set_allocator(allocator):
    """Changes nothing."""
