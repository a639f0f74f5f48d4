# SPDX-License-Identifier: BSD-3-Clause
"""Does this Python's NumPy fit the one that `_core` was built for? Asked before `_core` is loaded, which would say it in
NumPy's words. Imports nothing of ours: the command and the doctor ask about other Pythons than their own."""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES

BUILT_FOR = 1  # NumPy's major version, whose C interface `_core` has


def refusal(version, python="python3"):
    """What is wrong with a NumPy of this version, and what to do; empty where it fits or is not known."""
    major = version.split(".")[0]
    if not major.isdigit() or int(major) == BUILT_FOR:
        return ""
    return (
        f"Gamelan is built for NumPy {BUILT_FOR}.x; this Python has {version}. Run `{python} -m pip install "
        f"'numpy<{BUILT_FOR + 1}'`, or use another Python (GAMELAN_PYTHON=/usr/bin/python3)"
    )


def require_numpy(version, python):
    """Raise ImportError where `refusal` has something to say."""
    told = refusal(version, python)
    if told:
        raise ImportError(told, name="gamelan")


def core_refusal(error, folder, python):
    """Why `_core` in this folder was not loaded, and what to do."""
    built = [file.name for file in os.scandir(folder) if file.name.startswith("_core.")]
    if any(name == "_core" + suffix for name in built for suffix in EXTENSION_SUFFIXES):
        return (
            f"Gamelan was built for another system than this one ({error}): install the package that was made for this "
            f"distribution, or build it here: `{python} -m pip install .` in its sources"
        )
    has = "for another Python (" + ", ".join(sorted(built)) + ")" if built else "without its extension _core"
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return (
        f"Gamelan was built {has}, and this is Python {this}: `{python} -m pip install .` in its sources builds it for this one"
    )
