# SPDX-License-Identifier: BSD-3-Clause
"""Documents and comments name files; files move. Every relative link and every source file that a document names must exist,
and so must every file that a comment names in C++, Python, CMake or shell. The README stays one screen.
Usage: documents_test.py source_folder"""

import ast
import io
import os
import pathlib
import re
import sys
import tokenize

MAX_README_LINES, MAX_README_WIDTH = 70, 120
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
ROOM = r"(?:kernel|engine|protocol|docs|tests|deploy|notebooks)/"
FILE = re.compile(rf"^(?:[\w./-]*\w\.(?:hpp|cpp|py|def|cmake|ipynb|md|txt|in)|{ROOM}[\w./-]*\w)$")
PAIR = re.compile(r"^([\w./-]*\w)\.\{(\w+),(\w+)\}$")  # `layout.{hpp,cpp}`
EXAMPLES = {"a_test.cpp", "script.py", "tests/gain.py"}  # of another project, or of no file

# What a comment may name: `engine/tiles/tile_trace.cpp`, `tile_trace.cpp`, `engine/tiles`, `docs/decisions/016`.
NAMED = re.compile(
    rf"(?<![\w./:{{}}<>$*~@%=-])({ROOM}[\w./-]*\w|(?:[\w-]+/)*[\w-]+\.(?:hpp|cpp|py|def|md|cmake))(?![\w/*{{}}<>$(]|\.\w)"
)
# A comment, or a string, which may hold what looks like one.
CPP = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
HASH = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)


def files_of(root):
    """Every file but those of builds and of git."""
    for folder, folders, files in os.walk(root):
        if folder == str(root):
            folders[:] = [name for name in folders if name != ".git" and not name.startswith("build")]
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (pathlib.Path(folder, name) for name in files)


class Tree:
    """All files and folders of the repository, by their paths from the root."""

    def __init__(self, root):
        self.root = root
        self.files = sorted(files_of(root))
        self.paths = {path.relative_to(root).as_posix() for path in self.files}
        self.by_name = {}
        for path in self.paths:
            self.by_name.setdefault(path.rpartition("/")[2], []).append(path)
        # Beginnings count, too: a folder, a file without its suffix (`engine/jit/exits`), a decision by its number.
        self.beginnings = set()
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self.beginnings.add(path.rpartition(".")[0])
            self.beginnings.add(f"{folder}/{name[:3]}" if re.match(r"\d{3}-", name) else path)
            while folder:
                self.beginnings.add(folder)
                folder = folder.rpartition("/")[0]

    def has(self, name, folder):
        """A path is meant from the root or from the folder of the file that names it, or it is the end of one; a bare name
        may lie anywhere."""
        below = os.path.normpath(f"{folder}/{name}")
        if {name, below} & self.paths or {name, below} & self.beginnings:
            return True
        return any(f"/{path}".endswith(f"/{name}") for path in self.by_name.get(name.rpartition("/")[2], []))


def faults_of_document(text, where, tree):
    folder = where.rpartition("/")[0]
    for target in LINK.findall(text):
        if "://" not in target and not (tree.root / folder / target).exists():
            yield f"{where}: link to {target}, which does not exist"
    for code in CODE.findall(text):
        pair = PAIR.match(code)
        for name in [f"{pair[1]}.{suffix}" for suffix in pair.groups()[1:]] if pair else [code]:
            if FILE.match(name) and name not in EXAMPLES and not tree.has(name, folder):
                yield f"{where}: names {name}, which does not exist"


def comments_of_python(text):
    """Comments and docstrings. Slow, hence only for files that name something that is not there."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""


def comments_of(text, name):
    if name.endswith((".hpp", ".cpp", ".def")):
        return [found for found in CPP.findall(text) if not found.startswith('"')]
    if name.endswith(".py") or re.match("#!.*python", text):
        return comments_of_python(text)
    if name.endswith((".cmake", ".sh", ".sbatch")) or name == "CMakeLists.txt" or re.match("#!.*sh\n", text):
        return HASH.findall(text)
    return ()


def faults_of_comments(text, where, tree):
    folder, _, name = where.rpartition("/")
    missing = {named for named in NAMED.findall(text) if not tree.has(named, folder)} - EXAMPLES
    if missing:
        named = {named for comment in comments_of(text, name) for named in NAMED.findall(comment)}
        yield from (f"{where}: a comment names {each}, which does not exist" for each in sorted(missing & named))


def is_source(path):
    return path.suffix in {".hpp", ".cpp", ".def", ".py", ".cmake", ".sh", ".sbatch", ""} or path.name == "CMakeLists.txt"


def faults_of_readme(text):
    lines = text.splitlines()
    if len(lines) > MAX_README_LINES:
        yield f"README.md has {len(lines)} lines: one screen is {MAX_README_LINES}"
    if any(len(line) > MAX_README_WIDTH for line in lines):
        yield f"README.md has lines of more than {MAX_README_WIDTH} characters"


def self_check(tree):
    """A test that cannot fail is none."""
    gone = "engine/tiles/never_was.cpp"
    for text, where in [(f"// see {gone}\n", "a.cpp"), (f"/* a\n{gone} */", "a.hpp"), (f"x = 1  # {gone}\n", "a.py"),
                        (f'def f():\n    """Of {gone}."""\n', "a.py"), (f"  # {gone}\n", "CMakeLists.txt"),
                        ("// never_was.hpp says why", "a.cpp"), ("// docs/decisions/999", "a.cpp")]:  # fmt: skip
        assert list(faults_of_comments(text, where, tree)), f"not noticed in {where}: {text}"
    for text, where in [(f'f("{gone}");  // of a test', "a.cpp"), (f'x = "{gone}"\n', "a.py"),
                        ("// tests/house, docs/decisions/001, engine/jit/exits and style.md.", "a.cpp")]:  # fmt: skip
        assert not list(faults_of_comments(text, where, tree)), f"false alarm in {where}: {text}"


def main():
    tree = Tree(pathlib.Path(sys.argv[1]).resolve())
    self_check(tree)
    faults, documents, sources = [], 0, 0
    for path in tree.files:
        where = path.relative_to(tree.root).as_posix()
        if path.suffix == ".md":
            documents += 1
            faults += faults_of_document(path.read_text(), where, tree)
        elif is_source(path):
            sources += 1
            faults += faults_of_comments(path.read_text(errors="replace"), where, tree)
    faults += faults_of_readme((tree.root / "README.md").read_text())
    if documents < 5 or sources < 20:
        faults.append("hardly any documents or sources were found: wrong folder?")
    print("\n".join(faults) or f"{documents} documents, {sources} sources: all that they name is there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
