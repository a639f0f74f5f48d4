# SPDX-License-Identifier: BSD-3-Clause
"""The floors of the Python packages: who may import whom. Imports are read from the text, nothing is run.
Usage: floors_test.py source_folder

A unit is a module or a folder of `gamelan`. It imports what stands before it in the table of kernel/gamelan/README.md, never what
follows; inside a folder modules import each other without circles. Inside a function nothing of ours is imported, but for what
LATE lists."""

import ast
import pathlib
import re
import sys

# What the build makes: below everything.
BUILT = ("gamelan._core", "gamelan._version")
# (module, what it imports inside a function): why. One that is no longer there must leave this list.
LATE = {
    ("gamelan._next_engines", "gamelan.launch"): "start-up time: only who needs engines starts processes",
    ("gamelan._saved._inheriting", "gamelan.launch"): "start-up time: only who restores a session attaches to engines",
    ("gamelan.cli", "gamelan._doctor._questions"): "start-up time: `gamelan run` looks for no faults",
}
# What gamelan_kernel imports of gamelan: nothing. It finds the package among the loaded modules when the user has imported it.
KERNEL_MAY_IMPORT: set[tuple[str, str]] = set()


def units_of(readme):
    """The units of the table of floors, lowest first."""
    rows = [row.split("|") for row in readme.splitlines() if row.startswith("|")]
    return [unit for row in rows[2:] for unit in re.findall("`([^`]+)`", row[2])]


def modules_of(folder, package):
    """Module name -> (syntax tree, is it a package)."""
    found = {}
    for file in sorted((folder / package).rglob("*.py")):
        parts = list(file.relative_to(folder).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        found[".".join(parts[:-1] if is_package else parts)] = (ast.parse(file.read_text()), is_package)
    return found


def is_ours(module):
    return module.split(".")[0] == "gamelan" and module not in BUILT


def imports_of(name, tree, is_package, modules):
    """(module, is inside a function) of every import of ours."""
    package = name.split(".") if is_package else name.split(".")[:-1]

    def targets(node):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
            return
        base = ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])
        base = base if node.level else node.module
        for each in node.names:
            yield f"{base}.{each.name}" if f"{base}.{each.name}" in {*modules, *BUILT} else base

    def walk(node, is_late):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
                continue  # runs never
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                yield from ((target, is_late) for target in targets(child) if is_ours(target))
            yield from walk(child, is_late or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    return list(walk(tree, False))


def unit_of(module):
    return module.split(".")[1] if "." in module else module


def circle_in(graph):
    """The modules of one circle, or none."""
    state, path = {}, []

    def visit(node):
        state[node] = "open"
        path.append(node)
        for other in sorted(graph.get(node, ())):
            if state.get(other) == "open":
                return path[path.index(other) :]
            if other not in state and (found := visit(other)):
                return found
        state[node] = "done"
        path.pop()
        return []

    for node in sorted(graph):
        if node not in state and (found := visit(node)):
            return found
    return []


def check(modules, units, late):
    """What is wrong with the imports of the package `gamelan`, as sentences; `late` loses what is there of it."""
    problems, graph, allowed = [], {}, set(late)
    for name, (tree, is_package) in modules.items():
        unit = unit_of(name)
        if unit not in units:
            problems.append(f"{name}: no floor; give it one in the table of kernel/gamelan/README.md")
            continue
        for other, is_late in imports_of(name, tree, is_package, modules):
            if is_late and (name, other) not in allowed:
                problems.append(f"{name}: imports {other} inside a function; LATE of floors_test.py does not list it")
            if is_late:
                late.pop((name, other), None)
            if other not in modules:
                problems.append(f"{name}: imports {other}, which is not there")
                continue
            theirs = unit_of(other)
            if theirs == unit:
                graph.setdefault(name, set()).add(other)
            elif theirs in units and units.index(theirs) > units.index(unit):
                problems.append(f"{name}: may not import {other}, which stands above it")
    if circle := circle_in(graph):
        problems.append("a circle: " + " -> ".join([*circle, circle[0]]))
    return problems


def check_kernel(modules):
    """gamelan_kernel: which imports of gamelan are not listed."""
    problems = []
    for name, (tree, _) in modules.items():
        for node in ast.walk(tree):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            for other in names:
                if other.split(".")[0] == "gamelan" and (name, other) not in KERNEL_MAY_IMPORT:
                    problems.append(f"{name}: may not import {other}")
    return problems


def self_check():
    """A test that cannot fail is none: a few texts that must be found guilty, and one that must not."""

    def problems(**texts):
        modules = {"gamelan": (ast.parse(""), True)}
        modules |= {f"gamelan.{name.replace('__', '.')}": (ast.parse(text), name == "b") for name, text in texts.items()}
        return check(modules, ["a", "b", "c", "gamelan"], {("gamelan.c", "gamelan.a"): "for this test"})

    guilty = [
        {"a": "from .b import x", "b": ""},
        {"a": "from . import b, _core", "b": ""},
        {"a": "import gamelan.b", "b": ""},
        {"a": "import gamelan as np"},
        {"b": "", "b__x": "from ._y import y\nfrom . import y", "b__y": "from .x import x"},
        {"a": "", "b": "def f():\n    from .. import a"},
        {"other": ""},
        {"a": "from .elsewhere import x"},
    ]
    for texts in guilty:
        assert problems(**texts), f"not noticed: {texts}"
    innocent = {
        "a": "from . import _core",
        "b": "from ..a import x\nfrom . import x",
        "c": "def f():\n    from . import a",
        "b__x": "",
    }
    assert not problems(**innocent), problems(**innocent)
    assert units_of("|a|b|c|\n|-|-|-|\n|x|`a` `b`|`c`|\n|y|`d`|e|") == ["a", "b", "d"]
    assert check_kernel({"gamelan_kernel.a": (ast.parse("from gamelan import x"), False)})


def main(source):
    self_check()
    kernel = pathlib.Path(source) / "kernel"
    modules, late = modules_of(kernel, "gamelan"), dict(LATE)
    units = units_of((kernel / "gamelan" / "README.md").read_text())
    problems = check(modules, units, late) + check_kernel(modules_of(kernel, "gamelan_kernel"))
    problems += [f"{name}: no longer imports {other} inside a function; take it off LATE" for name, other in late]
    problems += [f"{unit}: has a floor but no file" for unit in units if unit != "gamelan" and f"gamelan.{unit}" not in modules]
    assert len(modules) > 20, f"only {len(modules)} modules under {kernel}"
    assert not problems, "\n" + "\n".join(problems)
    print(f"{len(modules)} modules stand on their floors")


if __name__ == "__main__":
    main(sys.argv[1])
