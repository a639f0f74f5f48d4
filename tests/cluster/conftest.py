# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the cluster tier: one cluster for the session, made whole again after each test; or one of a test's own.

Tests run on the machine and reach into the hosts through the object `cluster`; what hosts and tests both see lies below
`cluster.home`. Skipped with the reason where there can be no cluster.
"""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster import Cluster, why_not  # noqa: E402
from mending import clear_away, end_jobs, mend  # noqa: E402


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
    mend(whole_cluster)
    end_jobs(whole_cluster)
    whole_cluster.await_idle()
    for state in whole_cluster.folder.glob("home/*/.local"):
        shutil.rmtree(state, ignore_errors=True)
    assert not (left := clear_away(whole_cluster)), f"left over on the hosts: {left}"
