# SPDX-License-Identifier: BSD-3-Clause
"""Engines on two nodes that cannot be started: the notebook is told why and what to do, and nothing is left in the queue."""

import contextlib
import time

import pytest
from login_notebook import login_notebook
from two_nodes import LIMIT_SECONDS, START, SETUP


def refused(notebook, line, timeout=LIMIT_SECONDS):
    begin = time.monotonic()
    cell = notebook.run(line, timeout=timeout)
    print(f"told after {time.monotonic() - begin:.1f} s: {cell.err}")
    assert cell.status == "error"
    assert notebook.run("1 + 1").text == "2"
    return cell.err + "\n".join(each["evalue"] for each in cell.of_type("error"))


def starts(notebook):
    begin = notebook.run(START, timeout=40)
    assert begin.status == "ok", begin.err
    assert notebook.run(SETUP + "turn()\nis_right()").text == "True"


def test_without_slurms_controller(cluster):
    with login_notebook(cluster) as notebook:
        cluster.stop_slurmctld()
        told = refused(notebook, START)
        assert "slurmctld is down or cannot be reached" in told and "scontrol ping" in told
        cluster.start_slurmctld()
        cluster.await_idle()
        starts(notebook)


def test_with_a_full_queue(cluster):
    other = cluster.slurm("sbatch", "--parsable", "-N2", "--exclusive", "-o/dev/null", "--wrap", "sleep 600")
    with login_notebook(cluster) as notebook:
        begin = time.monotonic()
        told = refused(notebook, START + " --timeout 8")
        assert time.monotonic() - begin < LIMIT_SECONDS
        assert "did not serve within 8 s" in told and "waits" in told and "The job was cancelled" in told
        assert cluster.slurm("squeue", "-h", "-o", "%i") == other
        cell = notebook.send(START)
        notebook.until(
            cell, lambda c: "waits" in c.out + c.err + str(c.of_type("display_data", "update_display_data")), timeout=15
        )
        cluster.slurm("scancel", other)
        assert notebook.finish(cell, timeout=30).status == "ok", cell.err
        assert notebook.run(SETUP + "turn()\nis_right()").text == "True"


def test_with_a_pmi_that_mpi_does_not_know(cluster):
    with login_notebook(cluster, env={"GAMELAN_SRUN_OPTIONS": "--mpi=pmi2"}) as notebook:
        told = refused(notebook, START)
        assert "each rank believed to be alone" in told and "--mpi=pmix" in told
        assert cluster.slurm("squeue", "-h") == ""
        assert notebook.run("import os; del os.environ['GAMELAN_SRUN_OPTIONS']").status == "ok"
        starts(notebook)


# The ports that the system gives to programs: Slurm's get some of the first range, engines of the second; MPI counts its
# own up from 1024.
RANGE, PORTS_BEFORE, PORTS = "net.ipv4.ip_local_port_range", "33000 40000", "41000 45000"
# On node2: first packets of connections to such ports on node1 go into a queue that has no room.
WALL = """tc qdisc add dev eth0 root handle 1: htb default 1
tc class add dev eth0 parent 1: classid 1:1 htb rate 10gbit
tc class add dev eth0 parent 1: classid 1:2 htb rate 10gbit
tc qdisc add dev eth0 parent 1:2 bfifo limit 1
tc filter add dev eth0 parent 1: protocol ip u32 match ip dst {parent} match ip protocol 6 0xff match ip dport 0xa000 0xf000 match u8 0x02 0x12 at 33 flowid 1:2"""


@contextlib.contextmanager
def firewall(cluster):
    """Between the engines on node2 and those on node1; yields srun's options for it."""

    def on(host, script):
        return cluster.run(host, ["bash", "-ec", script])

    before = on("node1", f"sysctl -n {RANGE}").stdout.strip()
    built = on("node2", WALL.format(parent=cluster.address("node1")))
    try:
        if built.returncode:
            pytest.skip(f"no firewall can be built here: {built.stderr.strip()}")
        assert on("node1", f"sysctl -qw '{RANGE}={PORTS_BEFORE}'").returncode == 0
        prolog = cluster.folder / "task-prolog"
        prolog.write_text(f"#!/bin/sh\nexec sysctl -qw '{RANGE}={PORTS}'\n")
        prolog.chmod(0o755)
        yield f"--mpi=pmix --task-prolog={prolog}"
    finally:
        on("node2", "tc qdisc del dev eth0 root")
        on("node1", f"sysctl -qw '{RANGE}={before}'")


def test_with_a_firewall_between_the_nodes(cluster):
    """MPI gets through it, the engines' own connections do not."""
    with firewall(cluster) as options, login_notebook(cluster, env={"GAMELAN_SRUN_OPTIONS": options}) as notebook:
        told = refused(notebook, START, timeout=45)
    assert f"node2 cannot reach node1 ({cluster.address('node1')}" in told and "a firewall between them?" in told
    assert "not been heard" not in told and "is gone" not in told
