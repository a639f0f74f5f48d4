# SPDX-License-Identifier: BSD-3-Clause
"""The ways to engines that a user may choose, for options and for `_launch`, which does without them."""

ROUTES = ("auto", "direct", "srun", "ssh")
