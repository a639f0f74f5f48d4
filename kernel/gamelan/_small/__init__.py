# SPDX-License-Identifier: BSD-3-Clause
"""Calls with small arrays: NumPy's functions at once, loops of our own where these are faster, idle engines where they were."""
