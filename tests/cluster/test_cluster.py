# SPDX-License-Identifier: BSD-3-Clause
"""The cluster itself: hosts that are apart, a Slurm that starts MPI over several of them, and nothing left at the end."""

import json
import subprocess

import link_probe
import pytest
from cluster import BUILD, ClusterError
from mending import mend
from namespaces import wait_for
from slurm_files import why_no_ssh


def test_hosts_are_apart_and_share_a_file_system(cluster):
    assert sorted(cluster.slurm("srun", "-N2", "hostname").split()) == ["node1", "node2"]
    cluster.run("node1", ["touch", "/tmp/mine", "/dev/shm/mine", cluster.home / "ours"], check=True)
    there = cluster.run("node2", ["ls", "/tmp", "/dev/shm"], check=True).stdout.split()
    # Slurm 24 makes a folder for the PMIx of each step, and removes it when it likes.
    assert [name for name in there if not name.startswith("spmix_appdir")] == ["/dev/shm:", "/tmp:"]
    assert cluster.run("node2", ["ls", cluster.home], check=True).stdout.split() == ["ours"]
    cluster.run("node1", ["rm", "/tmp/mine", "/dev/shm/mine"], check=True)
    assert len(cluster.processes("login")) < 20 and cluster.processes("login", "slurmctld")
    assert not cluster.processes("node1", "slurmctld")


def test_jobs_are_run_and_remembered(cluster):
    job = cluster.slurm("sbatch", "--parsable", "-N2", "-o", cluster.home / "job.out", "--wrap", "srun hostname; exit 3")
    wait_for(lambda: not cluster.slurm("squeue", "-h"), 20, "the job's end")
    assert sorted((cluster.home / "job.out").read_text().split()) == ["node1", "node2"]
    assert cluster.slurm("sacct", "-c", "-n", "-P", "-j", job, "-o", "state") == "FAILED"


def test_an_ordinary_user_has_jobs_and_a_private_home(cluster):
    done = cluster.run("login", ["srun", "-N2", "id", "-un"], user=2001, check=True)
    assert done.stdout.split() == ["player", "player"]
    assert cluster.run("node2", ["ls", cluster.home], user=2001).returncode != 0
    with open("/etc/passwd") as file:
        assert "player:x:2001" not in file.read()


def test_ssh_from_login_to_nodes(cluster):
    if not cluster.ssh:
        pytest.skip(why_no_ssh())
    for user in (None, 2001):
        assert cluster.run("login", ["ssh", "node2", "hostname"], user=user, check=True).stdout == "node2\n"


def test_a_command_that_takes_too_long_is_killed(cluster):
    with pytest.raises(subprocess.TimeoutExpired):
        cluster.run("node1", ["sleep", "1234"], timeout=0.5)
    wait_for(lambda: not cluster.processes("node1", "sleep 1234"), 5, "the end of sleep")
    with pytest.raises(ClusterError, match="exit code 1"):
        cluster.run("node1", ["false"], check=True)
    with pytest.raises(ClusterError, match="Invalid partition"):
        cluster.slurm("sbatch", "-p", "nowhere", "--wrap", "true")


def test_mpi_goes_over_the_network_between_nodes_and_nowhere_else_within(cluster):
    size = 4_000_000

    def probe(*options):
        before = cluster.network.traffic()["node1"]
        done = cluster.slurm("srun", "--mpi=pmix", "-K", *options, BUILD / "tests" / "mpi_probe", size, timeout=40)
        return json.loads(done), cluster.network.traffic()["node1"].bytes_in - before.bytes_in

    apart, sent = probe("-N2", "-n4", "--ntasks-per-node=2")
    assert (apart["ranks"], apart["together"], apart["sum"]) == (4, 2, 6)
    assert 2 * size < sent < 2.5 * size
    together, sent = probe("-N1", "-n4", "-w", "node1")
    assert (together["ranks"], together["together"]) == (4, 4) and sent < size / 10


@pytest.mark.parametrize("delay_us, rate_mbit", [(0, 100), (1000, 1000), (10_000, 300)])
def test_delay_and_rate_are_what_was_set(cluster, delay_us, rate_mbit):
    """Nothing is faster than the link, whatever the machine does; slower only by what a busy machine may add."""
    cluster.set_link(delay_us, rate_mbit)
    seen = link_probe.between(cluster, "node1", "node2", size=int(rate_mbit * 1e6 / 8 * 0.4))
    assert 2 * delay_us <= seen["round_trip_us"] < 2 * delay_us + 5000
    assert 0.4 * rate_mbit < seen["mbit_per_second"] <= rate_mbit


def test_the_link_changes_while_it_is_used(cluster):
    cluster.set_link(20_000, 0)
    slow = link_probe.between(cluster, "login", "node2", size=1 << 20)["round_trip_us"]
    cluster.set_link(0, 0)
    assert slow > 40_000 > 4 * link_probe.between(cluster, "login", "node2", size=1 << 20)["round_trip_us"]


def test_a_cut_is_survived_by_what_waits_and_seen_by_what_does_not(cluster):
    ask = ["bash", "-c", "exec 3<>/dev/tcp/node2/6818 && echo connected"]  # slurmd's port
    assert "connected" in cluster.run("node1", ask).stdout
    dropped = cluster.network.traffic()["node2"].dropped
    cluster.cut("node2")
    waiting = cluster.popen("node1", ask, text=True, stdout=subprocess.PIPE)
    assert "connected" not in cluster.run("node1", ["timeout", "1", *ask]).stdout
    assert cluster.network.traffic()["node2"].dropped > dropped
    cluster.heal("node2")
    assert "connected" in waiting.communicate(timeout=20)[0]


def test_a_node_without_power_is_noticed_and_comes_back(cluster):
    job = cluster.slurm("sbatch", "--parsable", "--no-requeue", "-w", "node2", "-o/dev/null", "--wrap", "sleep 600")
    wait_for(lambda: cluster.processes("node2", "sleep 600"), 10, "the job's start")
    cluster.power_off("node2")
    with pytest.raises(ClusterError, match="node2 is off"):
        cluster.run("node2", ["true"])
    wait_for(lambda: "NODE_FAIL" in cluster.slurm("scontrol", "show", "job", job), 40, "Slurm's notice")
    assert cluster.run("node1", ["true"]).returncode == 0
    cluster.power_on("node2")
    cluster.await_idle()
    assert cluster.slurm("srun", "-w", "node2", "hostname") == "node2"
    assert not cluster.processes("node2", "sleep 600")


def test_what_a_test_breaks_is_mended(cluster):
    cluster.cut("node1")
    cluster.set_link(50_000, 10)
    cluster.stop_slurmctld()
    cluster.run("node2", ["pkill", "-9", "slurmd"], check=True)
    mend(cluster)
    cluster.await_idle()
    assert sorted(cluster.slurm("srun", "-N2", "hostname").split()) == ["node1", "node2"]


def test_slurmctld_stops_and_starts_again(cluster):
    cluster.stop_slurmctld()
    with pytest.raises(ClusterError, match="Unable to contact slurm controller"):
        cluster.slurm("squeue")
    cluster.start_slurmctld()
    cluster.await_idle()


def test_the_login_host_reboots(cluster):
    cluster.power_off("login")
    cluster.power_on("login")
    cluster.await_idle()
    assert cluster.slurm("srun", "-N2", "-l", "true") == ""
