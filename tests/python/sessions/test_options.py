# SPDX-License-Identifier: BSD-3-Clause
"""np.config and np.options refuse what no option can be, in a sentence, and keep what they had."""

import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

import gamelan


@pytest.mark.parametrize("name, values, expected", [
    ("distribute_from", [-10, 1.5, numpy.nan, numpy.inf, 10**30, "-1", ""], "a whole number from 0 on"),
    ("gather_limit", [-1, 0.5, 2**63], "a whole number from 0 on"),
    ("engines", [-2, 2.5], "a whole number from 0 on"),
    ("connect_timeout", [0, -1.0, numpy.nan, numpy.inf, "soon"], "a number above 0"),
    ("route", ["foo", None, ""], "one of auto, direct, srun, ssh"),
    ("dear_calls", ["sometimes", True, ""], "one of measured, always, never"),
])  # fmt: skip
def test_an_option_refuses_nonsense(name, values, expected):
    before = getattr(gamelan.config, name)
    for value in values:
        with pytest.raises(ValueError, match=f"{name} = {re.escape(repr(value))}: expected {expected}"):
            setattr(gamelan.config, name, value)
        with pytest.raises(ValueError), gamelan.options(**{name: value}):
            pass
        assert getattr(gamelan.config, name) == before


def test_an_option_refuses_the_wrong_type():
    for name, value in (("distribute_from", None), ("connect", None), ("connect", 5), ("connect_timeout", [])):
        with pytest.raises(TypeError, match=f"{name} = .*: expected a"):
            setattr(gamelan.config, name, value)


def test_an_option_takes_what_is_meant():
    with gamelan.options(gather_limit=1e6, distribute_from=numpy.int32(7), connect=pathlib.Path("/x"), connect_timeout="5"):
        found = [getattr(gamelan.config, name) for name in ("gather_limit", "distribute_from", "connect", "connect_timeout")]
    assert [(type(value), value) for value in found] == [(int, 10**6), (int, 7), (str, "/x"), (float, 5.0)]


@pytest.mark.parametrize("variable, value", [("DISTRIBUTE_FROM", "-10"), ("ROUTE", "foo"), ("CONNECT_TIMEOUT", "nan")])
def test_a_variable_of_the_environment_refuses_nonsense(variable, value):
    done = subprocess.run(
        [sys.executable, "-c", "import gamelan"], env=os.environ | {f"GAMELAN_{variable}": value}, capture_output=True, text=True
    )
    assert done.returncode == 1 and f"ValueError: GAMELAN_{variable}='{value}': expected " in done.stderr, done.stderr


def test_an_option_says_what_it_expects():
    before = gamelan.config.distribute_from
    with pytest.raises(ValueError, match="distribute_from = 'x': expected a whole number"):
        gamelan.config.distribute_from = "x"
    assert gamelan.config.distribute_from == before


def test_a_folder_is_made_only_in_one_that_is_there(tmp_path, monkeypatch):
    """A mistake in its path is found when it is set, and not when the arrays are lost."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    before = gamelan.config.protect
    for mistaken in (tmp_path / "nowhere" / "kept", "nowhere/kept", "~/kept", tmp_path / "file", tmp_path / "file" / "kept"):
        with pytest.raises(
            ValueError, match="protect = .*: expected 'memory', None, or a folder that exists, or is to be made in one"
        ):
            gamelan.config.protect = mistaken
        assert gamelan.config.protect == before
    for meant in (tmp_path, tmp_path / "kept", "kept", "./kept/", "memory", ""):
        with gamelan.options(protect=meant):
            assert gamelan.config.protect == os.fspath(meant)
    for nothing in (None, False):
        with gamelan.options(protect=nothing):
            assert gamelan.config.protect == ""
    assert not (tmp_path / "kept").exists(), "not before there is a checkpoint"


def test_a_time_beyond_what_clocks_count_is_a_year():
    with gamelan.options(link_timeout=1e300, connect_timeout=1e10):
        assert gamelan.config.link_timeout == gamelan.config.connect_timeout == 365 * 86400
