# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the cluster tier: one cluster for the session, made whole again after each test; or one of a test's own.

Tests run on the machine and reach into the hosts through the object `cluster`; what hosts and tests both see lies below
`cluster.home`. Skipped with the reason where there can be no cluster.
"""
import shutil
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster import Cluster, why_not  # noqa: E402

JOBS_END_SECONDS = 20
ORPHANS_SECONDS = 5


@pytest.fixture(scope="session")
def whole_cluster():
    """Two nodes of four CPUs and a login host, with sshd on the nodes where it is installed. Tests ask for `cluster`."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with Cluster(nodes=2) as up:
        yield up


@pytest.fixture
def cluster(whole_cluster):
    """The session's cluster: idle, all hosts on, the network as fast as the machine; and so again afterwards."""
    yield whole_cluster
    whole_cluster.network.set_link(0, 0)
    for host in whole_cluster.numbers:
        whole_cluster.heal(host)
        if not whole_cluster.is_on(host):
            whole_cluster.power_on(host)
    end_jobs(whole_cluster)
    whole_cluster.await_idle()
    shutil.rmtree(whole_cluster.home / ".local", ignore_errors=True)
    assert not (left := clear_away(whole_cluster)), f"left over on the hosts: {left}"


def end_jobs(cluster):
    """Cancel what is in the queue and wait until it is empty."""
    deadline = time.monotonic() + JOBS_END_SECONDS
    while cluster.slurm("squeue", "-h"):
        cluster.run("login", ["scancel", "--user=root"])
        cluster.run("login", ["scancel", "--user=player"])
        assert time.monotonic() < deadline, f"jobs do not end: {cluster.slurm('squeue')}"
        time.sleep(0.2)


def clear_away(cluster):
    """Orphans of ours, which are named and then ended, so that the next test is not blamed for them."""
    deadline = time.monotonic() + ORPHANS_SECONDS
    while (left := {host: orphans for host in cluster.numbers if (orphans := orphans_on(cluster, host))}):
        if time.monotonic() > deadline:
            break
        time.sleep(0.2)
    for host, (processes, files) in left.items():
        cluster.run(host, ["kill", "-9", *processes])
        cluster.run(host, ["rm", "-rf", *(f"/dev/shm/{name}" for name in files)])
    return left


def orphans_on(cluster, host):
    """(Processes of Gamelan, files in shared memory) of a host, or None."""
    processes = cluster.processes(host, "gamelan-")
    files = cluster.run(host, ["ls", "-A", "/dev/shm"], check=True).stdout.split()
    return (processes, files) if processes or files else None
