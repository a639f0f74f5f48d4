# SPDX-License-Identifier: BSD-3-Clause
"""Engines as Slurm jobs of a cluster, driven from the login host: by scripts, by the command, by a notebook's kernel.

What is computed on several nodes is compared, bit for bit, with what one node computes.
"""

import json
import time
from pathlib import Path

import pytest
from cluster import BUILD
from login_notebook import login_notebook
from namespaces import wait_for

GAMELAN = BUILD / "bin" / "gamelan"
PROGRAMS = Path(__file__).with_name("programs.py")
ONE_NODE = ["-n", "2", "-N", "1", "--sbatch", "-w node1"]
TWO_NODES = ["-n", "4", "-N", "2", "--ntasks-per-node", "2"]


def start(cluster, *options, session="orchestra"):
    """Engines by the command line on the login host; their connection file."""
    done = cluster.run(
        "login",
        [GAMELAN, "engines", "start", "--slurm", "-t", "5", "--idle-timeout", "60", "--session", session, *options],
        check=True,
    )
    [path] = [line.partition("=")[2] for line in done.stdout.splitlines() if line.startswith("export GAMELAN_CONNECT=")]
    return path


def stop(cluster, session="orchestra"):
    cluster.run("login", [GAMELAN, "engines", "stop", session], check=True)
    wait_for(lambda: not any(cluster.processes(node, "gamelan-engine") for node in cluster.nodes), 10, "the engines' end")
    assert cluster.slurm("squeue", "-h") == ""


def compute(cluster, connection_file, *argv):
    return cluster.run("login", ["/usr/bin/python3", *argv], env={"GAMELAN_CONNECT": connection_file}, check=True).stdout


def quickest_batch_us(cluster, connection_file):
    """The least time of a batch of one small computation and the number that it brings back."""
    program = """
import time, gamelan as np
np.config.distribute_from = 0
a, taken = np.arange(70_000.0), []
for _ in range(31):
    start = time.perf_counter()
    float(a[0:1000].sum())
    taken.append(time.perf_counter() - start)
print(min(taken) * 1e6)
"""
    return float(compute(cluster, connection_file, "-c", program))


@pytest.fixture(scope="module")
def of_one_node(whole_cluster):
    """The fingerprints of all programs as four ranks of one node compute them."""
    path = start(whole_cluster, "-n", "4", "-N", "1", session="one-node")
    found = json.loads(compute(whole_cluster, path, PROGRAMS))
    stop(whole_cluster, "one-node")
    assert found["ranks"] == 4 and len(found["results"]) > 50
    return found["results"]


def test_a_script_on_the_login_host_computes_on_a_node(cluster):
    before = cluster.network.traffic()["node1"].bytes_out
    path = start(cluster, *ONE_NODE)
    assert len(cluster.processes("node1", "gamelan-engine")) >= 2 and not cluster.processes("login", "gamelan-engine")
    out = compute(
        cluster,
        path,
        "-c",
        "import gamelan as np; a = np.asarray([1.5] * 400_000); print(float(a.sum()), " "np.stats()['ranks'])",
    )
    assert out.split() == ["600000.0", "2"]
    assert cluster.network.traffic()["node1"].bytes_out - before > 8 * 400_000  # the array went there
    stop(cluster)


def test_a_notebook_on_the_login_host_computes_on_a_node(cluster):
    with login_notebook(cluster) as notebook:
        assert notebook.run("import socket; socket.gethostname()").text == "'login'"
        started = notebook.run("%engines start --slurm -t 5 -n 2 -N 1 --sbatch '-w node1'", timeout=40)
        assert started.status == "ok", started.err
        notebook.run("import gamelan as np\na = np.arange(300_000.0).reshape(500, 600)")
        cell = notebook.run("b = a[1:] - a[:-1]\nfloat(b.sum())")
        assert cell.text == str(float(499 * 600 * 600)), cell.err
        assert "ValueError" == notebook.run("a + np.ones(7)").ename
        assert notebook.run("b").text.startswith("array([[600., 600.")
        assert notebook.run("%engines stop").status == "ok"
    wait_for(lambda: not cluster.slurm("squeue", "-h"), 20, "an empty queue")
    assert not cluster.processes("node1", "gamelan-engine") and not cluster.processes("login", "gamelan-kernel")


def test_the_first_result_comes_within_five_seconds_of_sbatch(cluster):
    begun = time.monotonic()
    path = start(cluster, *ONE_NODE)
    out = compute(cluster, path, "-c", "import gamelan as np; print(float(np.ones(100_000).sum()))")
    assert out == "100000.0\n" and time.monotonic() - begun < 5
    stop(cluster)


def test_a_batch_takes_one_round_trip(cluster):
    delay_us = 20_000
    path = start(cluster, *ONE_NODE)
    cluster.set_link(delay_us, 1000)
    assert 2 * delay_us <= quickest_batch_us(cluster, path) < 2 * delay_us + 5000
    cluster.set_link(0, 0)
    stop(cluster)


def test_a_batch_on_two_nodes_takes_one_round_trip_more(cluster):
    delay_us = 20_000
    path = start(cluster, *TWO_NODES)
    cluster.set_link(delay_us, 1000)
    assert 2 * delay_us <= quickest_batch_us(cluster, path) < 5 * delay_us, "to rank 0, to the other node, and back"
    cluster.set_link(0, 0)
    stop(cluster)


def test_an_ordinary_users_notebook(cluster):
    with login_notebook(cluster, user=2001) as notebook:
        assert notebook.run("%engines start --slurm -t 5 -n 2 -N 1", timeout=40).status == "ok"
        assert notebook.run("import gamelan as np; float(np.ones(100_000).sum())").text == "100000.0"
        home = cluster.folder / "home" / "player"
        [path] = home.glob(".local/state/gamelan/*/connection.json")
        assert path.stat().st_uid == 2001 and path.stat().st_mode & 0o777 == 0o600
    wait_for(lambda: not cluster.slurm("squeue", "-h"), 20, "an empty queue")


def test_two_nodes_compute_what_one_does_bit_for_bit(cluster, of_one_node):
    path = start(cluster, *TWO_NODES)
    assert [len(cluster.processes(node, "gamelan-engine")) >= 2 for node in cluster.nodes] == [True, True]
    before = cluster.network.traffic()["node2"].bytes_in
    found = json.loads(compute(cluster, path, PROGRAMS))
    assert found["ranks"] == 4
    assert found["results"] == of_one_node
    assert cluster.network.traffic()["node2"].bytes_in - before > 100_000  # the nodes did speak to each other
    stop(cluster)


def test_a_slow_network_changes_no_bit(cluster, of_one_node):
    cluster.set_link(delay_us=1000, rate_mbit=1000)
    path = start(cluster, *TWO_NODES)
    assert json.loads(compute(cluster, path, PROGRAMS))["results"] == of_one_node
    stop(cluster)


def test_one_rank_on_each_node(cluster, of_one_node):
    path = start(cluster, "-n", "2", "-N", "2")
    found = json.loads(compute(cluster, path, PROGRAMS))
    assert found == {"ranks": 2, "results": of_one_node}
    stop(cluster)


def test_a_notebook_drives_two_nodes_of_two_ranks(cluster, of_one_node):
    with login_notebook(cluster) as notebook:
        started = notebook.run("%engines start --slurm -t 5 -n 4 -N 2 --ntasks-per-node 2", timeout=40)
        assert started.status == "ok", started.err
        ready = notebook.run(f"import sys, json; sys.path.insert(0, {str(PROGRAMS.parent)!r}); import programs")
        assert ready.status == "ok", (ready.err, ready.reply)
        cell = notebook.run("programs.main()", timeout=60)
        assert cell.status == "ok", cell.err
        assert json.loads(cell.out) == {"ranks": 4, "results": of_one_node}
