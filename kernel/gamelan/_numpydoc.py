# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings in the form of numpydoc, taken apart: paragraphs, sections, entries. Knows nothing of arrays."""

import inspect
import re
from dataclasses import dataclass, field

_TITLE = re.compile(r"^(\S[^\n]*)\n[ \t]*(-{3,}|={3,})[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_MARK = re.compile(r"([ \t]*)\.\. (versionadded|versionchanged|deprecated)::")


@dataclass
class Docstring:
    """The paragraphs before the first section, the text of each section by its title, and the names of the signature."""

    paragraphs: list = field(default_factory=list)
    sections: dict = field(default_factory=dict)
    names: set = field(default_factory=set)


@dataclass(eq=False)
class Entry:
    """One entry of a section: its head ("axis : int, optional") and the indented lines below it."""

    head: str
    lines: list

    @property
    def names(self):
        """The names before the colon; of "x1, x2 : array_like" there are two."""
        return _NAME.findall(re.sub(r"[{(].*", "", self._halves()[0]))

    @property
    def is_of_keywords(self):
        """True for an entry such as "**kwargs"."""
        return self.head.lstrip("`\\").startswith(("**", "*\\*"))

    def named(self, name):
        """The entry with another name."""
        kind = self._halves()[1:]
        return Entry(f"{name} : {kind[0].strip()}" if kind and kind[0].strip() else name, self.lines)

    def _halves(self):
        return re.split(r"\s*:(?=\s|$)", self.head, maxsplit=1)


def _without_marks(text):
    """The text without what it says of versions: directives and the lines that are indented below them."""
    kept, depth = [], None
    for line in text.splitlines():
        mark = _MARK.match(line)
        if mark:
            depth = len(mark[1])
        elif depth is None or line.strip() and len(line) - len(line.lstrip()) <= depth:
            depth = None
            kept.append(line)
    return "\n".join(kept) + "\n"


def read(text):
    """The Docstring of a text."""
    text = _without_marks(inspect.cleandoc(text))
    found = list(_TITLE.finditer(text))
    head = text[: found[0].start()] if found else text
    paragraphs = [each.strip("\n") for each in re.split(r"\n[ \t]*\n", head.strip()) if each.strip()]
    ends = [each.start() for each in found[1:]] + [len(text)]
    return Docstring(paragraphs, {each[1].strip(): text[each.end() : end].strip("\n") for each, end in zip(found, ends)})


def entries(text):
    """The entries of a section."""
    found = []
    for line in text.splitlines():
        if line.strip() and not line[0].isspace():
            found.append(Entry(line.rstrip(), []))
        elif found:
            found[-1].lines.append(line.rstrip())
    for each in found:
        while each.lines and not each.lines[-1]:
            each.lines.pop()
    return found


def by_name(text):
    """The entries of a section by their names; an entry with several names stands under each."""
    return {name: entry for entry in entries(text) for name in entry.names}


def text_of(found):
    """The text of a section with these entries."""
    return "\n".join("\n".join([each.head, *each.lines]) for each in found)
