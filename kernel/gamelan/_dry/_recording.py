# SPDX-License-Identifier: BSD-3-Clause
"""A cell that is recorded and not run: in a child made by fork, so that the program's own variables stay as they are. The child
may compute in its memory and reads files; it prints nothing, writes nothing and starts nothing."""

import _posixsubprocess
import ast
import builtins
import errno
import io
import os
import pickle
import select
import signal
import sys
import time
from dataclasses import dataclass

from .. import _core
from ._isolation import isolate

_MOST_S = 60.0
_FORBIDDEN = {
    "os.remove": "removes a file",
    "os.rename": "renames a file",
    "os.rmdir": "removes a folder",
    "os.mkdir": "makes a folder",
    "os.truncate": "writes a file",
    "os.link": "makes a link",
    "os.symlink": "makes a link",
    "os.chmod": "changes who may use a file",
    "os.chown": "changes who may use a file",
    "os.chflags": "changes a file",
    "os.utime": "changes a file's times",
    "os.setxattr": "changes a file",
    "os.removexattr": "changes a file",
    "fcntl.flock": "locks a file",
    "fcntl.lockf": "locks a file",
    "os.kill": "sends a signal",
    "os.killpg": "sends a signal",
    "os.system": "starts a program",
    "os.exec": "starts a program",
    "os.spawn": "starts a program",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a program",
    "pty.spawn": "starts a program",
    "subprocess.Popen": "starts a program",
    "sqlite3.connect": "opens a database",
    "socket.connect": "opens a connection",
    "socket.bind": "opens a connection",
    "socket.sendto": "sends a message",
    "socket.sendmsg": "sends a message",
}
_UNHEARD = (  # what tells no audit hook of itself
    (os, "mkfifo", "makes a file"),
    (os, "mknod", "makes a file"),
    (_posixsubprocess, "fork_exec", "starts a program"),
    (signal, "pidfd_send_signal", "sends a signal"),
    (builtins, "input", "asks for a line"),
)
# Of what was open before, or is opened by a library: in a dry run it can only be read.
_REFUSED = errno.EBADF, errno.EFBIG, errno.ENOTSOCK, errno.EACCES, errno.EROFS


@dataclass
class Recorded:
    """What a cell would have the engines do: `batch` for `_core.plan_of`, and of each command (file, line, moments of work, is it
    never joined with others). `line` and `why`: where it stopped; `error`: (class, message) of what it raised there."""

    batch: bytes
    commands: list
    line: int = 0
    why: str = ""
    error: tuple = ()


class _Stop(BaseException):
    """The cell needs something that a dry run does not have."""


def record(shell, cell):
    """Records a cell in a child. `cell` is its text, as typed."""
    code = shell.transform_cell(cell)
    name = shell.compile.cache(code)
    tree = compile(code, name, "exec", ast.PyCF_ONLY_AST | shell.compile.flags)
    ast.increment_lineno(tree)  # %%dry is the first line
    program = compile(tree, name, "exec", shell.compile.flags, dont_inherit=True)
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            data = pickle.dumps(vars(_in_child(shell, program, name, writer)))
        except BaseException as error:
            data = pickle.dumps(vars(Recorded(b"", [], 0, f"a dry run cannot do this: {type(error).__name__}: {error}")))
        try:
            while data:
                data = data[os.write(writer, data) :]
        finally:
            os._exit(0)
    os.close(writer)
    return Recorded(**pickle.loads(_received(child, reader)))


def _received(child, reader):
    """What the child writes; it is ended when that takes too long, and when an interrupt comes."""
    data, limit = bytearray(), time.monotonic() + _MOST_S
    try:
        while True:
            if not select.select([reader], [], [], max(0.0, limit - time.monotonic()))[0]:
                raise TimeoutError(f"the dry run took longer than {_MOST_S:.0f} s: the cell computes much by itself")
            part = os.read(reader, 1 << 20)
            if not part:
                break
            data += part
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not data:
        raise RuntimeError("the dry run ended without an answer: a library has ended it, or wrote to memory that it shares")
    return bytes(data)


def _in_child(shell, program, name, writer):
    _be_quiet(shell)
    _core.begin_dry(_Stop)
    isolate(writer)
    _refuse_unheard()
    sys.addaudithook(_refuse)
    recorded = Recorded(b"", [])
    try:
        exec(program, shell.user_ns)
    except BaseException as error:
        recorded.line = _line_in(name, error)
        if isinstance(error, _Stop):
            recorded.why = str(error)
        elif _is_of_isolation(error):
            recorded.why = f"it does what a dry run cannot: {type(error).__name__}: {error}"
        else:
            recorded.error = type(error).__name__, str(error)
    recorded.batch, commands = _core.dry_plan()
    recorded.commands = [(file, line, moments, is_single) for file, line, moments, is_single in commands]
    return recorded


def _be_quiet(shell):
    sys.dont_write_bytecode = True
    sys.stdout = sys.stderr = io.StringIO()
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def nothing(*args, **keywords):
        pass

    def no_magic(name, *args, **keywords):
        raise _Stop(f"%{name} is not run")

    shell.display_pub.publish = shell.display_pub.clear_output = nothing
    shell.run_line_magic = shell.run_cell_magic = no_magic
    shell.system = shell.getoutput = lambda *args: no_magic("system")


def _refuse_unheard():
    def refuse(what):
        def stop(*args, **keywords):
            raise _Stop(f"it {what}")

        return stop

    for module, name, what in _UNHEARD:
        setattr(module, name, refuse(what))


def _is_of_isolation(error):
    """Would it not be raised in a real run?"""
    of_databases = getattr(sys.modules.get("sqlite3"), "Error", ())
    return isinstance(error, of_databases) or (isinstance(error, OSError) and error.errno in _REFUSED)


def _refuse(event, arguments):
    """The child has its own memory; everything else is the program's."""
    if event in _FORBIDDEN:
        raise _Stop(f"it {_FORBIDDEN[event]}")
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise _Stop(f"it writes to {arguments[0]}")


def _line_in(name, error):
    """The cell's line that an error came through; of a syntax error none."""
    line, entry = 0, error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == name:
            line = line or entry.tb_lineno
        entry = entry.tb_next
    return line
