# SPDX-License-Identifier: BSD-3-Clause
"""How a cluster ends: whoever dies, and however, its processes, namespaces, devices and folder go with it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import Cluster, ClusterError, why_not
from namespaces import wait_for

HOLDER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from cluster import Cluster
with Cluster(nodes=2, ssh=False) as cluster:
    cluster.popen("node1", ["sleep", "1000"])
    cluster.slurm("sbatch", "-N2", "-o/dev/null", "--wrap", "srun sleep 1000")
    print(cluster.folder, cluster._guard.holder, cluster._guard._process.pid, flush=True)
    time.sleep(60)
"""
HERE = str(Path(__file__).resolve().parent)


@pytest.fixture(autouse=True)
def possible():
    reason = why_not()
    if reason:
        pytest.skip(reason)


def namespaces_of(pid):
    return {os.readlink(f"/proc/{pid}/ns/{kind}") for kind in ("pid", "net", "mnt", "uts", "ipc")}


def members(folder):
    """Processes that have the cluster's folder in their arguments or environment, or stand in it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            place = os.readlink(entry / "cwd")
        except OSError:
            continue
        if folder.encode() in words or place.startswith(folder):
            found.append(int(entry.name))
    return found


@pytest.fixture
def other():
    """A cluster of another process: (that process, folder, PID 1 of the cluster, guard)."""
    devices = sorted(os.listdir("/sys/class/net"))
    process = subprocess.Popen([sys.executable, "-c", HOLDER, HERE], stdout=subprocess.PIPE, text=True)
    try:
        folder, holder, guard = process.stdout.readline().split()
        assert sorted(os.listdir("/sys/class/net")) == devices  # the machine's own network is not touched
        wait_for(lambda: len([pid for pid in members(folder) if "sleep" in command(pid)]) >= 3, 20, "the job's start")
        yield process, folder, int(holder), int(guard)
        assert sorted(os.listdir("/sys/class/net")) == devices
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def nobody_in(spaces):
    """Whether no process at all is in any of these namespaces."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if namespaces_of(entry.name) & spaces:
                return False
        except OSError:
            continue
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_owner_is_killed(other, number):
    process, folder, holder, guard = other
    spaces = set().union(*(namespaces_of(pid) for pid in members(folder))) - namespaces_of(os.getpid())
    assert len(spaces) > 15  # five kinds for each of three hosts, and those of the cluster
    process.send_signal(number)
    process.wait(10)
    wait_for(lambda: not Path(folder).exists(), 10, "the folder's end")
    wait_for(lambda: not members(folder) and nobody_in(spaces), 10, "the end of all processes")


def test_the_guard_is_killed_and_the_next_cluster_clears_up(other):
    process, folder, holder, guard = other
    os.kill(guard, signal.SIGKILL)
    wait_for(lambda: members(folder) in ([], [process.pid]), 10, "the end of all processes")
    assert Path(folder).exists()
    with Cluster(nodes=1, ssh=False):
        assert not Path(folder).exists()


def test_two_clusters_side_by_side(other):
    _, folder, *_ = other
    with Cluster(nodes=2, ssh=False) as mine:
        assert str(mine.folder) != folder
        assert mine.slurm("squeue", "-h") == ""  # the other has a job
        assert sorted(mine.slurm("srun", "-N2", "hostname").split()) == ["node1", "node2"]
    assert Path(folder).exists() and any("slurmctld" in command(pid) for pid in members(folder))


def test_a_cluster_that_does_not_come_up_says_why(monkeypatch):
    monkeypatch.setattr("slurm_files.SLURM_CONF", "ClusterName=broken\nNoSuchOption=1\n{nodes}\n")
    before = set(Path("/var/tmp").glob("orchestra-*"))
    with pytest.raises(ClusterError, match="(?s)did not come up.*NoSuchOption"):
        Cluster(nodes=1).up()
    assert set(Path("/var/tmp").glob("orchestra-*")) <= before
