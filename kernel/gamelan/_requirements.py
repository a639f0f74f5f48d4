# SPDX-License-Identifier: BSD-3-Clause
"""Do this Python and its NumPy fit those that `_core` was built for? Asked before `_core` is loaded, which would say it in
NumPy's words. Imports no NumPy: the command and the doctor ask about other Pythons than their own."""

import os
import shlex
import sys
from importlib.machinery import EXTENSION_SUFFIXES

from ._version import NUMPY_HEADERS

OLDEST = (1, 24)
NEWEST_MAJOR = 2
BUILT = "Gamelan was built "  # how the sentences about another Python and another system begin


def pip_install(python, what):
    """The command that installs it for this Python, as a shell reads it."""
    return shlex.join([python, "-m", "pip", "install", what])


def refusal(version, python="python3", headers=NUMPY_HEADERS):
    """What is wrong with a NumPy of this version, and what to do; empty where it fits or is not known. What is built with the
    headers of NumPy 2 runs on NumPy 1 too."""
    numbers = version.split(".")
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers[:2]):
        return ""
    major, minor = map(int, numbers[:2])
    newest = NEWEST_MAJOR if headers.startswith(f"{NEWEST_MAJOR}.") else 1
    if major > newest:
        built = f"This Gamelan is for NumPy up to {newest}.x; this Python has {version}. "
        mend = f"Run `{pip_install(python, f'numpy<{newest + 1}')}`"
        if major <= NEWEST_MAJOR:  # headers of that NumPy are asked for
            return f"{built}{mend}, or install it there for that NumPy: `{pip_install(python, '.')}` in Gamelan's sources"
        return f"{built}{mend}, or use a Python that has such a NumPy (GAMELAN_PYTHON)"
    if (major, minor) < OLDEST:
        return (
            f"Gamelan needs NumPy {OLDEST[0]}.{OLDEST[1]} or newer; this Python has {version}. Run "
            f"`{pip_install(python, f'numpy>={OLDEST[0]}.{OLDEST[1]}')}`"
        )
    return ""


def require_numpy(version, python):
    """Raise ImportError where `refusal` has something to say."""
    told = refusal(version, python)
    if told:
        raise ImportError(told, name="gamelan")


def require_python(folder, python):
    """Raise ImportError where no `_core` in this folder is for this Python; another NumPy would not help there."""
    built = [file.name for file in os.scandir(folder) if file.name.startswith("_core.")]
    if any(name == "_core" + suffix for name in built for suffix in EXTENSION_SUFFIXES):
        return
    has = "for another Python (" + ", ".join(sorted(built)) + ")" if built else "without its extension _core"
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    raise ImportError(
        f"{BUILT}{has}, and this is Python {this}: `{pip_install(python, '.')}` in its sources builds it for this one",
        name="gamelan",
    )


def core_refusal(error, python):
    """Why a `_core` that is for this Python was not loaded, and what to do."""
    return (
        f"{BUILT}for another system than this one ({error}): install the package that was made for this distribution, or build "
        f"it here: `{pip_install(python, '.')}` in its sources"
    )
