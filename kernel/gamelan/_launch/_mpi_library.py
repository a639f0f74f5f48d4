# SPDX-License-Identifier: BSD-3-Clause
"""The MPI that an engine was linked with: which library it loads here, and where the programs of that installation are.

Used by _mpiexec.py, which starts engines with that installation's mpiexec, and by the doctor.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

_LIBRARY = re.compile(r"^\s*(libmpi(?:ch|_cray|_gnu\w*|_intel\w*)?\.so[.\d]*) => (\S.*?)(?: \(0x\w+\))?$", re.MULTILINE)


def loaded_by(engine: str) -> tuple[str, str] | None:
    """The name of the MPI library that an engine asks for, and its path, or "not found"; None where `ldd` does not say."""
    try:
        return _loaded_by(engine, Path(engine).stat().st_mtime_ns, os.environ.get("LD_LIBRARY_PATH"))
    except OSError:
        return None


@functools.lru_cache
def _loaded_by(engine: str, _built: int, _searched: str | None) -> tuple[str, str] | None:
    try:
        told = subprocess.run(["ldd", engine], capture_output=True, text=True, timeout=20, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    found = _LIBRARY.search(told.stdout)
    return (found[1], found[2]) if found else None


def prefixes(library: str) -> list[Path]:
    """Where the installation of a library may have its bin: /usr for /usr/lib/libmpi.so.40, never for /usr/local/lib."""
    named, meant = os.path.realpath(os.path.dirname(library)), os.path.dirname(os.path.realpath(library))  # /lib is /usr/lib
    folders = (up for place in (named, meant) for up in (Path(place), *Path(place).parents))
    return list(dict.fromkeys(up.parent for up in folders if up.name.startswith("lib")))
