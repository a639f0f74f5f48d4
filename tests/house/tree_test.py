# SPDX-License-Identifier: BSD-3-Clause
"""What lies where: the top level is what it is, folders stay small, no data that a program wrote is among the sources, decisions
have every number. Usage: tree_test.py source_folder"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

MOST_FILES = 50  # in a folder; those of its folders are not counted
TOP = {".ci", ".clang-format", ".clang-tidy", ".codespellrc", ".containerignore", ".gitignore", ".pre-commit-config.yaml", "CMakeLists.txt",
       "CMakePresets.json", "LICENSE", "README.md", "deploy", "docs", "engine", "kernel", "notebooks", "protocol", "pyproject.toml", "ruff.toml", "tests"}  # fmt: skip
DATA = re.compile(r"\.(npz|npy|h5|hdf5|zarr|csv|pkl|pickle|dat|bin|log|o|so|a)$")
IGNORED = re.compile(r"^(build|\.git$|\.ruff_cache$|\.pytest_cache$|\.hypothesis$|__pycache__$)|\.pyc$")


def files_of(root):
    """The files that git knows or would add; where there is no git, all that is not ignored."""
    listed = ""
    if shutil.which("git"):
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout
    names = set(listed.splitlines()) or {path.relative_to(root).as_posix() for path in root.rglob("*")}
    return sorted(name for name in names if not any(map(IGNORED.search, name.split("/"))) and (root / name).is_file())


def faults_of(names):
    for name in sorted({name.split("/")[0] for name in names} - TOP):
        yield f"{name}: does not belong at the top level"
    folders = collections.Counter(name.rpartition("/")[0] for name in names)
    for folder, count in sorted(folders.items()):
        if count > MOST_FILES:
            yield f"{folder}: {count} files, at most {MOST_FILES}: split it by subject"
    for name in names:
        if DATA.search(name):
            yield f"{name}: data or a product, no source; whoever writes it writes it to a folder of its own"


def faults_of_decisions(names, read_me):
    """Numbers are used once and none is left out, but those that README.md of the folder explains."""
    numbers = [int(name.split("/")[-1][:3]) for name in names if re.match(r"docs/decisions/\d{3}-", name)]
    explained = {int(number) for number in re.findall(r"\b(\d{3})\b", read_me)}
    for number, count in collections.Counter(numbers).items():
        if count > 1:
            yield f"docs/decisions: {number:03} is there {count} times"
    for number in sorted(set(range(1, max(numbers) + 1)) - set(numbers) - explained):
        yield f"docs/decisions: {number:03} is missing, and README.md there does not say why"


def self_check():
    """A test that cannot fail is none."""
    assert len(list(faults_of(["ij,jk.npz"]))) == 2
    assert list(faults_of([f"engine/{number}.cpp" for number in range(51)]))
    assert not list(faults_of(["README.md", "engine/a.cpp"]))
    two = ["docs/decisions/001-a.md", "docs/decisions/003-b.md"]
    assert list(faults_of_decisions(two, "")) and not list(faults_of_decisions(two, "002 was withdrawn"))


def main(source):
    self_check()
    root = pathlib.Path(source).resolve()
    names = files_of(root)
    decisions = root / "docs/decisions/README.md"
    faults = [*faults_of(names), *faults_of_decisions(names, decisions.read_text() if decisions.exists() else "")]
    assert len(names) > 100, f"only {len(names)} files under {root}"
    print("\n".join(faults) or f"{len(names)} files lie where they belong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
