# SPDX-License-Identifier: BSD-3-Clause
"""Which Python runs the user's program, and what it has: asked by `gamelan run` and by the doctor. The kernel asks the same
questions in kernel/front/environment.cpp."""

from __future__ import annotations

import os
import subprocess

_QUESTION = "import sys; print(*sys.version_info[:2]); import numpy; print(numpy.__version__)"


def chosen() -> tuple[str | None, str]:
    """The Python that the environment names, and where it is named; None when it names none."""
    if program := os.environ.get("GAMELAN_PYTHON"):
        return program, f"GAMELAN_PYTHON={program}"
    if environment := os.environ.get("VIRTUAL_ENV"):
        return os.path.join(environment, "bin", "python3"), f"the venv {environment}"
    return None, ""


def ask(program: str) -> tuple[tuple[int, ...], str]:
    """The first two numbers of its version (none when it does not run), and its NumPy's version (empty without NumPy)."""
    try:
        asked = subprocess.run([program, "-c", _QUESTION], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return (), ""
    lines = asked.stdout.splitlines()
    return tuple(map(int, lines[0].split())) if lines else (), lines[1] if len(lines) > 1 else ""
