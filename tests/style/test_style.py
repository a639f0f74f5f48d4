# SPDX-License-Identifier: BSD-3-Clause
"""The tree is as its formatters and the rules of the house want it. What each test prints says what to run."""

import sys

import checkers
import pytest

ROOMS = ("protocol", "kernel", "engine", "tests")


def needed(found):
    program, why_not = found
    if not program:
        pytest.skip(why_not)
    return program


@pytest.mark.parametrize("room", ROOMS)
def test_clang_format(room):
    program = needed(checkers.clang_format())
    names = [name for name in checkers.tracked(".cpp", ".hpp", ".c") if name.startswith(room + "/")]
    assert not checkers.run([program, "--dry-run", "-Werror"], names), f"run clang-format -i on the files of {room}/"


def test_ruff_check():
    assert not checkers.run([needed(checkers.ruff()), "check", "--no-cache", "."]), "run ruff check --fix"


def test_ruff_format():
    assert not checkers.run([needed(checkers.ruff()), "format", "--check", "--no-cache", "."]), "run ruff format"


def test_codespell():
    assert not checkers.run([needed(checkers.codespell())], checkers.tracked()), "mend it, or add the word to .codespellrc"


@pytest.mark.parametrize("rule", ["arrows", "floors", "documents", "tree", "subjects"])
def test_rules_of_the_house(rule):
    said = checkers.run([sys.executable, f"tests/house/{rule}_test.py", "."])
    assert not said, said
