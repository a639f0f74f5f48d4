# SPDX-License-Identifier: BSD-3-Clause
"""Cables pulled under a notebook with engines on two nodes: what is short is survived, what stays is told and cleared away."""

import time

import pytest
from two_nodes import START_ON_ONE, orchestra

SURVIVED_SECONDS = 5


def computes_through(cluster, o, host):
    """Nothing is lost by a cut in the middle of a cell that takes longer than it."""
    cell = o.start_computing(seconds=SURVIVED_SECONDS + 7)
    cluster.cut(host)
    time.sleep(SURVIVED_SECONDS)
    cluster.heal(host)
    assert o.notebook.finish(cell, timeout=30).status == "ok", cell.of_type("error")
    assert o.run("turns > 20, is_right()").text == "(True, True)"


def sits_through(cluster, o, host):
    cluster.cut(host)
    time.sleep(SURVIVED_SECONDS)
    cluster.heal(host)
    assert o.run("turn()\nis_right()", timeout=20).text == "True"


@pytest.mark.parametrize("host", ["node2", "node1", "login"])
@pytest.mark.parametrize("through", [computes_through, sits_through])
def test_five_seconds_without_network_are_survived(cluster, through, host):
    with orchestra(cluster) as o:
        through(cluster, o, host)
        assert o.run("1 + 1").text == "2"


@pytest.mark.parametrize("moment", ["computing", "idle"])
@pytest.mark.parametrize("host", ["node2", "node1"])
def test_a_node_cut_off_for_good_is_named(cluster, moment, host):
    with orchestra(cluster) as o:
        told = (o.lost_while_computing if moment == "computing" else o.lost_while_idle)(lambda: cluster.cut(host))
        assert host in told and o.job in told
        o.goes_on(START_ON_ONE)


@pytest.mark.parametrize("moment", ["computing", "idle"])
def test_a_login_host_cut_off_for_good_says_who_does_not_answer(cluster, moment):
    """The engines are well, and wait for somebody; that the notebook does not reach them is all that it can know."""
    with orchestra(cluster) as o:
        told = (o.lost_while_computing if moment == "computing" else o.lost_while_idle)(lambda: cluster.cut("login"))
        assert o.job in told and "node1" in told
        assert o.run("1 + 1").text == "2"
        cluster.heal("login")
        cluster.slurm("scancel", o.job)
        o.goes_on()
