# SPDX-License-Identifier: BSD-3-Clause
"""Starts the shell as IPython's own kernel would: the user's configuration, extensions and startup files included."""

import builtins
import faulthandler
import getpass
import json
import logging
import os
import sys

import _gamelan_kernel as front_end
from IPython.core.application import BaseIPythonApplication
from IPython.core.error import StdinNotImplementedError
from IPython.core.shellapp import InteractiveShellApp
from traitlets import Any, Type
from traitlets.config import Config

from . import engines
from .shell import ZMQInteractiveShell
from .streams import Stream


def _import_comms():
    """The module comms; None where the package `comm` is missing, as in a venv with IPython alone: then there are no widgets. A
    file of that name beside the notebook is the user's own, and is not it."""
    path, here = sys.path[:], os.getcwd()
    sys.path[:] = [entry for entry in path if os.path.realpath(entry or here) != os.path.realpath(here)]
    try:
        from . import comms
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "comm":
            raise
        return None
    finally:
        sys.path[:] = path
    return comms


comms = _import_comms()

# How many cells may wait to be written to the history file. Writing each at once costs more than the cell itself
# (SQLite, competing for the GIL); they are written when the notebook is quiet, when asked for, and at the end.
UNWRITTEN_CELLS = 1000


class Kernel:
    """What libraries look for at ``get_ipython().kernel``."""

    def __init__(self, shell):
        self.shell = shell
        self.comm_manager = comms and comms.CommManager()
        self.log = logging.getLogger("gamelan_kernel")

    def get_parent(self, channel=None):
        """The running request: its header."""
        header = json.loads(front_end.parent_header())
        return {"header": header, "msg_id": header.get("msg_id"), "msg_type": header.get("msg_type")}

    @property
    def _parent_header(self):
        return self.get_parent()


class ServerLog(logging.Handler):
    """Sends what IPython and widgets log to the log of the Jupyter server, not into a cell."""

    def emit(self, record):
        front_end.log(self.format(record))


class Application(BaseIPythonApplication, InteractiveShellApp):
    """The configuration files and profile are those of ``ipykernel``."""

    name = "ipython-kernel"
    shell = Any()
    kernel = Any()
    interactive = Any(True)
    shell_class = Type(ZMQInteractiveShell)

    def initialize(self, argv=()):
        # Libraries ask for this section to learn that they are in a notebook.
        self.log.handlers, self.log.propagate = [ServerLog(self.log_level)], False
        self.update_config(Config({"IPKernelApp": {"parent_appname": "gamelan-kernel"}}))
        super().initialize(list(argv))
        self.init_path()
        self.config.HistoryManager.setdefault("db_cache_size", UNWRITTEN_CELLS)
        self.shell = self.shell_class.instance(parent=self, profile_dir=self.profile_dir, user_ns={})
        self.shell.configurables.append(self)
        self.shell.kernel = self.kernel = Kernel(self.shell)
        self.init_gui_pylab()
        self.init_extensions()
        self.init_code()


def start():
    """Start everything; the shell."""
    faulthandler.enable(file=front_end.log_fd())
    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    builtins.input = _input
    getpass.getpass = _getpass
    if comms is not None:
        comms.take_over_ipykernel()
    engines.watch_import()
    application = Application.instance()
    application.initialize()
    return application.shell


def _ask(prompt, is_password):
    if not front_end.is_input_allowed():
        raise StdinNotImplementedError("this front end does not support input requests")
    return front_end.input(str(prompt), is_password)


def _input(prompt=""):
    """Read a line from the notebook."""
    return _ask(prompt, False)


def _getpass(prompt="Password: ", stream=None):
    """Read a line from the notebook without showing it."""
    return _ask(prompt, True)
