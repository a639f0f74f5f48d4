# SPDX-License-Identifier: BSD-3-Clause
"""Which Python runs the user's program, and what it has: asked by `gamelan run`, `gamelan kernel install` and the doctor. The
kernel chooses in the same way in kernel/front/environment.cpp."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

_PACKAGE = Path(__file__).absolute().parents[1]
# Imports as the kernel would; what an import prints comes before the answer.
_QUESTION = """
import sys
sys.path = [folder for folder in sys.path if folder]  # never what lies in the working directory
import importlib, json
facts = {"version": sys.version_info[:2], "prefix": sys.prefix, "modules": {}, "faults": {}}
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
        facts["modules"][name] = str(getattr(module, "__version__", "?"))
        if name == "gamelan":
            facts["table"] = f"{module._core.fingerprint():016x}"
    except BaseException as error:
        facts["faults"][name] = (str(error).strip().splitlines() or [type(error).__name__])[0]
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == name
        facts["missing"] = facts.get("missing", []) + [name] * is_missing
print()
print(json.dumps(facts))
"""


@dataclass
class Answer:
    """What a Python says of itself: its version (none when it does not run), its prefix, the versions of the modules that it
    was asked for, why it cannot import the others, and gamelan's table of operations, which its engines must have, too."""

    version: tuple[int, ...] = ()
    prefix: str = ""
    modules: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    table: str = ""


def own_environment() -> Path | None:
    """The environment into which pip has put this package; None in a build and in any other installation."""
    prefix = _PACKAGE.parents[3]  # ENVIRONMENT/lib/python3.N/site-packages/gamelan
    is_pips = _PACKAGE.parent.name == "site-packages" and os.access(prefix / "bin/python3", os.X_OK)
    return prefix if is_pips else None


def is_among_others() -> bool:
    """Has pip put this package into a folder that holds other packages, too: an environment's, the user's, the system's?"""
    folder = _PACKAGE.parent
    return folder.name in ("site-packages", "dist-packages") and any(folder.glob("gamelan_kernel-*.dist-info"))


def chosen() -> tuple[str | None, str]:
    """The Python that the environment names, and where it is named; None when it names none."""
    if program := os.environ.get("GAMELAN_PYTHON"):
        return shutil.which(program) or program, f"GAMELAN_PYTHON={program}"
    if own := own_environment():
        return str(own / "bin/python3"), f"the environment {own}"
    if environment := os.environ.get("VIRTUAL_ENV"):
        return os.path.join(environment, "bin", "python3"), f"the venv {environment}"
    environment = os.environ.get("CONDA_PREFIX")
    if environment and os.environ.get("CONDA_DEFAULT_ENV") != "base":  # `base` is active in every shell: nobody chose it
        return os.path.join(environment, "bin", "python3"), f"the conda environment {environment}"
    return None, ""


def built_for() -> list[tuple[int, int]]:
    """The versions of Python that the package has extensions for."""
    found = (re.search(r"cpython-(\d)(\d+)-", file.name) for file in _PACKAGE.glob("_core.*.so"))
    return sorted((int(match[1]), int(match[2])) for match in found if match)


def variables() -> dict[str, str]:
    """The environment variables with which a Python finds this package. Where pip has put it are other packages, too, which
    would hide those of another environment: that one needs a Gamelan of its own."""
    paths = [] if own_environment() or is_among_others() else [str(_PACKAGE.parent)]
    paths += filter(None, [os.environ.get("PYTHONPATH")])
    return os.environ | ({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})


def ask(program: str, *modules: str) -> Answer:
    """What a Python says of itself and of these modules."""
    try:
        asked = subprocess.run(
            [program, "-c", _QUESTION, *modules],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
            env=variables(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return Answer()
    facts = next((line for line in reversed(asked.stdout.splitlines()) if line.startswith('{"version"')), "{}")
    answer = Answer(**json.loads(facts))
    answer.version = tuple(answer.version)
    return answer
