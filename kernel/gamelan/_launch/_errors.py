# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong between asking for engines and having them, each with its own name and what to do about it.

Raised by launch.py and its launchers; the command line prints them without a traceback.
"""


class LaunchError(RuntimeError):
    """Engines could not be started, found or stopped."""


class MpiexecMissingError(LaunchError):
    """No Open MPI on this machine."""


class EngineMissingError(LaunchError):
    """The program gamelan-engine was not found."""


class SharedMemoryError(LaunchError):
    """/dev/shm has too little room for the engines."""


class UnsafeDirectoryError(LaunchError):
    """A directory or file that must be private belongs to someone else or is open to others."""


class ConnectionFileError(LaunchError):
    """A connection file that is absent, unreadable, of another version, or left over by engines that are gone."""


class StartError(LaunchError):
    """The engines ended, or took too long, before they served. `ending`: how they ended, if they did."""

    ending = None


class SlurmError(LaunchError):
    """Slurm refused or lost the job."""


class NeverStartsError(SlurmError):
    """A job in the queue that no waiting helps."""
