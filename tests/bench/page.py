# SPDX-License-Identifier: BSD-3-Clause
"""Puts what was measured into docs/performance.md, between two marks of a name."""

import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "performance.md"


def fill(name, parts):
    """Replaces what stands between `<!-- name: begin -->` and `<!-- name: end -->` by paragraphs."""
    begin, end = (f"<!-- {name}: {which} -->" for which in ("begin", "end"))
    before, _, rest = PAGE.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE} has no marks {begin} {end}")
    PAGE.write_text(before + "\n\n".join([begin, *parts, end]) + after)


def told(machine):
    """Where and when, as a line begins that tells a table's figures."""
    return (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB; commit {machine['commit']}, "
        f"{machine['date']}"
    )


def rows(lines, columns):
    """A table in Markdown; the first line is its head. `columns`: one of ":--" and "--:" each."""
    head, *rest = lines
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, columns, *rest))
