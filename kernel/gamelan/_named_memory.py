# SPDX-License-Identifier: BSD-3-Clause
"""Which names of a notebook hold how many bytes, here and on the engines: `%engines memory`.

Bytes are those of the array that a name keeps alive, which of a view is its base. Computes nothing.
"""

import html

from . import _core
from ._launch import _tables
from ._launch._tables import size


def _memory_of(array):
    return array if array.base is None else array.base


def _gone(base):
    return "lost" if base.is_lost else "not computed"


def rows_of(namespace):
    """(name, shape, dtype, bytes, where) of every array of ours that a name of the notebook, or its Out, holds: most bytes
    first. Of names of one base the first holds the bytes."""
    named = [(name, value) for name, value in namespace.items() if not name.startswith("_") and name not in ("In", "Out")]
    shown = namespace.get("Out")  # the user may have given the name to something else
    named += [(f"Out[{number}]", value) for number, value in (shown.items() if isinstance(shown, dict) else ())]
    arrays = [(name, value) for name, value in named if _core.is_ours(value)]
    arrays.sort(key=lambda each: each[1]._b is not None and each[1].nbytes != each[1]._b.nbytes)  # bases before views
    rows, owners = [], {}
    for name, value in arrays:
        shape = " x ".join(map(str, value.shape)) or "()"
        owner = owners.setdefault(id(_memory_of(value) if value._b is None else value._b), name)
        is_gone = value._b is not None and (value._b.is_lost or value._b.is_failed)
        where = "here" if value._b is None else _gone(value._b) if is_gone else _tables.engines(_core.ranks())
        if owner == name:
            held = 0 if is_gone else (value if value._b is None else value._b).nbytes
            rows.append((name, shape, value.dtype.name, held, where))
        else:
            rows.append((name, shape, value.dtype.name, 0, f"shares the memory of {owner}"))
    return sorted(rows, key=lambda row: -row[3])


class MemoryTable:
    """Shows itself as text in a terminal and as a table in a notebook."""

    def __init__(self, namespace, counters):
        self._rows = rows_of(namespace)
        self._counters = counters

    def _cells(self):
        return [["NAME", "SHAPE", "DTYPE", "BYTES", "WHERE"]] + [
            [name, shape, dtype, size(count) if count else "", where] for name, shape, dtype, count, where in self._rows
        ]

    def _foot(self):
        used = self._counters.get("heap_bytes")
        if used is None:
            return "no engines run"
        total = self._counters.get("heap_bytes_per_rank", 0) * self._counters.get("ranks", 0)
        named = sum(count for *_, count, where in self._rows if where == _tables.engines(_core.ranks()))
        text = f"The engines hold {size(used)} of {size(total)}"
        nameless = max(used - named, 0)
        return f"{text}, {size(nameless)} of it in arrays without a name here, rounding and the engines' own."

    def __repr__(self):
        return "\n".join([_tables.columns(self._cells()), self._foot()])

    def _repr_html_(self):
        return f"{_tables.table(self._cells())}<small>{html.escape(self._foot())}</small>"
