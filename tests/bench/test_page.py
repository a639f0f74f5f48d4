# SPDX-License-Identifier: BSD-3-Clause
"""What was measured goes between the marks of the page, and nowhere else."""

import argparse

import page
import programs
import pytest


@pytest.fixture
def text(tmp_path, monkeypatch):
    file = tmp_path / "page.md"
    file.write_text("before\n<!-- programs: begin -->\nold\n<!-- programs: end -->\nbehind\n")
    monkeypatch.setattr(page, "PAGE", file)
    return file.read_text


def test_only_what_stands_between_the_marks_is_replaced(text):
    page.fill("programs", ["one", "two"])
    assert text() == "before\n<!-- programs: begin -->\n\none\n\ntwo\n\n<!-- programs: end -->\nbehind\n"


def test_a_page_without_the_marks_stays(text):
    with pytest.raises(SystemExit, match="sizes: begin"):
        page.fill("sizes", ["one"])
    assert "old" in text()


def test_programs_stand_two_in_a_line(text):
    lines = [[f"program {each}", "1.00", "2.00", "3.00", "-"] for each in range(3)]
    found = {
        100: (lines, ["beside numpy geometric mean 1.00"]),
        200: (lines, ["beside numpy geometric mean 2.00", "beside jax 3.00"]),
    }
    programs.write_docs(found, argparse.Namespace(ranks=2))
    assert "| program 0 | 1.00 | 2.00 | 3.00 | - | program 2 | 1.00 | 2.00 | 3.00 | - |" in text()
    assert "| program 1 | 1.00 | 2.00 | 3.00 | - |  |  |  |  |  |" in text()
    assert "- 200 elements: beside numpy geometric mean 2.00; beside jax 3.00." in text()


def test_without_a_rival_nothing_is_measured(text, monkeypatch):
    class Rival:
        def __init__(self, name, elements, settings):
            self.name, self.is_there = name, name != "jax"

    monkeypatch.setattr(programs, "Rival", Rival)  # it cannot be asked
    with pytest.raises(SystemExit, match="not all are here"):
        programs.compare(100, argparse.Namespace(write_docs=True))
    assert "old" in text()
