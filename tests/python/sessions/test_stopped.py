# SPDX-License-Identifier: BSD-3-Clause
"""Engines that are stopped for a while and go on, as under `scontrol suspend`, gang scheduling or a machine on pause."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

import engines

pytestmark = pytest.mark.only_on(4)  # two nodes of two ranks
NODE_TIMEOUT_S, IDLE_TIMEOUT_S, STOPPED_S = 2, 5, 6
CLIENT = """
import sys, time
import gamelan as np
a = np.arange(100_000.0)
print(float(a.sum()), flush=True)
for line in sys.stdin:
    begin, turns = time.monotonic(), 0
    while time.monotonic() - begin < float(line):
        a[1:] = a[:-1] + 1
        a[0] = 0
        turns += 1
        if turns % 20 == 0:
            float(a[7])
    print(float(a.sum()) == 99_999 * 50_000, flush=True)
"""


@pytest.fixture
def running():
    them = engines.Engines(4, ranks_per_node=2, options=["--node-timeout", NODE_TIMEOUT_S, "--idle-timeout", IDLE_TIMEOUT_S])
    yield them
    for pid in them.pids() if them.process.poll() is None else ():
        os.kill(pid, signal.SIGCONT)
    them.stop()


@contextlib.contextmanager
def client_of(running):
    """A program with an array there, which computes when it is told to."""
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "GAMELAN_CONNECT": str(running.connection_file), "GAMELAN_DISTRIBUTE_FROM": "0"},
    ) as client:
        try:
            assert client.stdout.readline() == "4999950000.0\n", client.stderr.read()
            yield client
        finally:
            client.kill()


def signal_all(pids, number):
    for pid in pids:
        os.kill(pid, number)


def computes(client, seconds):
    client.stdin.write(f"{seconds}\n")
    client.stdin.flush()


@pytest.mark.parametrize("moment", ["idle", "computing"])
def test_engines_on_two_nodes_go_on_after_a_stop(running, moment):
    with client_of(running) as client:
        pids = running.pids()
        assert len(pids) == 4
        if moment == "computing":
            computes(client, 1.5)
        time.sleep(1)
        signal_all(pids, signal.SIGSTOP)
        time.sleep(STOPPED_S)
        signal_all(pids, signal.SIGCONT)
        if moment == "computing":
            assert client.stdout.readline() == "True\n", client.stderr.read() + running.log.read_text()
        time.sleep(1.5 * NODE_TIMEOUT_S)
        computes(client, 0.5)
        assert client.stdout.readline() == "True\n", client.stderr.read() + running.log.read_text()
        assert running.pids() == pids and "node" not in running.log.read_text()


def test_the_patience_of_engines_without_a_client_is_not_used_up_while_they_are_stopped(running):
    pids = running.pids()
    time.sleep(1)
    signal_all(pids, signal.SIGSTOP)
    time.sleep(STOPPED_S)
    signal_all(pids, signal.SIGCONT)
    time.sleep(1.5)
    assert running.process.poll() is None, running.log.read_text()
    assert running.process.wait(IDLE_TIMEOUT_S + 5) == 0
    assert "no client was heard for 5 s" in running.log.read_text()


def test_a_rank_of_another_node_that_is_stopped_is_named(running):
    with client_of(running) as client:
        last = running.pids()[3]
        signal_all([last], signal.SIGSTOP)
        computes(client, 0.5)
        told = client.stderr.readline()
        assert f"rank 3 on {socket.gethostname()} (process {last}) is stopped (noticed at " in told
        signal_all([last], signal.SIGCONT)
        assert client.stdout.readline() == "True\n", client.stderr.read() + running.log.read_text()
        client.stdin.close()
        assert "the engines answer again" in client.stderr.read()


def test_a_node_that_is_stopped_alone_counts_as_lost(running):
    time.sleep(1)
    signal_all(running.pids()[2:], signal.SIGSTOP)
    begin = time.monotonic()
    while not re.search("has not been heard by .+ for 2 s", running.log.read_text()):
        assert time.monotonic() - begin < 5 * NODE_TIMEOUT_S, running.log.read_text()
        time.sleep(0.1)
    assert time.monotonic() - begin > 0.8 * NODE_TIMEOUT_S
