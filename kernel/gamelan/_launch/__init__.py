# SPDX-License-Identifier: BSD-3-Clause
"""The ways to engines: starting them, finding them, the roads there, and how they ended; gamelan.launch is their door.

Knows processes, files and Slurm, and no arrays.
"""
