# SPDX-License-Identifier: BSD-3-Clause
"""What a universal function can do beside being called with its operands alone: one file per form of call or method. The
objects themselves are made in _ufuncs.py."""
