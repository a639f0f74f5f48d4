# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy with the set of .clang-tidy, over each source file of the three rooms. Takes a quarter of an hour of one core, hence
not in the default tiers: `tests/run tidy`. Needs Debian's clang-tidy, which packages.txt does not ask for."""

import json
import pathlib
import shutil
import subprocess

import checkers
import pytest

COMMANDS = checkers.ROOT / "build" / "compile_commands.json"
ROOMS = ("protocol", "kernel", "engine")
# Clang 14 lacks std::source_location, which only says where an assertion stands.
ARGUMENTS = (
    "-w",  # warnings are GCC's, in every build
    f"-include{pathlib.Path(__file__).parent / 'source_location.hpp'}",
)


def sources():
    """Each source file once, as the build compiles it."""
    if not COMMANDS.exists():
        return []
    files = {pathlib.Path(entry["file"]).relative_to(checkers.ROOT).as_posix() for entry in json.loads(COMMANDS.read_text())}
    return sorted(name for name in files if name.startswith(ROOMS) and name.endswith(".cpp"))


@pytest.mark.parametrize("source", sources())
def test_clang_tidy(source):
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not program:
        pytest.skip("no clang-tidy on PATH (Debian: apt-get install clang-tidy)")
    extra = [f"--extra-arg={argument}" for argument in ARGUMENTS]
    done = subprocess.run(
        [program, "-p", str(COMMANDS.parent), "--quiet", *extra, source], cwd=checkers.ROOT, capture_output=True, text=True
    )
    if "[clang-diagnostic-error]" in done.stdout:  # loops, and captures of structured bindings, are GCC's
        pytest.skip(f"clang 14 cannot compile it: {done.stdout.splitlines()[0]}")
    assert done.returncode == 0, done.stdout
