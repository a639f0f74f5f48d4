# SPDX-License-Identifier: BSD-3-Clause
"""The programs that check the text of the project, and which of its files they read. What is missing here says so. What
Debian does not pack (ruff; on Debian 13 clang-format 14) is fetched into a venv, build/style, once."""

import functools
import itertools
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "build" / "style"
RUFF = "0.4.10"  # as in .pre-commit-config.yaml: another version formats otherwise
CLANG_FORMAT = "14"
CLANG_FORMAT_PACKAGE = "clang-format==14.0.6"


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


@functools.cache
def fetch(package):
    """A package of PyPI into a venv of the build. Empty, or why not."""
    commands = (
        [] if (OWN / "bin" / "pip").exists() else [[sys.executable, "-m", "venv", str(OWN)]],
        [[str(OWN / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--no-deps", package]],
    )
    for command in itertools.chain(*commands):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode:
            said = f"{done.stdout}{done.stderr}".strip().splitlines()
            return said[-1] if said else "nothing said"
    return ""


def clang_format():
    """The path of clang-format: from PATH, else fetched (Debian 13 has no 14); else None and why not."""

    def here():
        for found in (
            shutil.which(f"clang-format-{CLANG_FORMAT}"),
            shutil.which("clang-format"),
            str(OWN / "bin" / "clang-format"),
        ):
            if found and f"version {CLANG_FORMAT}." in version_of(found):
                return found
        return None

    failed = "" if here() else fetch(CLANG_FORMAT_PACKAGE)
    found = here()
    return found, "" if found else f"no clang-format {CLANG_FORMAT} on PATH (Debian 12 packs it), and not fetched: {failed}"


def codespell():
    found = shutil.which("codespell")
    return found, "" if found else "no codespell on PATH (Debian: apt-get install codespell)"


def ruff():
    """From PATH, else fetched, else None and why not."""

    def here():
        for found in (shutil.which("ruff"), str(OWN / "bin" / "ruff")):
            if found and version_of(found) == f"ruff {RUFF}":
                return found
        return None

    failed = "" if here() else fetch(f"ruff=={RUFF}")
    found = here()
    return found, "" if found else f"no ruff {RUFF} on PATH, and not fetched: {failed}"


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
