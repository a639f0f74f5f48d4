# SPDX-License-Identifier: BSD-3-Clause
"""What befalls programs and notebooks whose engines are a Slurm job on two hosts: nothing is lost. GAMELAN_CHAOS_SECONDS is the time
of each test (10 by default); hosts.py does the same by hand."""

import os

import pytest

from hosts import KINDS, NODES, RANKS, Cluster, play_hosts, why_not

SECONDS = float(os.environ.get("GAMELAN_CHAOS_SECONDS", "10"))
SEED = int(os.environ.get("GAMELAN_CHAOS_SEED", "1"))


@pytest.fixture(scope="module")
def cluster():
    if reason := why_not():
        pytest.skip(reason)
    with Cluster(nodes=NODES) as up:
        yield up


@pytest.mark.timeout(SECONDS + 400)
@pytest.mark.parametrize("kind", KINDS)
def test_what_befalls_two_hosts_loses_nothing(cluster, kind, capsys):
    figures = play_hosts(cluster, kind, RANKS, SEED, seconds=SECONDS)
    with capsys.disabled():
        print(f"\n{kind} on {NODES} hosts, {RANKS} ranks: {figures}")
    assert not figures.wrong, "\n".join(figures.wrong)
    assert figures.rounds, "the machine was too busy for a single round"
    if kind != "two_interrupts":  # the second one cuts
        assert figures.outcomes["whole"] == figures.rounds, str(figures)
