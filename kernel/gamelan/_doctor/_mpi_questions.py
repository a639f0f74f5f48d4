# SPDX-License-Identifier: BSD-3-Clause
"""The doctor's question about MPI: do the library that the engine loads and the mpiexec that starts it belong together?

Asked by _questions.py, which has told by then whether both are there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .._launch import _hydra, _mpi_library, _mpiexec
from .._launch._errors import LaunchError


def questions() -> Iterator[tuple[str, str, str]]:
    """State, what and advice."""
    try:
        engine, mpiexec = _mpiexec.find_engine(), _mpiexec.find_mpiexec()
    except LaunchError:
        return  # told already
    found = _mpi_library.loaded_by(engine)
    if not found:
        return
    name, place = found
    family = "MPICH's ABI" if _hydra.is_engine_of_mpich(engine) else "Open MPI"
    if place == "not found":
        yield ("fail", f"MPI library: the engine wants {name} ({family}), which is not found",
               "load the module of the MPI that it was built with, or put its folder in LD_LIBRARY_PATH")  # fmt: skip
        return
    line = f"MPI library: {place} ({family})"
    if Path(os.path.realpath(mpiexec)).parent.parent in map(Path.resolve, _mpi_library.prefixes(place)):
        yield ("ok", line, "")
    else:
        yield ("warn", f"{line}, and {mpiexec} is of another installation",
               "two MPIs: ranks may not find each other, each is rank 0 of 1. Set GAMELAN_MPIEXEC to the mpiexec beside "
               "that library, or take the other MPI out of LD_LIBRARY_PATH (module list)")  # fmt: skip
