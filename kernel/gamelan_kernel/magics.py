# SPDX-License-Identifier: BSD-3-Clause
"""Magics of the kernel: ``%engines`` and its kin, loaded with gamelan on first use, and a clock that tells the truth.

Arithmetic on distributed arrays is recorded, not done, when a line has run; ``%time``, ``%%time`` and ``%timeit``
therefore flush before they read the clock, and have computed what nobody reads. In a script ``np.sync()`` flushes.
"""

import contextlib
import timeit

from IPython.core.magics import execution

from . import engines

OF_GAMELAN = ("engines", "explain")


def register(shell):
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

    before = execution.clock2, timeit.default_timer
    execution.clock2, timeit.default_timer = map(flushed, before)
    try:
        with engines.timing(turns):
            yield
    finally:
        execution.clock2, timeit.default_timer = before


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

    time.__doc__ = execution.ExecutionMagics.time.__doc__
    timeit.__doc__ = execution.ExecutionMagics.timeit.__doc__
