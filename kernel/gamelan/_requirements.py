# SPDX-License-Identifier: BSD-3-Clause
"""Does this Python's NumPy fit the one that `_core` was built for? Asked before `_core` is loaded, which would say it in
NumPy's words. Imports nothing: the command and the doctor ask about other Pythons than their own."""

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
