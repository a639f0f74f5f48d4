# SPDX-License-Identifier: BSD-3-Clause
"""Comms, over which widgets talk to the page: the classes that libraries expect of ipykernel, over this kernel."""

import importlib.util
import json
import sys
import types
import uuid

import _gamelan_kernel as front_end
from IPython.core.getipython import get_ipython
from traitlets.config import LoggingConfigurable
from traitlets import Any, Bool, Dict, Unicode, default
from traitlets.utils.importstring import import_item

from .display import send


class Comm(LoggingConfigurable):
    """One line between an object here and its counterpart in the page."""

    kernel = Any()
    comm_id = Unicode()
    target_name = Unicode("comm")
    target_module = Unicode(None, allow_none=True)
    primary = Bool(True)
    _open_data = Dict()
    _close_data = Dict()

    @default("kernel")
    def _default_kernel(self):
        return get_ipython().kernel

    @default("comm_id")
    def _default_comm_id(self):
        return uuid.uuid4().hex

    def __init__(self, target_name="", data=None, metadata=None, buffers=None, **settings):
        if target_name:
            settings["target_name"] = target_name
        super().__init__(**settings)
        self._closed = True
        self._on_message = self._on_close = None
        if self.primary:
            self.open(data, metadata, buffers)
        else:
            self._closed = False

    def open(self, data=None, metadata=None, buffers=None):
        """Create the counterpart in the page."""
        self.kernel.comm_manager.register_comm(self)
        content = {"target_name": self.target_name, "target_module": self.target_module}
        self._send("comm_open", self._open_data if data is None else data, metadata, buffers, **content)
        self._closed = False

    def send(self, data=None, metadata=None, buffers=None):
        """Send a message to the counterpart."""
        self._send("comm_msg", data, metadata, buffers)

    def close(self, data=None, metadata=None, buffers=None, deleting=False):
        """Close both ends, once."""
        if self._closed:
            return
        self._closed = True
        self._send("comm_close", self._close_data if data is None else data, metadata, buffers)
        if not deleting:
            self.kernel.comm_manager.unregister_comm(self)

    def on_msg(self, callback):
        """Call ``callback(message)`` for each message; None ends that."""
        self._on_message = callback

    def on_close(self, callback):
        self._on_close = callback

    def handle_msg(self, message):
        if self._on_message:
            shell = get_ipython()
            shell.events.trigger("pre_execute")
            self._on_message(message)
            shell.events.trigger("post_execute")

    def handle_close(self, message):
        self._closed = True
        if self._on_close:
            self._on_close(message)

    def _send(self, kind, data, metadata, buffers, **content):
        send(kind, {"comm_id": self.comm_id, "data": data or {}, **content}, metadata, buffers or ())


# What a page with widgets opens as soon as the kernel is there, long before a cell imports ipywidgets.
WIDGET_TARGETS = ("jupyter.widget", "jupyter.widget.control", "jupyter.widget.version")


class CommManager:
    """The open comms, and who answers when the page opens one."""

    def __init__(self, kernel=None):
        self.kernel = kernel
        self.targets = {}
        self.comms = {}
        if importlib.util.find_spec("ipywidgets") is not None:
            for name in WIDGET_TARGETS:
                self.register_target(name, self._open_widget)

    def _open_widget(self, comm, message):
        """The first opening by the page loads ipywidgets, which puts its own functions in this one's place."""
        get_ipython().extension_manager.load_extension("ipywidgets")
        opened = self.targets.get(comm.target_name)
        if opened == self._open_widget:  # this version of ipywidgets has no such target
            comm.close()
        else:
            opened(comm, message)

    def register_target(self, target_name, f):
        self.targets[target_name] = import_item(f) if isinstance(f, str) else f
        front_end.register_comm_target(target_name)

    def unregister_target(self, target_name, f=None):
        front_end.unregister_comm_target(target_name)
        return self.targets.pop(target_name)

    def register_comm(self, comm):
        self.comms[comm.comm_id] = comm
        front_end.open_comm_route(comm.target_name, comm.comm_id)
        return comm.comm_id

    def unregister_comm(self, comm):
        self.comms.pop(comm.comm_id, None)
        front_end.close_comm_route(comm.comm_id)

    def get_comm(self, comm_id):
        return self.comms.get(comm_id)


def deliver(kind, text, buffers):
    """A comm message from the page (called by kernel/front/python_comm.cpp). Errors are shown, never passed on."""
    message = {**json.loads(text), "buffers": [memoryview(part) for part in buffers], "msg_type": kind}
    shell = get_ipython()
    try:
        _handle(shell.kernel.comm_manager, kind, message)
    except BaseException:
        shell.showtraceback()
    finally:
        sys.stdout.flush()
        front_end.flush_now()  # the message is over when this returns, and what it printed belongs to it


def _handle(manager, kind, message):
    content = message["content"]
    comm_id = content["comm_id"]
    if kind == "comm_open":
        comm = Comm(comm_id=comm_id, primary=False, target_name=content["target_name"])
        manager.register_comm(comm)
        try:
            manager.targets[content["target_name"]](comm, message)
        except BaseException:
            comm.close()
            raise
    elif kind == "comm_msg":
        manager.comms[comm_id].handle_msg(message)
    else:
        comm = manager.comms[comm_id]
        manager.unregister_comm(comm)
        comm.handle_close(message)


# The version of ipykernel that we are like. From 6.18 on libraries use the package `comm`, where it is installed.
IPYKERNEL = (6, 29, 5)


def take_over_ipykernel():
    """Make ``from ipykernel.comm import Comm`` (ipywidgets up to 7) and the ``comm`` package mean these classes."""
    if importlib.util.find_spec("ipykernel") is None:
        sys.modules["ipykernel"] = types.ModuleType("ipykernel", __doc__)
        sys.modules["ipykernel"].__path__ = []
        sys.modules["ipykernel"].version_info = IPYKERNEL
        sys.modules["ipykernel"].__version__ = ".".join(map(str, IPYKERNEL))
    module = types.ModuleType("ipykernel.comm", __doc__)
    module.Comm, module.CommManager = Comm, CommManager
    sys.modules["ipykernel.comm"] = module
    try:
        import comm
    except ImportError:
        return
    comm.create_comm = Comm
    comm.get_comm_manager = lambda: get_ipython().kernel.comm_manager
