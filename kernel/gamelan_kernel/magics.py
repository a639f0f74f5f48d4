# SPDX-License-Identifier: BSD-3-Clause
"""Magics of the kernel: ``%engines``, ``%session``, ``%%explain`` and ``%%dry``, loaded with gamelan on first use, and a clock
that tells the truth.

Arithmetic on distributed arrays is recorded, not done, when a line has run; ``%time``, ``%%time`` and ``%timeit``
therefore flush before they read the clock, and have computed what nobody reads. In a script ``np.sync()`` flushes.
"""

import contextlib
import io
import timeit

from IPython.core.error import UsageError
from IPython.core.magics import execution, namespace
from IPython.utils import timing

from . import engines

# Where IPython reads its clocks: up to version 8 it imports them into `execution`, from 9 on at each use.
_CLOCKS = ((execution, "clock2"), (timing, "clock2"), (timeit, "default_timer"))
OF_GAMELAN = ("dry", "engines", "explain", "session")


def register(shell):
    shell.register_magics(Whos)
    for name in OF_GAMELAN:
        shell.register_magic_function(_Deferred(shell, name), "line_cell", name)
    shell.register_magics(HonestTime)


class _Deferred:
    """Stands for a magic of gamelan's until it is first called."""

    def __init__(self, shell, name):
        self._shell = shell
        self.__name__ = name
        self.__doc__ = f"``%{name}`` of gamelan; loaded on first use."

    def __call__(self, line, cell=None):
        self._shell.run_line_magic("load_ext", "gamelan._magics")
        kind, other = ("line", "cell") if cell is None else ("cell", "line")
        if self._shell.magics_manager.magics[kind].get(self.__name__) is self:  # it has no magic of this kind
            signs = {"line": "%", "cell": "%%"}
            raise UsageError(f"{signs[kind]}{self.__name__} is a {other} magic: write {signs[other]}{self.__name__}")
        if cell is None:
            return self._shell.run_line_magic(self.__name__, line)
        return self._shell.run_cell_magic(self.__name__, line, cell)


@contextlib.contextmanager
def _flushing_clocks(turns=False):
    """For a while, the clocks that IPython's timing magics read wait for the engines first, and these save no work."""

    def flushed(clock):
        def read():
            error = engines.flush()
            if error is not None:
                raise error
            return clock()

        return read

    before = [(holder, name, getattr(holder, name)) for holder, name in _CLOCKS if hasattr(holder, name)]
    for holder, name, clock in before:
        setattr(holder, name, flushed(clock))
    try:
        with engines.timing(turns):
            yield
    finally:
        for holder, name, clock in before:
            setattr(holder, name, clock)


def _as_theirs(magic):
    """The text and, of IPython 9, the parser of a magic are IPython's."""
    theirs = getattr(execution.ExecutionMagics, magic.__name__)
    magic.__doc__ = theirs.__doc__
    for name, value in vars(theirs).items():
        vars(magic).setdefault(name, value)


@execution.magics_class
class HonestTime(execution.ExecutionMagics):
    """IPython's own ``%time`` and ``%timeit`` with that clock."""

    @execution.no_var_expand
    @execution.needs_local_scope
    @execution.line_cell_magic
    def time(self, line="", cell=None, local_ns=None):
        with _flushing_clocks():
            return super().time(line, cell, local_ns)

    @execution.no_var_expand
    @execution.needs_local_scope
    @execution.line_cell_magic
    def timeit(self, line="", cell=None, local_ns=None):
        with _flushing_clocks(turns=True):
            return super().timeit(line, cell, local_ns)

    _as_theirs(time)
    _as_theirs(timeit)


@execution.magics_class
class Whos(namespace.NamespaceMagics):
    """IPython's own ``%whos``, which says of arrays where they lie."""

    @execution.line_magic
    def whos(self, parameter_s=""):
        table = io.StringIO()
        with contextlib.redirect_stdout(table):
            super().whos(parameter_s)
        for line in table.getvalue().splitlines():
            name = line.split()[0] if line.split() else ""
            print(line + engines.where(self.shell.user_ns.get(name)))

    whos.__doc__ = namespace.NamespaceMagics.whos.__doc__
