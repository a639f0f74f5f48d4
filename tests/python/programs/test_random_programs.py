# SPDX-License-Identifier: BSD-3-Clause
"""Random programs mean the same to NumPy and to gamelan: views of views, overlapping writes, frees, reads, small operands.

A failure prints the shortest program that shows it and the seed it grew from; `python fuzz.py --seed N` runs many more.
"""

import os
import random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import fuzz
import gamelan
import oracle
from gamelan import _core
from random_programs import Writer

# GAMELAN_TEST_PROGRAMS=5000 for a long night; the same programs on every run unless --hypothesis-seed says otherwise.
PROGRAMS = int(os.environ.get("GAMELAN_TEST_PROGRAMS", "12"))
PASSES = ["", "relayout", "simplify", "strength_reduction", "elide_copies", "split_assembled", "unroll_short_axes", "recompute", "fuse", "interior", "contract", "version", "chain_rows", "tile_time", "put_by_owner", "elide_stores", "hide",
          "fuse,interior,simplify,strength_reduction,contract,version,relayout,elide_copies,split_assembled,unroll_short_axes,recompute,chain_rows,tile_time,put_by_owner,elide_stores,hide"]  # fmt: skip

# Hypothesis only draws seeds: fuzz.shorten makes better short programs, line by line.
_settings = settings(max_examples=PROGRAMS, deadline=None, derandomize=not os.environ.get("GAMELAN_TEST_RANDOM"), database=None,
                     phases=[Phase.generate], suppress_health_check=list(HealthCheck))  # fmt: skip


def test_every_pass_is_switched_off_once(engine, ranks):
    if not ranks:
        pytest.skip("the model has no passes")
    assert set(PASSES[1:-1]) == set(gamelan.stats()["pass_names"]) == set(PASSES[-1].split(","))


def _run(seed, length=14, large=0.08):
    lines = Writer(random.Random(seed), length, large).write()
    difference = fuzz.attempt(lines)
    oracle.count()
    if difference is None:
        return
    if difference.kind not in fuzz.FATAL:
        lines = fuzz.shorten(lines, difference.kind)
        difference = fuzz.attempt(lines) or difference
    program = "\n".join(lines)
    pytest.fail(f"program of seed {seed}:\n{program}\n=> {difference}", pytrace=False)


@pytest.fixture
def disabled_passes(request, engine, ranks):
    """The passes of the plan switched off during a test."""
    if not ranks:
        pytest.skip("the model has no passes")
    _core.flush(True)
    _core.configure([("disable_passes", request.param)])
    yield request.param
    _core.flush(True)
    _core.configure([("disable_passes", "")])


@pytest.mark.parametrize("disabled_passes", PASSES, indirect=True, ids=lambda passes: f"without {passes or 'nothing'}")
def test_all_distributed(disabled_passes):
    @_settings
    @given(st.integers(0, 2**48))
    def programs(seed):
        _run(seed)

    programs()


def test_when_ranks_help_each_other(engine, ranks, request):
    """Every pass is cut into pieces that any rank of a node may do (test_balance.py)."""
    if min(ranks, request.config.getoption("--ranks-per-node") or ranks) < 2:
        pytest.skip("nobody is there to help")
    _core.flush(True)
    _core.configure([("balance", "always")])
    before = gamelan.stats()["pieces_helped"]

    @_settings
    @given(st.integers(0, 2**48))
    def programs(seed):
        _run(seed)

    try:
        programs()
        assert gamelan.stats()["pieces_helped"] > before
    finally:
        _core.flush(True)
        _core.configure([("balance", "on")])


@pytest.mark.parametrize("disabled_passes", ["", "fuse"], indirect=True)
def test_small_arrays_stay_here(disabled_passes):
    """Arrays below the threshold are computed by NumPy here and meet distributed ones."""

    @_settings
    @given(st.integers(0, 2**48))
    def programs(seed):
        with gamelan.options(distribute_from=10):
            _run(seed)

    programs()


@pytest.mark.parametrize("disabled_passes", ["", "version", "contract"], indirect=True)
def test_long_programs(disabled_passes):
    @settings(_settings, max_examples=max(PROGRAMS // 8, 1))
    @given(st.integers(0, 2**48))
    def programs(seed):
        _run(seed, length=60, large=0.2)

    programs()


def test_the_second_turn_finds_the_plans_of_the_first(engine, ranks):
    if not ranks:
        pytest.skip("the model has no plans")
    before = gamelan.stats()["plan_hits"]

    @settings(_settings, max_examples=max(PROGRAMS // 2, 1))
    @given(st.integers(0, 2**48))
    def programs(seed):
        for _ in range(3):  # the second turn frees what the first has left: from then on the batches are equal
            _run(seed)

    programs()
    assert gamelan.stats()["plan_hits"] - before > PROGRAMS


def test_a_program_can_fail():
    """The runner sees a wrong value, a wrong dtype, a missing error; and keeps only the lines that matter."""
    for line in ("v3 = v1 + (1 if np is n else 2)", "v3 = v1.astype('f4' if np is n else 'f8')", "v3 = v1[9 if np is n else 0]"):
        lines = ["v1 = np.array(n.arange(4))", "v2 = np.array(n.arange(5))", line]
        with gamelan.options(distribute_from=1000):
            difference = fuzz.attempt(lines)
            assert difference is not None, line
            assert fuzz.shorten(lines, difference.kind) == [lines[0], line]
