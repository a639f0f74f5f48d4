# SPDX-License-Identifier: BSD-3-Clause
"""Options: one table of GAMELAN_* variables with their defaults, and how to change them for a while.

gamelan.config.gather_limit = 10**8
with gamelan.options(distribute_from=0): ...
"""

import contextlib
import os

from . import _core

__all__ = ["config", "options"]

_TABLE = {
    # name: (environment variable, type, default, what it does)
    "distribute_from": ("GAMELAN_DISTRIBUTE_FROM", int, 65536, "elements from which an array lives on the engines; 0 = always"),
    "gather_limit": ("GAMELAN_GATHER_LIMIT", int, 1 << 24, "most elements that are brought to the notebook in one array"),
    "engines": ("GAMELAN_ENGINES", int, 0, "how many engines to start on first need; 0 = min(4, cores)"),
    "connect": ("GAMELAN_CONNECT", str, "", "connection file of engines that already run"),
    "route": ("GAMELAN_ROUTE", str, "auto", "how to reach the engines: auto, direct, srun or ssh"),
    "connect_timeout": ("GAMELAN_CONNECT_TIMEOUT", float, 60.0, "seconds to wait for the engines' first answer"),
}


class Config:
    """The options in force, as attributes; unknown names are refused."""

    __slots__ = ("_values",)

    def __init__(self):
        object.__setattr__(self, "_values", {})
        for name, (variable, kind, default, _) in _TABLE.items():
            text = os.environ.get(variable, "")
            try:
                self._values[name] = kind(text) if text else default
            except ValueError:
                raise ValueError(f"{variable}={text!r} is not a number of type {kind.__name__}") from None
        _core.set_threshold(self.distribute_from)

    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no option {name!r}; there are {', '.join(_TABLE)}") from None

    def __setattr__(self, name, value):
        if name not in _TABLE:
            raise AttributeError(f"no option {name!r}; there are {', '.join(_TABLE)}")
        variable, kind, default, meaning = _TABLE[name]
        try:
            self._values[name] = kind(value)
        except (TypeError, ValueError) as error:
            wanted = {int: "a whole number", float: "a number"}.get(kind, "text")
            raise type(error)(f"np.config.{name} = {value!r}: expected {wanted} ({meaning})") from None
        if name == "distribute_from":
            _core.set_threshold(self._values[name])

    def __dir__(self):
        return list(_TABLE)

    def __repr__(self):
        lines = [f"{name:16} = {self._values[name]!r:<10} # {_TABLE[name][3]} ({_TABLE[name][0]})" for name in _TABLE]
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
        If the value is not of the type of the option.

    Examples
    --------
    >>> import gamelan as np
    >>> with np.options(distribute_from=0):
    ...     np.config.distribute_from
    0
    """
    before = {name: getattr(config, name) for name in changes}
    try:
        for name, value in changes.items():
            setattr(config, name, value)
        yield config
    finally:
        for name, value in before.items():
            setattr(config, name, value)
