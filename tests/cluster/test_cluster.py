# SPDX-License-Identifier: BSD-3-Clause
"""The cluster itself: hosts that are apart, a Slurm that starts MPI over several of them, and nothing left at the end."""
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster import Cluster, ClusterError
from namespaces import wait_for


def test_hosts_are_apart_and_share_a_file_system(cluster):
    assert cluster.slurm("srun", "-N2", "hostname").split() == ["node1", "node2"]
    cluster.run("node1", ["touch", "/tmp/mine", "/dev/shm/mine", cluster.home / "ours"], check=True)
    assert cluster.run("node2", ["ls", "/tmp", "/dev/shm"], check=True).stdout.split() == ["/dev/shm:", "/tmp:"]
    assert cluster.run("node2", ["ls", cluster.home], check=True).stdout.split() == ["ours"]
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
