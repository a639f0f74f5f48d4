# SPDX-License-Identifier: BSD-3-Clause
"""%%dry: a cell is recorded in a child of this process and planned by the engines, and computes nothing."""
