# SPDX-License-Identifier: BSD-3-Clause
"""What keeps a Python from running Gamelan, in one sentence that names the mend. Used by `gamelan run` and the doctor; what a
running Python finds of itself stands in _requirements.py, and the kernel's own sentences in kernel/front/environment.cpp."""

from __future__ import annotations

import shlex
import sys

from .. import _requirements
from .._requirements import pip_install
from ._pythons import Answer, built_for

OLDEST = (3, 11)  # as pyproject.toml says


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def refusal(program: str, source: str, answer: Answer) -> str:
    """Why `gamelan run` and the kernel cannot use this Python; empty where they can. `source`: who named it."""
    if not answer.version:
        return (
            f"{source} has no Python that runs: make that environment again, deactivate it, or set GAMELAN_PYTHON to the Python "
            "of another"
        )
    if other := of_another_version(program, answer):
        return f"{source} has Python {dotted(answer.version)}, {other}"
    if "numpy" in answer.faults:
        return f"{source} cannot import NumPy ({answer.faults['numpy']}): {pip_install(program, 'numpy')}"
    if "gamelan" in answer.missing:
        return f"{source} has no Gamelan: `{pip_install(program, '.')}` in Gamelan's sources installs it there"
    if answer.faults.get("gamelan", "").startswith(_requirements.BUILT):  # says itself what to do
        return f"{source}: {answer.faults['gamelan']}"
    return _requirements.refusal(answer.modules.get("numpy", ""), program)


def of_another_version(program: str, answer: Answer) -> str:
    """What to do with a Python that the extension was not built for; empty where it fits."""
    wanted = built_for()
    if not wanted or answer.version in wanted:
        return ""
    told = "gamelan was built for " + " and ".join(map(dotted, wanted))
    make_venv = f"make a venv with {shlex.join([sys.executable, '-m', 'venv', '--system-site-packages'])}"
    if answer.version < OLDEST:
        return f"{told}: {make_venv}, or set GAMELAN_PYTHON"
    return f"{told}: build it for that one with `{pip_install(program, '.')}` in Gamelan's sources, or {make_venv}"
