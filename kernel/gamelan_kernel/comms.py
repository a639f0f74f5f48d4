# SPDX-License-Identifier: BSD-3-Clause
"""Comms, over which widgets talk to the page: those of the package `comm`, over this kernel, and by the names that libraries
expect of ipykernel."""

import importlib.util
import json
import sys
import types

import _gamelan_kernel as front_end
import comm
from comm.base_comm import BaseComm
from comm.base_comm import CommManager as BaseCommManager
from IPython.core.getipython import get_ipython

from .display import send


class Comm(BaseComm):
    """One line between an object here and its counterpart in the page."""

    kernel = property(lambda self: get_ipython().kernel)  # asked for by ipywidgets up to 7

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **content):
        send(msg_type, {"comm_id": self.comm_id, "data": data or {}, **content}, metadata, buffers or ())


# What a page with widgets opens as soon as the kernel is there, long before a cell imports ipywidgets.
WIDGET_TARGETS = ("jupyter.widget", "jupyter.widget.control", "jupyter.widget.version")


class CommManager(BaseCommManager):
    """The open comms, and who answers when the page opens one; the routes of both are xeus's."""

    def __init__(self):
        super().__init__()
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
        super().register_target(target_name, f)
        front_end.register_comm_target(target_name)

    def unregister_target(self, target_name, f=None):
        front_end.unregister_comm_target(target_name)
        return super().unregister_target(target_name, f)

    def register_comm(self, comm):
        front_end.open_comm_route(comm.target_name, comm.comm_id)
        return super().register_comm(comm)

    def unregister_comm(self, comm):
        self.comms.pop(comm.comm_id, None)
        front_end.close_comm_route(comm.comm_id)


def deliver(kind, text, buffers):
    """A comm message from the page (called by kernel/front/python_comm.cpp). Errors are shown, never passed on; the handlers of
    the package `comm` would write them to a log."""
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
        opened = Comm(comm_id=comm_id, primary=False, target_name=content["target_name"])
        manager.register_comm(opened)
        try:
            manager.targets[content["target_name"]](opened, message)
        except BaseException:
            opened.close()
            raise
    elif kind == "comm_msg":
        manager.comms[comm_id].handle_msg(message)
    else:
        closed = manager.comms[comm_id]
        manager.unregister_comm(closed)
        closed._closed = True
        closed.handle_close(message)


# The version of ipykernel that we are like. From 6.18 on libraries use the package `comm`.
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
    comm.create_comm = Comm
    comm.get_comm_manager = lambda: get_ipython().kernel.comm_manager
