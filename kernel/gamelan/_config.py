# SPDX-License-Identifier: BSD-3-Clause
"""Options: one table of GAMELAN_* variables with their defaults, and how to change them for a while.

gamelan.config.gather_limit = 10**8
with gamelan.options(distribute_from=0): ...
"""

import contextlib
import math
import operator
import os

from . import _core
from ._route_names import ROUTES

__all__ = ["config", "options"]

UNMEASURED = 1 << 18  # `distribute_from` until it is measured: at this size engines are worth their way on every machine tried
_LONGEST_S = 365 * 86400.0  # of any option: whoever asks for more wants no end, and clocks count no further than 292 years

_TABLE = {
    # name: (environment variable, kind, default, what it does)
    "distribute_from": (
        "GAMELAN_DISTRIBUTE_FROM",
        "threshold",
        "measured",
        "elements from which an array lives on the engines; 0 = always, 'measured' = found when engines start",
    ),
    "dear_calls": (
        "GAMELAN_DEAR_CALLS",
        "asked",
        "measured",
        "whether idle engines compute dear calls (a sort) on arrays that are here: measured (if that is faster), always, never",
    ),
    "gather_limit": ("GAMELAN_GATHER_LIMIT", "count", 1 << 24, "most elements that are brought to the notebook in one array"),
    "log_bytes": (
        "GAMELAN_LOG_BYTES",
        "count",
        1 << 28,
        "most bytes of commands that are kept to repeat them when engines die; 0 = none are",
    ),
    "protect": (
        "GAMELAN_PROTECT",
        "folder",
        "",
        "folder for checkpoints, from which lost arrays come back sooner; 'memory': in that of the nodes; None or '' = none",
    ),
    "protect_seconds": ("GAMELAN_PROTECT_SECONDS", "seconds", 60.0, "a checkpoint is made when repeating would take longer"),
    "engines": ("GAMELAN_ENGINES", "count", 0, "how many engines to start on first need; 0 = min(4, cores)"),
    "connect": ("GAMELAN_CONNECT", "path", "", "connection file of engines that already run"),
    "route": ("GAMELAN_ROUTE", "route", "auto", "how to reach the engines: auto, direct, srun or ssh"),
    "kept_bytes": (
        "GAMELAN_KEPT_BYTES",
        "count",
        64 << 20,
        "most bytes of a notebook's values, and of its log, that are kept at each cell's end for its next kernel; 0 = none",
    ),
    "link_timeout": (
        "GAMELAN_LINK_TIMEOUT",
        "seconds",
        600.0,
        "how long engines that answered once may be silent before they count as lost (10 at least)",
    ),
    "connect_timeout": ("GAMELAN_CONNECT_TIMEOUT", "seconds", 60.0, "seconds to wait for the engines' first answer"),
}


def _count(value):
    number = operator.index(value) if hasattr(value, "__index__") else int(value)
    if not 0 <= number < 2**63 or not isinstance(value, str) and number != value:
        raise ValueError
    return number


def _threshold(value):
    return value if isinstance(value, str) and value == "measured" else _count(value)


def _seconds(value):
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError
    return min(number, _LONGEST_S)


def _path(value):
    return os.fsdecode(os.fspath(value))


def _folder(value):
    """A folder that may be made: a mistake in the path before its last name is found now, and not when arrays are lost."""
    path = "" if value is None or value is False else _path(value)
    if path in ("", "memory"):
        return path
    whole = os.path.abspath(path)
    if not os.path.isdir(whole if os.path.lexists(whole) else os.path.dirname(whole)):
        raise ValueError
    return path


def _asked(value):
    if not isinstance(value, str) or value not in _ASKED:
        raise ValueError
    return value


def _route(value):
    if not isinstance(value, str) or value not in ROUTES:
        raise ValueError
    return value


_ASKED = ("measured", "always", "never")

# kind: (how a value is read, what is expected of it)
_KINDS = {
    "count": (_count, "a whole number from 0 on"),
    "threshold": (_threshold, "a whole number from 0 on, or 'measured'"),
    "seconds": (_seconds, "a number above 0"),
    "path": (_path, "a path"),
    "folder": (_folder, "'memory', None, or a folder that exists, or is to be made in one that exists"),
    "asked": (_asked, "one of " + ", ".join(_ASKED)),
    "route": (_route, "one of " + ", ".join(ROUTES)),
}


def _read(name, value, given):
    """The value of an option; an error that tells how it was given and what is expected."""
    _, kind, _, meaning = _TABLE[name]
    read, wanted = _KINDS[kind]
    try:
        return read(value)
    except (TypeError, ValueError, OverflowError) as error:
        error_class = TypeError if isinstance(error, TypeError) else ValueError
        raise error_class(f"{given}: expected {wanted} ({meaning})") from None


class Config:
    """The options in force, as attributes; unknown names are refused."""

    __slots__ = ("_first", "_measure", "_measured", "_values")

    def __init__(self):
        object.__setattr__(self, "_values", {})
        for name, (variable, _, default, _) in _TABLE.items():
            text = os.environ.get(variable, "")
            self._values[name] = _read(name, text, f"{variable}={text!r}") if text else default
        object.__setattr__(self, "_first", dict(self._values))
        object.__setattr__(self, "_measured", None)
        object.__setattr__(self, "_measure", None)
        self._apply_threshold()
        self._apply_log()
        _core.set_patience(self._values["link_timeout"])

    def __getattr__(self, name):
        if name == "distribute_from":
            return _core.threshold()
        return self._given(name)

    def __setattr__(self, name, value):
        if name not in _TABLE:
            raise AttributeError(f"no option {name!r}; there are {', '.join(_TABLE)}")
        self._values[name] = _read(name, value, f"np.config.{name} = {value!r}")
        if name == "distribute_from":
            self._apply_threshold()
        if name in ("log_bytes", "protect", "protect_seconds"):
            self._apply_log()
        if name == "link_timeout":
            _core.set_patience(self._values["link_timeout"])

    def _given(self, name):
        """The option as it was given: "measured", too."""
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no option {name!r}; there are {', '.join(_TABLE)}") from None

    def changed(self):
        """The options that are not as they were when the program began, as they were given, by name."""
        return {name: value for name, value in self._values.items() if value != self._first[name]}

    def _apply_threshold(self):
        given = self._values["distribute_from"]
        if given != "measured":
            _core.set_threshold(given)
            return
        if self._measured is None and self._measure is not None:
            object.__setattr__(self, "_measured", self._measure())
        _core.set_threshold(self._measured or UNMEASURED)

    def _apply_log(self):
        _core.set_log_limit(self._values["log_bytes"])
        _core.set_checkpoint_due(self._values["protect_seconds"] if self._values["protect"] else 0)

    def is_given(self, name):
        """Whether the option is a value of somebody's, and not to be measured."""
        return self._given(name) != "measured"

    def is_measured(self):
        return self._measured is not None

    def measure_with(self, function):
        """From now on `function` finds the number for "measured" where it counts and is not known; it may return None."""
        object.__setattr__(self, "_measured", None)
        object.__setattr__(self, "_measure", function)
        self._apply_threshold()

    def __dir__(self):
        return list(_TABLE)

    def __repr__(self):
        lines = [f"{name:16} = {getattr(self, name)!r:<10} # {_TABLE[name][3]} ({_TABLE[name][0]})" for name in _TABLE]
        return "\n".join(lines)


config = Config()


@contextlib.contextmanager
def options(**changes):
    """Change options inside a `with` block.

    Parameters
    ----------
    **changes
        Names and values of options, as in `np.config`.

    Returns
    -------
    context manager

    Raises
    ------
    AttributeError
        If there is no option of that name.
    TypeError, ValueError
        If the value is none that the option can have.

    Examples
    --------
    >>> import gamelan as np
    >>> with np.options(distribute_from=0):
    ...     np.config.distribute_from
    0
    """
    before = {name: config._given(name) for name in changes}
    try:
        for name, value in changes.items():
            setattr(config, name, value)
        yield config
    finally:
        for name, value in before.items():
            setattr(config, name, value)
