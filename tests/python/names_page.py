# SPDX-License-Identifier: BSD-3-Clause
"""docs/names.md: every public name of NumPy with its state, from names_probe, for NumPy 1 and NumPy 2.

    PYTHONPATH=build/python python3 tests/python/names_page.py [--write]

Starts engines, prints what differs from the page; with --write makes the page anew, of what concerns the imported NumPy: run
it once with each.
"""

import pathlib
import re
import sys

import numpy

import names_probe

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "names.md"
MAJORS = ("1", "2")
IMPORTED = numpy.__version__.split(".")[0]
_HEAD = """# Every public name of NumPy, and what it does with a distributed array

Made by `tests/python/names_page.py --write`, which calls each name on the engines; do not edit. Small arrays
(fewer than `np.config.distribute_from` elements) work everywhere but where it says *refused*. An error for a missing name gives that name;
`numpy.asarray(x)` is a copy in this process, of at most `np.config.gather_limit` elements. A name with (1) is one of NumPy 1
only, or does so there; one with (2) of NumPy 2.

"""
TITLES = {
    **dict.fromkeys(names_probe.SECTIONS, "functions"),
    "ndarray": "methods and attributes",
    "ufunc": "methods, of `np.add`",
}


def page(states):
    """The text of the page from {NumPy's major version: {section: {name: state}}}."""
    lines = [f"- **{state}**: {what}" for state, what in names_probe.STATES.items()]
    for title in TITLES:
        lines.append(f"\n## {title}: {TITLES[title]}\n")
        for state in names_probe.STATES:
            with_it = {major: {name for name, each in states[major].get(title, {}).items() if each == state} for major in MAJORS}
            names = sorted(set().union(*with_it.values()))
            if names:
                texts = [_marked(name, [major for major in MAJORS if name in with_it[major]]) for name in names]
                lines.append(f"**{state}** ({len(names)}): {', '.join(texts)}\n")
    return _HEAD + "\n".join(lines).rstrip() + "\n"


def _marked(name, majors):
    return f"`{name}`" if len(majors) == len(MAJORS) else f"`{name}` ({majors[0]})"


def states_on_page(text, major=IMPORTED):
    """{section: {name: state}} of a page, with that version of NumPy."""
    found, title = {}, None
    for line in text.splitlines():
        if line.startswith("## "):
            title = line[3:].split(":")[0]
            found[title] = {}
        elif title and line.startswith("**"):
            state, names = line[2:].split("**", 1)
            for name, mark in re.findall(r"`(\w+)`(?: \((\d)\))?", names):
                if mark in ("", major):
                    found[title][name] = state
    return found


def main():
    from gamelan import _session, launch

    engines = launch.start(n=2)
    names_probe.VERBOSE = "--verbose" in sys.argv
    try:
        _session.use(engines)
        states = {title: names_probe.section(title) for title in TITLES}
    finally:
        _session.release()
        engines.stop()
    text = PAGE.read_text() if PAGE.exists() else ""
    before = states_on_page(text)
    if "--write" in sys.argv:
        PAGE.write_text(page({major: states_on_page(text, major) for major in MAJORS} | {IMPORTED: states}))
    for title, found in states.items():
        for name, state in found.items():
            if before.get(title, {}).get(name) != state:
                print(f"{title}.{name}: {state}, on the page {before.get(title, {}).get(name)}")


if __name__ == "__main__":
    main()
