# SPDX-License-Identifier: BSD-3-Clause
"""The programs that check the text of the project, and which of its files they read. What is missing here says so; ruff, which
Debian does not pack, is fetched into build/style once."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "build" / "style"
RUFF = "0.4.10"  # as in .pre-commit-config.yaml: another version formats otherwise
CLANG_FORMAT = "14"


def tracked(*endings):
    """The project's files with these endings, those not yet committed among them; a clone without git: all files."""
    listed = ""
    if shutil.which("git"):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    names = [name for name in listed.split("\0") if name] or [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*")
        if not path.relative_to(ROOT).parts[0].startswith(("build", ".git"))
    ]
    return [name for name in names if name.endswith(endings or ("",)) and (ROOT / name).is_file()]


def version_of(program):
    """What a program says of its version; empty when it cannot be run."""
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def clang_format():
    """The path of clang-format, or None and why not."""
    for name in (f"clang-format-{CLANG_FORMAT}", "clang-format"):
        found = shutil.which(name)
        if found and f"version {CLANG_FORMAT}." in version_of(found):
            return found, ""
    return None, f"no clang-format {CLANG_FORMAT} on PATH (Debian 12: apt-get install clang-format)"


def codespell():
    found = shutil.which("codespell")
    return found, "" if found else "no codespell on PATH (Debian: apt-get install codespell)"


@functools.cache
def ruff():
    """From PATH, else by pip into a folder of the build, else None and why not."""
    for found in (shutil.which("ruff"), str(OWN / "bin" / "ruff")):
        if found and version_of(found) == f"ruff {RUFF}":
            return found, ""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(OWN)]
    try:
        done = subprocess.run(
            [*pip, "--upgrade", f"ruff=={RUFF}"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
        )
        said = done.stderr.strip().splitlines()
    except subprocess.TimeoutExpired:
        said = ["pip took longer than a minute"]
    found = str(OWN / "bin" / "ruff")
    if version_of(found) == f"ruff {RUFF}":
        return found, ""
    return None, f"no ruff {RUFF} on PATH, and pip cannot fetch it: {said[-1] if said else 'nothing said'}"


def run(command, names=()):
    """Runs a checker over files, as many at a time as there are cores; what it printed where it found something, else ''."""
    shares = [names[start :: os.cpu_count() or 1] for start in range(os.cpu_count() or 1)] if names else [()]
    running = [
        subprocess.Popen([*command, *share], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for share in shares
        if share or not names
    ]
    said = [(process.communicate()[0], process.returncode) for process in running]
    return "\n".join(text or f"ended with {code}" for text, code in said if code)
