# SPDX-License-Identifier: BSD-3-Clause
"""Ranks killed, nodes without power, jobs ended, under a notebook with engines on two nodes: told, cleared away, survived."""

import time

import pytest
from namespaces import wait_for
from two_nodes import SETUP, START_ON_ONE, engines_on, orchestra

MOMENTS = ["computing", "idle"]


def lose(o, moment, fault):
    return (o.lost_while_computing if moment == "computing" else o.lost_while_idle)(fault)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("rank", [3, 2, 1, 0])
def test_a_killed_rank_is_named_with_its_node(cluster, rank, moment):
    with orchestra(cluster) as o:
        told = lose(o, moment, lambda: o.kill(rank))
        assert f"rank {rank} on node{1 + rank // 2} was killed by SIGKILL" in told
        assert f"Slurm job {o.job}" in told
        o.goes_on()


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("node", ["node2", "node1"])
def test_a_node_without_power_is_named(cluster, node, moment):
    with orchestra(cluster) as o:
        told = lose(o, moment, lambda: cluster.power_off(node))
        assert node in told and o.job in told
        o.goes_on(START_ON_ONE)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_cancelled_job_is_told(cluster, moment):
    with orchestra(cluster) as o:
        told = lose(o, moment, lambda: cluster.slurm("scancel", o.job))
        assert f"Slurm job {o.job} was cancelled" in told and "on node1" in told
        o.goes_on()


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_time_limit_is_told(cluster, moment):
    with orchestra(cluster) as o:
        # Not waited for: Slurm looks at limits every half minute. What it then does is what this does.
        cluster.slurm("scontrol", "update", f"JobId={o.job}", "TimeLimit=0:01")
        cell = o.start_computing() if moment == "computing" else None
        wait_for(lambda: cluster.slurm("squeue", "-h", "-o", "%T") != "RUNNING", 100, "the limit", between=0.2)
        cell = o.notebook.finish(cell, timeout=15) if cell else o.run("turn()\nfloat(a[0])", timeout=15)
        told = o.is_lost(cell)
        assert f"Slurm job {o.job} reached its time limit" in told and "on node1" in told
        o.goes_on()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_suspended_job_is_told_and_its_engines_go_on_when_it_is_resumed(cluster, moment):
    """Longer than the time after which nodes give each other up (10 s), which none of them has lived through."""
    with orchestra(cluster) as o:
        before = {node: engines_on(cluster, node) for node in cluster.nodes}
        told = lose(o, moment, lambda: cluster.slurm("scontrol", "suspend", o.job))
        assert f"Slurm job {o.job} is suspended" in told
        time.sleep(3)
        cluster.slurm("scontrol", "resume", o.job)
        time.sleep(5)
        assert {node: engines_on(cluster, node) for node in cluster.nodes} == before and len(before["node2"]) == 2
        again = o.run(f"%engines attach {o.job}")
        assert again.status == "ok", again.err
        assert o.run(SETUP + "turn()\nis_right()").text == "True"
