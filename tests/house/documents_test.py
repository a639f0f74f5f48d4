# SPDX-License-Identifier: BSD-3-Clause
"""Documents name files; files move. Every relative link and every source file that a document names must exist, and the
README stays one screen. Usage: documents_test.py source_folder"""

import os
import pathlib
import re
import sys

MAX_README_LINES = 60
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"^[\w./-]*\w\.(?:hpp|cpp|py|def|cmake|ipynb|md|txt|in)$")


def files_of(root):
    """Every file but those of builds and of git."""
    for folder, folders, files in os.walk(root):
        if pathlib.Path(folder) == root:
            folders[:] = [name for name in folders if name != ".git" and not name.startswith("build")]
        yield from (pathlib.Path(folder) / name for name in files)


def documents(root):
    return sorted(path for path in files_of(root) if path.suffix == ".md")


def names_of(root):
    """Every file by its bare name."""
    names = {}
    for path in files_of(root):
        names.setdefault(path.name, []).append(path)
    return names


def faults_of(document, root, names):
    text = document.read_text()
    where = document.relative_to(root)
    for target in LINK.findall(text):
        if "://" not in target and not (document.parent / target).exists():
            yield f"{where}: link to {target}, which does not exist"
    for name in CODE.findall(text):
        if not FILE.match(name):
            continue
        # A path is meant from the root or from the document's folder; a bare name, anywhere.
        found = (root / name).exists() or (document.parent / name).exists()
        if not found and "/" not in name:
            found = name in names
        if not found and "/" in name:
            found = any(str(path.relative_to(root)).endswith("/" + name) for path in names.get(pathlib.Path(name).name, []))
        if not found:
            yield f"{where}: names {name}, which does not exist"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    names = names_of(root)
    found = documents(root)
    faults = [fault for document in found for fault in faults_of(document, root, names)]
    lines = len((root / "README.md").read_text().splitlines())
    if lines > MAX_README_LINES:
        faults.append(f"README.md has {lines} lines: one screen is {MAX_README_LINES}")
    if len(found) < 5:
        faults.append("hardly any documents were found: wrong folder?")
    print("\n".join(faults) or f"{len(found)} documents: all that they name is there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
