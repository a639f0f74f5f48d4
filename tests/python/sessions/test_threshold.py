# SPDX-License-Identifier: BSD-3-Clause
"""From which size arrays live on the engines: measured on first use, unless somebody gives a number."""

import os
import subprocess
import sys

import pytest

import gamelan
from gamelan import _session, _threshold

NANOSECOND = 1e-9


@pytest.mark.parametrize("way_us, element_ns, elements", [
    (1, 0.3, 1 << 16), (19, 0.3, 1 << 16), (20, 0.3, 1 << 18), (45, 0.3, 1 << 18), (5000, 0.3, 1 << 18),
    (0, 0.3, 1 << 16), (100, 0, 1 << 18), (39, 0.6, 1 << 16),
])  # fmt: skip
def test_the_smaller_threshold_is_where_numpy_needs_longer_than_the_way(way_us, element_ns, elements):
    assert _threshold.crossing(way_us * 1000 * NANOSECOND, element_ns * NANOSECOND) == elements


def test_a_measured_threshold_comes_back_after_a_given_one():
    before = gamelan.config._given("distribute_from"), gamelan.config.distribute_from
    with gamelan.options(distribute_from="measured"):
        measured = gamelan.config.distribute_from
        with gamelan.options(distribute_from=7):
            assert gamelan.config.distribute_from == 7 and "(np.config.distribute_from)" in _session.threshold()
        assert gamelan.config.distribute_from == measured and "measured)" in _session.threshold()
    assert (gamelan.config._given("distribute_from"), gamelan.config.distribute_from) == before


PROGRAM = """
import gamelan as np
from gamelan import _session, _threshold
real = _threshold.measure
def measure():
    found = real()
    assert found in (_threshold.LEAST, _threshold.MOST), found
    return 100_000
_threshold.measure = measure
print(np.config.distribute_from, _session.threshold())
a = np.ones(np.config.distribute_from - 1)
assert a._b is None and not np.stats().get("batches")
with np.options(distribute_from={first}):
    a = np.ones(1_000_000)
    assert a._b is not None and np.stats()["batches"] <= 2, np.stats()
print(np.config.distribute_from, _session.threshold())
"""


@pytest.mark.parametrize("given", ["", "measured", "1000"])
@pytest.mark.parametrize("first", ["np.config.distribute_from", "0", "'measured'"])
def test_engines_are_measured_when_they_are_first_used(ranks, given, first):
    if not ranks:
        pytest.skip("needs engines")
    environment = os.environ | {"GAMELAN_ENGINES": str(ranks), "GAMELAN_DISTRIBUTE_FROM": given}
    environment.pop("GAMELAN_CONNECT", None)
    program = PROGRAM.replace("{first}", first)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    before, after = done.stdout.splitlines()
    if given == "1000":
        assert before == after == "1000 arrays of 1,000 elements or more live on the engines (np.config.distribute_from)"
    else:
        assert before.startswith(f"{_threshold.MOST} ") and before.endswith("(until it is measured)")
        assert after == "100000 arrays of 100,000 elements or more live on the engines (measured)"
