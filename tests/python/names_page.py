# SPDX-License-Identifier: BSD-3-Clause
"""docs/names.md: every public name of NumPy with its state, from names_probe.

    PYTHONPATH=build/python python3 tests/python/names_page.py [--write]

Starts engines, prints what differs from the page; with --write makes the page anew.
"""

import pathlib
import sys

import names_probe

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "names.md"
_HEAD = """# Every public name of NumPy, and what it does with a distributed array

Made by `tests/python/names_page.py --write`, which calls each name on the engines; do not edit. Small arrays
(fewer than `np.config.distribute_from` elements) work everywhere but where it says *refused*. An error for a missing name gives that name;
`numpy.asarray(x)` is a copy in this process, of at most `np.config.gather_limit` elements.

"""
TITLES = {
    **dict.fromkeys(names_probe.SECTIONS, "functions"),
    "ndarray": "methods and attributes",
    "ufunc": "methods, of `np.add`",
}


def page(states):
    """The text of the page from {section: {name: state}}."""
    lines = [f"- **{state}**: {what}" for state, what in names_probe.STATES.items()]
    for title, found in states.items():
        lines.append(f"\n## {title}: {TITLES[title]}\n")
        for state in names_probe.STATES:
            names = [name for name, each in found.items() if each == state]
            if names:
                lines.append(f"**{state}** ({len(names)}): {', '.join(f'`{name}`' for name in names)}\n")
    return _HEAD + "\n".join(lines).rstrip() + "\n"


def states_on_page(text):
    """{section: {name: state}} of a page."""
    found, title = {}, None
    for line in text.splitlines():
        if line.startswith("## "):
            title = line[3:].split(":")[0]
            found[title] = {}
        elif title and line.startswith("**"):
            state, names = line[2:].split("**", 1)
            found[title] |= {name.strip(" `"): state for name in names.split(":", 1)[1].split(",")}
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
    if "--write" in sys.argv:
        PAGE.write_text(page(states))
    before = states_on_page(PAGE.read_text()) if PAGE.exists() else {}
    for title, found in states.items():
        for name, state in found.items():
            if before.get(title, {}).get(name) != state:
                print(f"{title}.{name}: {state}, on the page {before.get(title, {}).get(name)}")


if __name__ == "__main__":
    main()
