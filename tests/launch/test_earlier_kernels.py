# SPDX-License-Identifier: BSD-3-Clause
"""Which of a notebook's earlier kernels a restore means, and how they are listed. No kernel runs."""

import pathlib

import pytest

from gamelan._saved import _earlier
from gamelan._saved._earlier import Left

_KEPT = "2026-11-27T04:38:57+0000"


def left(name, *names, **facts):
    facts.setdefault("is_ended", False)
    return Left(pathlib.Path(name), saved_at=_KEPT, names=names, others=("np",), bytes=2048, **facts)


def meant(*kernels, **wanted):
    """The name of the kernel that is meant, or the names that the error lists."""
    try:
        return _earlier.meant(list(kernels), **wanted).name
    except ValueError as error:
        return [line.split()[0] for line in str(error).splitlines()[2:]]


WORK = left("20-a", "grid", "result")


@pytest.mark.parametrize(
    "kernels, expected",
    [
        ([left("21-b", "x"), WORK], ["21-b", "20-a"]),
        ([left("21-b", "x", is_ended=True), WORK], ["21-b", "20-a"]),
        ([left("21-b", "x", "grid", "result"), WORK], "21-b"),
        ([left("21-b", "grid", restored="20-a"), WORK], "21-b"),
        ([left("22-c", "x"), left("21-b", "y", restored="19-z"), WORK], ["22-c", "21-b"]),
        ([left("21-b"), WORK], "20-a"),
        ([left("21-b"), left("20-a")], "21-b"),
        ([left("21-b", "x"), left("20-a", "grid", is_ended=True)], "21-b"),
        ([left("21-b", why_not="damaged"), WORK], ["21-b", "20-a"]),
        ([left("21-b", why_not="damaged")], "21-b"),
    ],
)
def test_a_plain_restore(kernels, expected):
    assert meant(*kernels) == expected


def test_names_choose():
    kernels = left("21-b", "x", "result"), WORK
    assert meant(*kernels, names=["grid"]) == "20-a" and meant(*kernels, names=["result"]) == "21-b"
    assert meant(left("22-c", "x"), *kernels, names=["result"]) == ["21-b", "20-a"]
    assert meant(*kernels, names=["typo"]) == "21-b", "which says that there is none"
    assert (
        meant(*kernels, of="20") == "20-a"
        and meant(*kernels, of="2") == ["21-b", "20-a"]
        and meant(*kernels, of="3")
        == [
            "21-b",
            "20-a",
        ]
    )
    assert meant(left("20-a1", "x"), WORK, of="20-a") == "20-a", "the whole name"


def test_the_second_restore_goes_on_with_the_kernel_of_the_first():
    kernels = left("21-b", "x"), WORK
    assert meant(*kernels, last="20-a") == "20-a" and meant(*kernels, names=["x"], last="20-a") == "21-b"


def test_when_all_of_an_older_one_is_here_the_newer_one_is_meant():
    newer, older = left("21-b", "x"), left("20-a", "grid", "result", is_here=True)
    assert meant(newer, older, last="20-a") == "21-b"
    assert meant(newer, older, names=["grid"], last="20-a") == "20-a"
    assert meant(left("21-b"), older, last="20-a") == "20-a" and meant(older, left("19-z", "y"), last="20-a") == "20-a", "again"


def test_the_list():
    many = left("21-b", *"abcdefghijkl", is_ended=True, restored="20-a")
    lines = _earlier.listed([many, WORK, left("19-z"), left("18-y", why_not="it is damaged")]).splitlines()
    assert lines[1].split("  ")[0] == "21-b" and lines[1].endswith("12         2 KiB  a, b, c, d, e, f, g, h, and 4 more")
    assert "in order" in lines[1] and "lost, restored" in lines[2] and lines[2].endswith("  2          2 KiB  grid, result")
    assert "lost, restored" in _earlier.listed([left("19-z", "x", is_here=True)]), "by this kernel"
    assert lines[3].endswith("only imports") and lines[4].endswith("cannot be read: it is damaged")


def test_the_offer():
    assert "left 2 variables (grid, result): %session restore brings them back" in _earlier.offered([WORK])
    assert "left 1 variable (x): " in _earlier.offered([left("21-b", "x", restored="20-a"), WORK])
    assert "2 kernels of this notebook that were lost left variables: %session lists them" in _earlier.offered(
        [left("21-b", "x"), WORK]
    )
    ended = left("21-b", "x", is_ended=True)
    assert "kernel of this notebook that ended (last cell at " in _earlier.offered([ended])
    assert "2 kernels of this notebook that have ended left variables: " in _earlier.offered([ended, WORK])
    assert not _earlier.offered([left("21-b")])
