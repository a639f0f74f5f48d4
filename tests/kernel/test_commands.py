# SPDX-License-Identifier: BSD-3-Clause
"""`!command` where there are no pseudo terminals, as in a bare container or chroot: /dev/pts is empty for that kernel alone."""

import time

import pytest
from notebook import Notebook
from test_interrupt import READY, interrupt_when_ready

# Of the kernel's own, by a mount namespace of the thread that runs the cells.
NO_TERMINALS = """
import ctypes, os
libc = ctypes.CDLL(None)
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 1 << 14, 1 << 18
print(
    libc.unshare(CLONE_NEWNS)
    or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    or libc.mount(b"tmpfs", b"/dev/pts", b"tmpfs", 0, None)
)
"""
HAVE_NONE = """
try:
    print(os.openpty())
except OSError:
    print("none")
"""


@pytest.fixture(scope="module")
def bare(own_home):
    with Notebook() as notebook:
        if notebook.run(NO_TERMINALS).out != "0\n":
            pytest.skip("no mount namespace can be made here")
        assert notebook.run(HAVE_NONE).out == "none\n"
        yield notebook


def test_output_and_exit_code(bare):
    cell = bare.run("!echo one; echo two >&2; printf 'gr\\303\\274n'; exit 3\nprint('', _exit_code)")
    assert (cell.status, cell.out) == ("ok", "one\ntwo\ngrün 3\n")
    assert bare.run("!kill -9 $$\nprint(_exit_code)").out == "-9\n"
    assert bare.run("%pip --version").out.startswith("pip ")


def test_output_comes_as_it_is_written(bare):
    cell = bare.send("!echo early; sleep 30")
    start = time.monotonic()
    bare.until(cell, lambda c: "early" in c.out)
    assert time.monotonic() - start < 20
    bare.manager.interrupt_kernel()
    bare.finish(cell)


def test_an_interrupt_ends_the_command_and_what_it_started(bare):
    cell = interrupt_when_ready(bare, READY + "!sh -c 'sleep 6543; true'; true", limit=4)
    assert cell.ename == "KeyboardInterrupt"
    assert bare.run("!pgrep -f 'sleep [6]543' || echo none").out == "none\n"
