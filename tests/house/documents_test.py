# SPDX-License-Identifier: BSD-3-Clause
"""Documents name files; files move. Every relative link and every source file that a document names must exist, and the
README stays one screen. Usage: documents_test.py source_folder"""

import pathlib
import re
import sys

MAX_README_LINES = 60
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"^[\w./-]*\w\.(?:hpp|cpp|py|def|cmake|ipynb|md|txt|in)$")
SKIP = {"build", ".git"}


def documents(root):
    return [
        path
        for path in sorted(root.rglob("*.md"))
        if not any(part in SKIP or part.startswith("build") for part in path.relative_to(root).parts)
    ]


def names_of(root):
    """Every file by its bare name."""
    names = {}
    for path in root.rglob("*.*"):
        parts = path.relative_to(root).parts
        if not any(part == ".git" or part.startswith("build") for part in parts):
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
