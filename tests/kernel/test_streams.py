# SPDX-License-Identifier: BSD-3-Clause
# What cells print: all of it, in order, soon, and in few messages; also from C code, threads and child processes.
import time

import pytest


def test_ten_thousand_prints_are_few_messages(shared):
    start = time.monotonic()
    cell = shared.run("for i in range(10_000): print(i)", timeout=20)
    assert time.monotonic() - start < 5
    assert cell.out == "".join(f"{i}\n" for i in range(10_000))
    assert len(cell.of_type("stream")) < 100


def test_ten_thousand_flushed_prints(shared):
    cell = shared.run("for i in range(10_000): print(i, flush=True)", timeout=20)
    assert cell.out.count("\n") == 10_000
    assert len(cell.of_type("stream")) < 500


def test_a_print_is_one_message(shared):
    for _ in range(5):
        assert len(shared.run("print('a', 'b', 3)").of_type("stream")) == 1
        time.sleep(0.15)


def test_streams_alternate_in_order(shared):
    cell = shared.run("import sys\nfor i in range(50): print(i, file=[sys.stdout, sys.stderr][i % 2])")
    assert [c["text"] for c in cell.of_type("stream")] == [f"{i}\n" for i in range(50)]


@pytest.mark.parametrize(
    "busy", ["time.sleep(2)", "ctypes.PyDLL(None).usleep(2_000_000)"]
)  # the second lets no other thread run Python
def test_a_print_is_seen_while_the_cell_goes_on_silently(shared, busy):
    cell = shared.send(
        f"import ctypes, time\nprint('now')\nprinted = time.monotonic()\n{busy}\nspent = time.monotonic() - printed"
    )
    shared.until(cell, lambda c: c.out == "now\n")
    seen = cell.messages[-1]["seen"]
    shared.finish(cell)
    # The monotonic clock is the machine's: the same in both processes.
    printed = float(shared.run("print(printed)").out)
    spent = float(shared.run("print(spent)").out)
    assert spent > 1, "the cell was over before the print could be early"
    assert seen - printed < spent / 2


@pytest.mark.parametrize(
    "write",
    [
        "import os; os.system('echo middle')",
        "import ctypes; ctypes.CDLL(None).puts(b'middle')",
        "import subprocess; subprocess.run(['echo', 'middle'])",
        "import subprocess, sys; subprocess.run(['echo', 'middle'], stdout=sys.stdout)",
        "import os; os.write(1, b'middle\\n')",
        "import os; os.write(sys.stdout.fileno(), b'middle\\n')",
        "print('middle', file=sys.__stdout__, flush=True)",
        "get_ipython().system('echo middle')",
        "sys.stdout.buffer.write(b'middle\\n')",
        "import threading; t = threading.Thread(target=print, args=('middle',)); t.start(); t.join()",
        "import multiprocessing as m; p = m.get_context('fork').Process(target=print, args=('middle',)); p.start(); p.join()",
    ],
)
def test_every_way_to_write_lands_in_the_cell_in_order(shared, write):
    cell = shared.run(f"import sys\nprint('before')\n{write};\nprint('after')")
    assert cell.status == "ok"
    assert cell.out.replace("\r", "") == "before\nmiddle\nafter\n"


def test_stderr_of_children(shared):
    cell = shared.run("import os; os.system('echo oops >&2');")
    assert cell.err == "oops\n"


def test_unfinished_characters_are_joined(shared):
    cell = shared.run("import os, time\nfor b in 'é€😀'.encode():\n    os.write(1, bytes([b])); time.sleep(0.06)")
    assert cell.out == "é€😀"


def test_odd_text(shared):
    cell = shared.run("print('\\udc80 \\x00 \\x1b[1m é'); import os; os.write(1, b'\\xff\\n');")
    assert "é" in cell.out and cell.status == "ok"
    # Not the first statement: Python 3.13 takes a text there for a docstring, and compiles none with such a character.
    assert shared.run("0; '\\udc80'").text == "'\\udc80'"
    assert shared.run("raise ValueError('\\udc80')").ename == "ValueError"


def test_a_flood_from_a_child_arrives_whole(shared):
    cell = shared.run("import os; os.system('seq 1 200000');", timeout=30)
    assert cell.out == "".join(f"{i}\n" for i in range(1, 200_001))


def test_output_of_a_thread_after_its_cell(shared):
    cell = shared.send("import threading\nthreading.Timer(0.5, print, ['late']).start()")
    shared.finish(cell)
    shared.until(cell, lambda c: c.out == "late\n")


def test_stdout_is_a_text_stream(shared):
    cell = shared.run(
        "import sys, io\n"
        "(sys.stdout.encoding, sys.stdout.isatty(), sys.stdout.fileno(), sys.stderr.fileno(),\n"
        " sys.stdout.writable(), sys.stdout.closed, isinstance(sys.stdout, io.TextIOBase), sys.stdout.name)"
    )
    assert cell.text == "('utf-8', False, 1, 2, True, False, True, '<stdout>')"
    assert shared.run("sys.stdout.close(); print('still here')").out == "still here\n"
    assert shared.run("sys.stdout.write(3)").ename == "TypeError"


def test_redirect_and_restore(shared):
    assert (
        shared.run(
            "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as s: print('x')\nprint(repr(s.getvalue()))"
        ).out
        == "'x\\n'\n"
    )


def test_logging_and_warnings_go_to_stderr(shared):
    cell = shared.run("import logging, warnings\nlogging.warning('careful')\nwarnings.warn('old')")
    assert "careful" in cell.err and "UserWarning: old" in cell.err
