# SPDX-License-Identifier: BSD-3-Clause
"""`gamelan doctor`: what is amiss with MPI, memory, versions, sessions, routes and Slurm, and what to do. It stands above the
launcher, because it starts engines as users do. _questions asks them all."""
