# SPDX-License-Identifier: BSD-3-Clause
"""Making the kernel known to Jupyter: copies the kernelspec of the build, with the absolute path of its program.

Used by `gamelan kernel install`. Needs no Jupyter, only to know where it looks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from . import _lacks
from ._errors import LaunchError
from ._mpiexec import find_program
from ._sessions import user_folder

NAME = "gamelan"


def user_directory() -> Path:
    """Where Jupyter looks for what belongs to the user."""
    named = os.environ.get("JUPYTER_DATA_DIR")
    if named:
        return Path(named)
    return user_folder("XDG_DATA_HOME", "share") / "jupyter"


def source() -> Path:
    """The kernelspec that the build made."""
    for parent in Path(__file__).absolute().parents[3:7]:
        path = parent / "share" / "jupyter" / "kernels" / NAME
        if (path / "kernel.json").is_file():
            return path
    raise LaunchError("the kernelspec was not found: build first (cmake --preset release && cmake --build build)")


def program_of(spec: Path) -> str:
    """The program that a kernelspec starts; empty when it is not legible."""
    try:
        named = str(json.loads((spec / "kernel.json").read_text())["argv"][0])
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return os.path.normpath(named.replace("{resource_dir}", str(spec)))


def python_of(spec: Path) -> str:
    """The Python that a kernelspec names; empty when it names none."""
    try:
        return str(json.loads((spec / "kernel.json").read_text())["env"]["GAMELAN_PYTHON"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def folder(prefix: str | None = None, name: str = NAME) -> Path:
    """Where `install` writes."""
    base = Path(prefix).absolute() / "share" / "jupyter" if prefix else user_directory()
    return base / "kernels" / name


def other_program(spec: Path) -> str:
    """The program of another installation that a kernelspec starts; empty when it is this one's, or is gone."""
    program = program_of(spec)
    ours = find_program("gamelan-kernel", "GAMELAN_KERNEL")
    is_other = os.access(program, os.X_OK) and not (ours and os.path.samefile(program, ours))
    return program if is_other else ""


def install(prefix: str | None = None, python: str | None = None, name: str = NAME) -> Path:
    """Install for the user, or under `prefix`, for the Python that is given; returns where."""
    program = find_program("gamelan-kernel", "GAMELAN_KERNEL")
    if not program:
        raise LaunchError("gamelan-kernel was not found: build first (cmake --preset release && cmake --build build)")
    if missing := _lacks.libraries(program):
        raise LaunchError(_lacks.other_system("gamelan-kernel", missing))
    if not re.fullmatch(r"[\w.-]+", name, re.ASCII):
        raise LaunchError(f"--name: got {name!r}, expected letters, digits, '.', '-' and '_': Jupyter takes no others")
    target = folder(prefix, name)
    spec = source()
    facts = json.loads((spec / "kernel.json").read_text())
    facts["argv"][0] = os.path.abspath(program)
    if python:  # whoever starts Jupyter, and from whichever environment
        facts["env"] = facts.get("env", {}) | {"GAMELAN_PYTHON": os.path.abspath(python)}
    if name != NAME:
        facts["display_name"] += f" ({name})"
    is_there = target.resolve() == spec.resolve()
    if is_there and not python:
        return target
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file in spec.iterdir():
            if file.is_file() and file.name != "kernel.json" and not is_there:
                shutil.copyfile(file, target / file.name)
        (target / "kernel.json").write_text(json.dumps(facts, indent=2) + "\n")
    except OSError as error:
        mend = "choose --user, or a --prefix of your own"
        if not prefix:
            mend = "set JUPYTER_DATA_DIR to a folder of yours, or choose --prefix DIR with JUPYTER_PATH=DIR/share/jupyter"
        raise LaunchError(f"cannot write to {target} ({error.strerror}): {mend}") from None
    return target
