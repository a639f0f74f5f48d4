# SPDX-License-Identifier: BSD-3-Clause
"""Who holds how much on the engines: `np.arrays()`, `%engines arrays`.

The engines know bytes, clients and lines of all arrays; the names of this program's variables only it knows.
"""

import html
import json
import sys
from typing import NamedTuple

from . import _core, _session
from ._config import config
from ._launch import _tables
from ._places import place

__all__ = ["arrays"]

_MOST_SHOWN = 20


class HeldArray(NamedTuple):
    """An array on the engines. `name` is that of a variable of this program, `published` what `np.publish` called it; both may be
    empty. `client` holds it; `line` has made it."""

    name: str
    shape: tuple
    dtype: str
    bytes: int
    client: str
    line: str
    published: str


class HeldArrays(list):
    """The arrays on the engines, most bytes first, as a list of `HeldArray`. `clients`: (client, arrays, bytes) of each."""

    def __init__(self, arrays=(), clients=(), unlisted=0):
        super().__init__(arrays)
        self.clients, self._unlisted = list(clients), unlisted

    def _client_rows(self):
        return [["CLIENT", "ARRAYS", "BYTES"]] + [[who, f"{count:,}", _tables.size(held)] for who, count, held in self.clients]

    def _array_rows(self):
        return [["NAME", "SHAPE", "DTYPE", "BYTES", "CLIENT", "LINE"]] + [
            [
                _named(each),
                " x ".join(map(str, each.shape)) or "()",
                each.dtype,
                _tables.size(each.bytes) if each.bytes else "",
                each.client,
                each.line,
            ]
            for each in self[:_MOST_SHOWN]
        ]

    def _foot(self):
        more = len(self) - _MOST_SHOWN + self._unlisted
        return f"and {more:,} more" if more > 0 else ""

    def __repr__(self):
        if not self:
            return "no arrays on the engines"
        parts = [_tables.columns(self._client_rows()), "", _tables.columns(self._array_rows()), self._foot()]
        return "\n".join(parts).rstrip()

    def _repr_html_(self):
        if not self:
            return html.escape(repr(self))
        return f"{_tables.table(self._client_rows())}{_tables.table(self._array_rows())}<small>{self._foot()}</small>"

    def _repr_pretty_(self, printer, cycle):
        printer.text(repr(self))


def _named(array):
    return ", ".join(filter(None, [array.name, array.published and f"published as {array.published!r}"]))


def _names_of(namespace):
    """The variables of arrays on the engines, by their ids; of several the one that is the whole array."""
    named = [(name, value) for name, value in list(namespace.items()) if not name.startswith("_") and _core.is_ours(value)]
    named += [(f"Out[{key}]", value) for key, value in _shown(namespace) if _core.is_ours(value)]
    named = [(name, value) for name, value in named if value._b is not None]
    named.sort(key=lambda each: each[1].nbytes != each[1]._b.nbytes)
    names = {}
    for name, value in named:
        names.setdefault(value._b.id, (name, value))
    return names


def _shown(namespace):
    shown = namespace.get("Out")  # the user may have given the name to something else
    return shown.items() if isinstance(shown, dict) and "In" in namespace else ()


def held_arrays(namespace):
    """What `arrays` returns, with the variables of this namespace."""
    if not _session.is_connected():
        if _session.engines() is not None or not config.connect:
            return HeldArrays()
        _session.ensure_engines()
    told = json.loads(_core.ask_holding("list"))
    own, names = _core.holder(), _names_of(namespace)
    who = {each["holder"]: each["who"] for each in told["holders"]}
    who[own] = "this program"
    published = {}
    for each in told["published"]:
        published.setdefault(each["array"], each["name"])
    found = []
    for each in told["arrays"]:
        name, value = names.get(each["id"], ("", None)) if own in each["holders"] else ("", None)
        is_whole = value is not None and value.nbytes == value._b.nbytes
        shape, dtype = (value.shape, value.dtype.name) if is_whole else (tuple(each.get("shape", ())), each.get("dtype", ""))
        clients = ", ".join(who[holder] for holder in each["holders"] if holder) or ("nobody" if not each["holders"] else "")
        found.append(
            HeldArray(
                name,
                shape,
                "lost" if each["is_lost"] else dtype,
                each["bytes"],
                clients,
                place(each["file"], each["line"]),
                published.get(each["id"], ""),
            )
        )
    clients = [(who[each["holder"]], each["arrays"], each["bytes"]) for each in told["holders"] if each["holder"]]
    return HeldArrays(found, sorted(clients, key=lambda each: -each[2]), told["unlisted"])


def arrays():
    """The arrays on the engines: whose they are, how large, and which line made them.

    Computes what is recorded. Waits its turn where another client computes.

    Returns
    -------
    list
        A record for each array, most bytes first, with the fields `name`, `shape`, `dtype`, `bytes` (of the elements, on all
        engines together), `client`, `line` and `published`. Of other clients' arrays the names of variables are not known.
        The list shows itself as a table. Its attribute `clients` has (client, number of arrays, bytes) of each client. An array
        that is not stored, because it equals a part of another one, has 0 bytes. Empty when no engines run.

    Raises
    ------
    EngineLostError
        If the engines are gone.

    See Also
    --------
    publish : Give an array a name by which other clients attach it.

    Examples
    --------
    >>> import gamelan as np
    >>> x = np.zeros((2000, 2000))
    >>> [each.bytes for each in np.arrays() if each.name == "x"]
    [32000000]
    """
    caller = sys._getframe(1)
    return held_arrays({**caller.f_globals, **caller.f_locals})
