# SPDX-License-Identifier: BSD-3-Clause
"""The house rules that text can show: who may include whom, what is pure, how long a file may be.
Usage: arrows_test.py source_folder"""

import pathlib
import re
import sys

ROOMS = ["protocol", "kernel", "engine", "tests"]
MAX_LINES = 400  # docs/style.md
CODE = {".hpp", ".cpp", ".def", ".py", ".cmake"}

# What the files whose path starts with the key may include of ours; the longest key counts. Arrows go down only:
# main -> process -> serving; process -> session -> {plan, steps}; steps -> plan (data only); plan -> tiles -> loops; steps and plan ->
# distribution -> ranks. In the kernel: module -> arrays -> recorder -> connection; the front stands alone.
PLAN_DATA = ["engine/plan/plan.hpp", "engine/plan/program.hpp"]
GROUND = ["protocol/", "engine/assert.hpp", "engine/host_name.hpp"]
LAYOUTS = [f"engine/distribution/{name}.hpp" for name in ("cyclic", "exchange", "layout", "pieces", "reshaped")]
# What a plan is, as the steps see it: data that knows neither the passes nor the lowering.
STEPS_AS_DATA = ["engine/plan/slot.hpp", "engine/plan/program.hpp", "engine/plan/step_", "engine/tiles/tile_program.hpp"]
MAY_INCLUDE = {
    "protocol/": ["protocol/"],
    "kernel/front/": ["kernel/front/"],
    "kernel/connection/": ["kernel/connection/", "protocol/"],
    "kernel/recorder/": ["kernel/recorder/", "kernel/connection/", "kernel/local/", "protocol/"],
    "kernel/local/": ["kernel/local/"],
    "kernel/arrays/": ["kernel/arrays/", "kernel/local/", "kernel/recorder/", "protocol/"],
    "kernel/random/": ["kernel/random/", "kernel/arrays/", "kernel/recorder/", "protocol/"],
    "kernel/module/": [
        "kernel/module/",
        "kernel/random/",
        "kernel/arrays/",
        "kernel/local/",
        "kernel/recorder/",
        "kernel/connection/",
        "protocol/",
    ],
    "engine/main": ["engine/", "protocol/"],
    "engine/process/": ["engine/", "protocol/"],
    "engine/options": ["engine/options.hpp", "engine/option_words.hpp", *GROUND],
    "engine/option_words": GROUND,
    "engine/assert": GROUND,
    "engine/host_name": GROUND,
    "engine/serving/": ["engine/serving/", "engine/options.hpp", *GROUND],
    "engine/session/": [
        "engine/session/",
        "engine/plan/",
        "engine/steps/",
        "engine/tiles/",
        "engine/distribution/",
        "engine/nodes/board.hpp",
        "engine/ranks/",
        "engine/option_words.hpp",
        *GROUND,
    ],
    "engine/plan/": ["engine/plan/", "engine/tiles/tile_program.hpp", "engine/tiles/loops/elementwise.hpp", *LAYOUTS, *GROUND],
    "engine/plan/plan.": [*STEPS_AS_DATA, *LAYOUTS, *GROUND],
    "engine/plan/program": [*STEPS_AS_DATA, *LAYOUTS, *GROUND],
    "engine/plan/slot": [*STEPS_AS_DATA, *LAYOUTS, *GROUND],
    "engine/plan/step_": [*STEPS_AS_DATA, *LAYOUTS, *GROUND],
    "engine/steps/": [
        "engine/steps/",
        "engine/tiles/",
        "engine/distribution/",
        "engine/nodes/board.hpp",
        "engine/ranks/",
        *PLAN_DATA,
        *GROUND,
    ],
    "engine/tiles/": ["engine/tiles/", "engine/jit/", *GROUND],
    "engine/tiles/loops/": ["engine/tiles/loops/", "engine/jit/exponential.hpp", *GROUND],
    "engine/jit/": ["engine/jit/", *GROUND],
    "engine/nodes/": ["engine/nodes/", "engine/ranks/", "engine/distribution/heap.hpp", *GROUND],
    "engine/distribution/": ["engine/distribution/", "engine/ranks/comm.hpp", *GROUND],
    "engine/ranks/": ["engine/ranks/", *GROUND],
    "tests/": ["protocol/", "engine/", "kernel/", "tests/"],
}
# Debts, each with its reason: (file, include). One that is paid must leave this list.
DEBTS: set[tuple[str, str]] = set()

LIBRARIES = {
    "mpi": r"mpi\.h",
    "ga": r"(ga|ga-mpi|macdecls|armci|global[a-z]*)\.h",
    "zmq": r"zmq",
    "python": r"(Python|pybind11|xeus|numpy)",
    "json": r"nlohmann",
    "numpy": r"numpy",
    "pybind11": r"pybind11",
}
MAY_NOT_USE = {
    "protocol/": {"mpi", "ga", "zmq", "python"},
    "kernel/": {"mpi", "ga"},
    "kernel/connection/": {"python", "numpy", "pybind11", "json"},
    "kernel/recorder/": {"zmq", "numpy", "pybind11"},
    "kernel/arrays/": {"zmq", "json", "pybind11"},
    "kernel/random/": {"zmq", "json", "pybind11"},
    "kernel/module/": {"zmq", "json"},
    "engine/": {"python"},
    "engine/plan/": {"mpi", "ga", "zmq", "python", "json"},
    "engine/distribution/axis_layout": {"mpi", "ga", "zmq", "python", "json"},
    "engine/tiles/": {"mpi", "ga", "zmq", "python", "json"},
    "engine/jit/": {"mpi", "ga", "zmq", "python", "json"},
    "engine/session/": {"zmq", "python"},
    "engine/steps/": {"zmq", "python"},
    "engine/distribution/cyclic": {"mpi", "ga", "zmq", "python", "json"},
    "engine/distribution/layout": {"mpi", "ga", "zmq", "python", "json"},
    "engine/distribution/pieces": {"mpi", "ga", "zmq", "python", "json"},
    "engine/distribution/exchange": {"mpi", "ga", "zmq", "python", "json"},
    "engine/distribution/reshaped": {"mpi", "ga", "zmq", "python", "json"},
    "engine/distribution/grid": {"mpi", "ga", "zmq", "python", "json"},
    "engine/steps/irregular/run_bounds": {"mpi", "ga", "zmq", "python", "json"},
    "protocol/parts": {"mpi", "ga", "zmq", "python", "json"},
}

# Where no file, with its header, includes itself by way of others.
WITHOUT_CIRCLES = ("kernel/", "engine/", "protocol/")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def rule(table, path):
    keys = [key for key in table if path.startswith(key)]
    return table[max(keys, key=len)] if keys else None


def check_includes(path, text, problems, debts):
    for ours, theirs in INCLUDE.findall(text):
        if ours.split("/")[0] in ROOMS:
            allowed = rule(MAY_INCLUDE, path)
            if allowed is None:
                problems.append(f"{path}: no rule in arrows_test.py says what it may include")
            elif not ours.startswith(tuple(allowed)):
                if (path, ours) in DEBTS:
                    debts.discard((path, ours))
                else:
                    problems.append(f"{path}: may not include {ours}")
        elif ours and not path.startswith("tests/"):
            problems.append(f"{path}: include {ours} by its path from the root")
        for library, pattern in LIBRARIES.items():
            if not re.match(pattern, theirs or ours):
                continue
            if any(path.startswith(key) and library in never for key, never in MAY_NOT_USE.items()):
                problems.append(f"{path}: may not use {library} ({theirs or ours})")
            if library == "json" and path.startswith("protocol/") and path.endswith(".hpp"):
                problems.append(f"{path}: nlohmann_json does not belong in a header of protocol/")


def check_circles(includes, problems):
    """`includes`: unit (a path without its suffix) -> the units that it includes."""
    left = {unit: set(others) & set(includes) - {unit} for unit, others in includes.items()}
    while free := [unit for unit, others in left.items() if not others]:
        left = {unit: others - set(free) for unit, others in left.items() if unit not in free}
    if left:
        problems.append(f"a circle of includes goes through some of: {', '.join(sorted(left))}")


def check_form(path, text, problems):
    lines = text.splitlines()
    if len(lines) > MAX_LINES and not path.endswith("ops.def"):
        problems.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}")
    if not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in lines[:2]):
        problems.append(f"{path}: no SPDX line at the top")
    if path.endswith(".hpp") and "#pragma once" not in text:
        problems.append(f"{path}: no #pragma once")
    if path.endswith(".hpp") and re.search(r"^\s*using namespace", text, re.MULTILINE):
        problems.append(f"{path}: using namespace in a header")


def own_header_first(path, text, folder, problems):
    header = pathlib.PurePath(path).with_suffix(".hpp").as_posix()
    if not path.endswith(".cpp") or path.startswith("tests/") or not (folder / header).exists():
        return
    first = next((ours or theirs for ours, theirs in INCLUDE.findall(text)), None)
    if first != header:
        problems.append(f"{path}: includes {first} before its own header")


def self_check():
    """A test that cannot fail is none: a few lines that must be found guilty."""
    for path, text in [
        ("protocol/a.cpp", '#include "engine/ranks/comm.hpp"'),
        ("protocol/a.cpp", "#include <mpi.h>"),
        ("protocol/a.hpp", "#include <nlohmann/json.hpp>"),
        ("kernel/a.cpp", '#include "engine/ranks/comm.hpp"'),
        ("engine/plan/a.cpp", '#include "engine/steps/context.hpp"'),
        ("engine/plan/a.cpp", "#include <mpi.h>"),
        ("engine/plan/passes/a.cpp", "#include <mpi.h>"),
        ("engine/plan/step_sort.hpp", '#include "engine/plan/passes/passes.hpp"'),
        ("engine/tiles/a.hpp", "#include <mpi.h>"),
        ("engine/session/a.hpp", "#include <zmq.hpp>"),
        ("engine/steps/a.cpp", '#include "engine/plan/passes/passes.hpp"'),
        ("engine/a.cpp", '#include "kernel/a.hpp"'),
        ("engine/distribution/a.cpp", '#include "engine/tiles/tile_program.hpp"'),
    ]:
        problems = []
        check_includes(path, text, problems, set())
        assert problems, f"not noticed: {path}: {text}"
    problems = []
    check_circles({"kernel/a": {"kernel/b"}, "kernel/b": {"kernel/c"}, "kernel/c": {"kernel/a"}, "kernel/d": set()}, problems)
    assert problems and "kernel/d" not in problems[0], "a circle of includes is not noticed"


def main(source):
    self_check()
    folder = pathlib.Path(source)
    problems, debts, count, includes = [], set(DEBTS), 0, {}
    for room in ROOMS:
        for file in sorted((folder / room).rglob("*")):
            if file.suffix not in CODE and file.name != "CMakeLists.txt":
                continue
            path, text = file.relative_to(folder).as_posix(), file.read_text()
            count += 1
            check_form(path, text, problems)
            if file.suffix in {".hpp", ".cpp"}:
                check_includes(path, text, problems, debts)
                own_header_first(path, text, folder, problems)
                if path.startswith(WITHOUT_CIRCLES):
                    others = (pathlib.PurePath(ours) for ours, _ in INCLUDE.findall(text) if ours)
                    includes.setdefault(path.rpartition(".")[0], set()).update(
                        other.with_suffix("").as_posix() for other in others
                    )
    check_circles(includes, problems)
    problems += [f"{file}: no longer includes {include}; take it off DEBTS" for file, include in sorted(debts)]
    assert count > 20, f"only {count} files under {folder}"
    assert not problems, "\n" + "\n".join(problems)
    print(f"{count} files keep the rules")


if __name__ == "__main__":
    main(sys.argv[1])
