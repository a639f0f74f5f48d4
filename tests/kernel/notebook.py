# SPDX-License-Identifier: BSD-3-Clause
# A notebook without a browser: starts a kernel, runs cells, collects what a front end would show. Every wait has a
# limit; a cell that does not end in time raises Late with what has come so far.
import os
import pathlib
import queue
import time

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("GAMELAN_BUILD", ROOT / "build")).resolve()
KERNELS = BUILD / "share" / "jupyter" / "kernels"


class Late(Exception):
    """Something did not happen in time."""


class Cell:
    """How a cell ended and what it showed: the messages, and the usual questions to them."""

    def __init__(self, message_id):
        self.message_id = message_id
        self.messages = []
        self.reply = None
        self.is_idle = False

    @property
    def status(self):
        return self.reply["status"]

    @property
    def ename(self):
        return self.reply.get("ename")

    def of_type(self, *types):
        return [m["content"] for m in self.messages if m["msg_type"] in types]

    def stream(self, name):
        return "".join(c["text"] for c in self.of_type("stream") if c["name"] == name)

    @property
    def out(self):
        return self.stream("stdout")

    @property
    def err(self):
        return self.stream("stderr")

    @property
    def result(self):
        results = self.of_type("execute_result")
        return results[0]["data"] if results else None

    @property
    def text(self):
        return self.result and self.result["text/plain"]

    @property
    def shown(self):
        """Types of the visible messages in their order, runs of one stream joined."""
        order = []
        for message in self.messages:
            kind = message["msg_type"]
            if kind == "stream":
                kind = message["content"]["name"]
            if kind not in ("status", "execute_input") and order[-1:] != [kind]:
                order.append(kind)
        return order


class Notebook:
    def __init__(self, kernel="gamelan", env=None, manager=None, **popen):
        specs = KernelSpecManager()
        if kernel == "gamelan":
            specs = KernelSpecManager(kernel_dirs=[str(KERNELS)], ensure_native_kernel=False)
        self.cells = {}  # by message id: several may wait in the kernel's queue
        self.manager = manager or KernelManager(kernel_name=kernel, kernel_spec_manager=specs)
        environment = {**os.environ, **(env or {})}
        self.manager.start_kernel(env=environment, **popen)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        try:
            self.client.wait_for_ready(timeout=30)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=not self.manager.is_alive())

    @property
    def pid(self):
        return self.manager.provisioner.pid

    def send(self, code, **options):
        options.setdefault("allow_stdin", False)
        cell = Cell(self.client.execute(code, **options))
        self.cells[cell.message_id] = cell
        return cell

    def finish(self, cell, timeout=20, answer=None):
        """Collect until the cell is idle and replied to. `answer(prompt, password)` answers input()."""
        deadline = time.monotonic() + timeout
        while not (cell.is_idle and cell.reply is not None):
            if time.monotonic() > deadline:
                raise Late(f"cell not over after {timeout} s; so far: {cell.shown} {cell.out!r} {cell.err!r}")
            if not cell.is_idle:
                self._take_iopub()
            if cell.reply is None:
                self._take_reply()
            if answer is not None:
                self._take_question(answer)
        return cell

    def run(self, code, timeout=20, answer=None, **options):
        return self.finish(self.send(code, allow_stdin=answer is not None, **options), timeout, answer)

    def until(self, cell, condition, timeout=10):
        """Collect output of a running cell until `condition(cell)`."""
        deadline = time.monotonic() + timeout
        while not condition(cell):
            if time.monotonic() > deadline:
                raise Late(f"not seen after {timeout} s; so far: {cell.shown} {cell.out!r} {cell.err!r}")
            self._take_iopub()
        return cell

    def _take_iopub(self):
        try:
            message = self.client.get_iopub_msg(timeout=0.05)
        except queue.Empty:
            return
        cell = self.cells.get(message["parent_header"].get("msg_id"))
        if cell is not None:
            message["seen"] = time.monotonic()
            cell.messages.append(message)
            cell.is_idle |= message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"

    def _take_reply(self):
        try:
            message = self.client.get_shell_msg(timeout=0.01)
        except queue.Empty:
            return
        cell = self.cells.get(message["parent_header"].get("msg_id"))
        if cell is not None:
            cell.reply = message["content"]

    def _take_question(self, answer):
        try:
            message = self.client.get_stdin_msg(timeout=0.01)
        except queue.Empty:
            return
        content = message["content"]
        reply = answer(content["prompt"], content["password"])
        if reply is not None:
            self.client.input(reply)

    def ask(self, request, timeout=10, **arguments):
        """Content of the reply to a shell request: ask('complete', code=...)."""
        message_id = getattr(self.client, request)(**arguments)
        return self._reply_to(message_id, self.client.get_shell_msg, timeout)

    def control(self, message_type, content=None, timeout=10):
        message = self.client.session.msg(message_type, content or {})
        self.client.control_channel.send(message)
        return self._reply_to(message["header"]["msg_id"], self.client.get_control_msg, timeout)

    @staticmethod
    def _reply_to(message_id, receive, timeout):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            try:
                message = receive(timeout=0.1)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") == message_id:
                return message["content"]
        raise Late(f"no reply after {timeout} s")


def children_of(pid):
    """Pids of all descendants of a process."""
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        for task in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                children = [int(word) for word in task.read_text().split()]
            except OSError:
                continue
            found += children
            todo += children
    return found


def is_alive(pid):
    """Whether a process exists and is not a zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, timeout, what="condition"):
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise Late(f"{what}: not after {timeout} s")
        time.sleep(0.02)
