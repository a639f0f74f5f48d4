# SPDX-License-Identifier: BSD-3-Clause
# How far a loop has come, read off its source: what is counted, and what is not certain and therefore is not. No kernel.
import linecache
import sys

import pytest

from notebook import BUILD

sys.path.append(str(BUILD / "python"))

from gamelan_kernel import loops  # noqa: E402

FILE = "<cell for test_loops>"


def run(code):
    """What is told of the loop in every place of the code that calls look()."""
    told = []
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    loops._parsed.clear()
    exec(compile(code, FILE, "exec"), {"look": lambda: told.append(loops.turns(lambda file: file == FILE))})
    return told


@pytest.mark.parametrize(
    "code, told",
    [
        ("for i in range(3): look()", [(0, 3, True), (1, 3, True), (2, 3, True)]),
        ("n = 2\nfor i in range(1, n * 2 + 1, 2):\n    look()", [(0, 2, True), (1, 2, True)]),
        ("for i in range(2): look()\nfor i in range(1): pass", [(0, 2, False), (1, 2, False)]),
        ("for i in range(2):\n    for j in range(9):\n        pass\n    look()", [(0, 2, True), (1, 2, True)]),
        ("def f():\n    n = 2\n    for i in range(n):\n        look()\nf()", [(0, 2, False), (1, 2, False)]),
        ("tqdm = list\nfor i in tqdm(range(2)): look()", [(0, 2, True), (1, 2, True)]),
        ("for i in range(9):\n    look()\n    if i == 1: break", [(0, 9, False), (1, 9, False)]),
        ("for i in range(2):\n    for j in range(9):\n        break\n    look()", [(0, 2, True), (1, 2, True)]),
        ("for i in range(2):\n    try: look()\n    except ValueError: break", [(0, 2, False), (1, 2, False)]),
        ("def same(f): return f\n@same\ndef f():\n    for i in range(1): look()\nf()", [(0, 1, False)]),
        ("for i in range(2 ** 1): look()", [None, None]),
        ("look()", [None]),
        ("for i in [1, 2]: look()", [None, None]),
        ("i = 0\nwhile i < 2:\n    look()\n    i += 1", [None, None]),
        ("for i in range(2):\n    i = 7\n    look()", [None, None]),
        ("n = 2\nfor i in range(n):\n    n = 5\n    look()", [None, None]),
        ("n = [2]\nfor i in range(n[0]): look()", [None, None]),
        ("n = True\nfor i in range(n): look()", [None]),
        ("for i in range(len('ab')): look()", [None, None]),
        ("for i in range(2):\n    try: look()\n    finally: pass\n", [(0, 2, True), (1, 2, True)]),
    ],
)
def test_turns(code, told):
    assert run(code) == told


def test_the_outermost_loop_counts():
    assert run("def f():\n    for j in range(5):\n        look()\n        break\nfor i in range(2): f()") == [
        (0, 2, True),
        (1, 2, True),
    ]
