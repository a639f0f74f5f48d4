# SPDX-License-Identifier: BSD-3-Clause
"""What np.stats() says is complete as soon as the values are there, also of ranks that nobody hears of."""

import json
import pathlib
import time

import gamelan
import pytest
from gamelan import _core


def test_both_tiers_compute(engine, ranks):
    """At odd numbers of ranks (engines.py) every program becomes machine code, or the suite tests one tier only."""
    if ranks % 2 == 0 or "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip("programs of small arrays are interpreted")
    before = gamelan.stats()["programs_compiled"]
    a = gamelan.ones((30, 5))
    float(((a * 3.25 + 1) / 2 - a).sum())
    assert gamelan.stats()["programs_compiled"] > before


def test_the_work_of_every_rank_is_counted_when_the_answer_is_there(engine, ranks):
    if not ranks:
        pytest.skip("the model has no ranks")
    a = gamelan.ones((200, 50 * ranks))
    gamelan.sync()
    for _ in range(300):
        before = gamelan.stats()["bytes_shared"]
        halo = a[1:] - a[:-1]  # noqa: F841 - what nobody can read any more is not computed
        gamelan.sync()
        after = gamelan.stats()
        assert len({each["steps"] for each in after["per_rank"]}) == 1
        assert after["bytes_shared"] - before == (ranks - 1) * a.shape[1] * a.itemsize
        del halo
    _core.flush(True)


def test_every_rank_tells_when_it_is_asked_and_none_for_a_heartbeat(engine, ranks):
    if ranks == 0:
        pytest.skip("the model has no ranks")
    gamelan.sync()
    told = gamelan.stats()
    assert [each["rank"] for each in told["per_rank"]] == list(range(ranks)) and told["ranks_silent"] == 0
    deadline, beat = time.monotonic() + 5, {}
    while beat.get("busy", True) and time.monotonic() < deadline:  # until one that was sent after sync()
        time.sleep(0.1)
        beat = json.loads(_core.last_status())
    assert set(beat) == {"busy", "steps_planned", "steps_done"}, beat


def test_a_plan_of_nothing_says_so(engine, ranks):
    if not ranks:
        pytest.skip("the model plans nothing")
    a = gamelan.ones((30, 5))
    gamelan.sync()
    assert gamelan.explain() == gamelan.explain(a) == "nothing is recorded that is not computed yet"
    b = a + 1  # noqa: F841 - read by nobody, but there is a plan for it
    assert "step 0" in gamelan.explain(b)
