# SPDX-License-Identifier: BSD-3-Clause
"""Where a public name is made: `python3 -m gamelan._homes hypot linalg.svd` prints the file of each. Read from the text of the
catalogue and of `__all__`, because what a user sees of a function is its place in `gamelan`, where pickles find it."""

import ast
import importlib
import pathlib
import sys

from ._promotion import TABLE

_HERE = pathlib.Path(__file__).parent
_CATALOGUES = {"linalg": "linalg/__init__.py", "fft": "fft/__init__.py", "random": "random/__init__.py", "": "_catalogue.py"}


def home_of(name):
    """The file that makes `gamelan.NAME`, and what is made elsewhere of it; None for a name that none of ours makes."""
    owner, _, last = name.rpartition(".")
    catalogue = _HERE / _CATALOGUES[owner]
    package = ".".join(("gamelan", *([owner] if owner else [])))
    for node in ast.parse(catalogue.read_text()).body:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        module = importlib.import_module("." * node.level + (node.module or ""), package)
        names = [each.name for each in node.names]
        if last in names or names == ["*"] and last in module.__all__ or last in getattr(module, "FUNCTIONS", ()):
            return pathlib.Path(module.__file__)
    return None


def main(names):
    for name in names:
        home = home_of(name)
        row = TABLE.get(name)
        of_row = f"; row {name} of protocol/ops.def" if row and row["kind"] in ("unary", "binary") else ""
        print(f"{name}: {home.relative_to(_HERE.parent) if home else 'none of ours'}{of_row}")


if __name__ == "__main__":
    main(sys.argv[1:])
