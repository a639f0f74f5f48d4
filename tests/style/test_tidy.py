# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy with the set of .clang-tidy, over each source file of the three rooms. Takes a quarter of an hour of one core, hence
not in the default tiers: `tests/run tidy`. Needs Debian's clang-tidy, which packages.txt does not ask for."""

import json
import pathlib
import re
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
# What clang 14 cannot compile, and GCC can: the only errors that are let pass, and only in these files.
GCC_ONLY = {
    "engine/steps/folds/block_folds.cpp": "reference to local binding '\\w+' declared in enclosing function",  # in a lambda, since C++20
    "engine/tiles/loops/isa.cpp": "invalid cpu feature string for builtin",
}


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
    known, other = sort_out(source, done.stdout)
    assert not other, "\n".join(other)
    assert bool(known) == (source in GCC_ONLY), "clang compiles it now: take it off the list GCC_ONLY"
    assert known or done.returncode == 0, done.stdout + done.stderr


def sort_out(source, said):
    """The findings of clang-tidy in a source file that are let pass, and all others."""
    known, other = [], []
    for line in said.splitlines():
        if re.search(r": (error|warning|fatal error): ", line):
            is_known = source in GCC_ONLY and re.search(f"error: {GCC_ONLY[source]}.*clang-diagnostic-error", line)
            (known if is_known else other).append(line)
    return known, other


def test_only_listed_errors_pass():
    assert all((checkers.ROOT / source).is_file() for source in GCC_ONLY)
    error = "x.cpp:1:2: error: invalid cpu feature string for builtin [clang-diagnostic-error,-warnings-as-errors]"
    finding = "x.cpp:1:2: error: passed by value [performance-unnecessary-value-param]"
    assert sort_out("engine/tiles/loops/isa.cpp", f"{error}\n{finding}\n  int x;") == ([error], [finding])
    assert sort_out("engine/options.cpp", error) == ([], [error])
