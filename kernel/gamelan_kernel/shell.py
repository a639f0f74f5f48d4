# SPDX-License-Identifier: BSD-3-Clause
"""The InteractiveShell: IPython with a notebook for a terminal, and the engines' flush at the end of each cell."""

import os
import sys

import _gamelan_kernel as front_end
from IPython.core import page, payloadpage
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell, InteractiveShellABC
from traitlets import Any, CBool, Instance, Type, default, observe

from . import commands, engines, tracebacks
from .display import Publisher, ResultHook, send
from .inspection import Inspector


# Libraries (rich, pandas, tqdm, ...) know a notebook by this very class name.
class ZMQInteractiveShell(InteractiveShell):
    """The shell of the Gamelan kernel."""

    displayhook_class = Type(ResultHook)
    display_pub_class = Type(Publisher)
    colors_force = CBool(True)  # no terminal, yet the front end shows colours
    autoindent = CBool(False)
    exiter = Instance(ZMQExitAutocall)
    kernel = Any()
    keepkernel_on_exit = None
    last_traceback = ()
    _display_error = None
    is_interrupted_early = False  # by an interrupt that came when the cell had begun, but not its code

    @default("exiter")
    def _default_exiter(self):
        return ZMQExitAutocall(self)

    def init_environment(self):
        # Children must not wait at a pager for keys that nobody can press.
        os.environ.update(TERM="xterm-color", CLICOLOR="1", PAGER="cat", GIT_PAGER="cat")
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")  # before a cell imports NumPy: see gamelan/__init__.py
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")

    def init_hooks(self):
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

    @observe("colors")
    def init_inspector(self, changes=None):
        super().init_inspector(changes)
        self.inspector.__class__ = Inspector  # IPython 8 has no option for its class

    def init_display_formatter(self):
        super().init_display_formatter()
        self.display_formatter.active_types = self.display_formatter.format_types

    def init_virtualenv(self):
        """Does nothing: the kernel runs in the environment it was started for."""

    def init_magics(self):
        super().init_magics()
        from . import magics

        magics.register(self)

    def enable_gui(self, gui=None):
        if gui not in (None, "inline"):
            raise UsageError(f"no GUI event loop in this kernel: {gui!r}. Plots are shown inline.")

    def enable_matplotlib(self, gui=None):
        return super().enable_matplotlib("inline" if gui in (None, "auto") else gui)

    def showtraceback(self, exc_tuple=None, *args, **options):
        """As IPython's; an error of a display counts for its cell, and is shown once though an array has several formats."""
        error = exc_tuple[1] if exc_tuple else None
        if error is not None and tracebacks.is_of_a_display(error):
            before, self._display_error = self._display_error, error
            if before is not None and (type(before), str(before)) == (type(error), str(error)):
                return
        super().showtraceback(exc_tuple, *args, **options)

    async def run_ast_nodes(self, nodelist, cell_name, interactivity="last_expr", compiler=compile, result=None):
        """Runs the cell, then what it has recorded for the engines: also of a cell that raised half way."""
        self._display_error = None
        if self.is_interrupted_early:
            self.is_interrupted_early = False
            raise KeyboardInterrupt
        with engines.cell(self):
            failed = await super().run_ast_nodes(nodelist, cell_name, interactivity, compiler, result)
            raised = getattr(result, "error_in_exec", None)
            last_line = tracebacks.line_in(cell_name, raised) or (nodelist[-1].lineno if nodelist else 0)
            error = engines.end_of_code(raised, (cell_name, last_line))
        if error is not None:
            self.showtraceback((type(error), error, error.__traceback__), tb_offset=0)
        elif not failed:
            error = self._display_error  # "Run all" stops at a cell that could not show its result
        if error is None:
            return failed
        if result is not None and result.error_in_exec is None:
            result.error_in_exec = error
        return True

    def _get_exc_info(self, exc_tuple=None):
        etype, value, traceback = super()._get_exc_info(exc_tuple)
        if self.InteractiveTB.mode != "Verbose":  # %xmode Verbose: all frames, for whoever seeks a defect
            traceback = tracebacks.of_the_user(value, traceback)
        return etype, value, traceback

    def _showtraceback(self, etype, evalue, stb):
        # Sent where it happens, so that it stands between the prints before and after it.
        lines = list(stb) + list(getattr(evalue, "__notes__", ()))
        send("error", {"ename": etype.__name__, "evalue": str(evalue), "traceback": lines})
        self.last_traceback = lines

    def ask_exit(self):
        self.exit_now = not self.keepkernel_on_exit
        front_end.ask_exit(self.exit_now)
        self.payload_manager.write_payload({"source": "ask_exit", "keepkernel": self.keepkernel_on_exit})

    def set_next_input(self, s, replace=False):
        self.payload_manager.write_payload({"source": "set_next_input", "text": s, "replace": replace})

    def system_piped(self, cmd):
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        sys.stdout.flush()
        self.user_ns["_exit_code"] = commands.run(self.var_expand(cmd, depth=1))

    system = system_piped

    @property
    def parent_header(self):
        return self.get_parent()

    def get_parent(self):
        """The request that runs, as far as libraries ask: its header."""
        return self.kernel.get_parent()


InteractiveShellABC.register(ZMQInteractiveShell)
