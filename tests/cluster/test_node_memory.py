# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints in the memory of two nodes (`np.config.protect = "memory"`): ranks, jobs and a node are lost, memory is lost or
damaged, and the arrays are there again, on any number of ranks."""

import pytest
from namespaces import wait_for
from two_nodes import START, engines_on, orchestra

FOLDER = "/dev/shm/gamelan-kept-0"
ON_NODE_2 = '%engines start --slurm -t 5 -N 1 --ntasks-per-node 3 --sbatch "-w node2"'
ON_NODE_1 = '%engines start --slurm -t 5 -N 1 --ntasks-per-node 3 --sbatch "-w node1"'
MADE = """
np.config.gather_limit = 10**9
rng = numpy.random.default_rng(4)
values = dict(a=rng.random(600_000), m=rng.random((2001, 150)), t=rng.integers(0, 9, (40, 50, 60)), f=rng.random(300_000) > 0.5)
arrays = {name: np.array(value) for name, value in values.items()}
for turn in range(40): arrays["a"] += 1; values["a"] += 1
np.sync()
written = np.checkpoint()
def are_right():
    return all(numpy.array_equal(numpy.asarray(arrays[name]), value) for name, value in values.items())
def error_of(name):
    try: return str(float(arrays[name].sum()))
    except Exception as error: return f"{type(error).__name__}: {error}"
written > sum(value.nbytes for value in values.values()) - 1, are_right()
"""
AGAIN = "are_right(), np.stats()['ranks'], np.stats()['log_commands'] < 10"


def files_on(cluster, node, what="*"):
    return cluster.run(node, ["bash", "-c", f"ls -d {FOLDER}/pieces-*/*/*/{what} 2>/dev/null"]).stdout.split()


def run(o, code, timeout=40):
    cell = o.run(code, timeout=timeout)
    assert cell.status == "ok", (cell.err, cell.of_type("error"))
    return cell.text


def await_loss(o):
    """The engines have ended, or soon will, and the notebook has heard of it."""
    wait_for(lambda: o.run("float((arrays['a'] + 1).sum())").ename == "EngineLostError", 20, "the loss", between=0.2)


def start_again(o, line, ranks):
    """New engines have the arrays, from the checkpoint."""
    o.await_no_engines()
    run(o, line)
    assert run(o, AGAIN) == f"(True, {ranks}, True)"


@pytest.fixture
def protected(cluster):
    with orchestra(cluster, env={"GAMELAN_PROTECT": "memory"}) as o:
        assert run(o, MADE) == "(True, True)"
        yield o
    for node in cluster.nodes:
        assert not files_on(cluster, node), "they go with the session"


def test_a_rank_and_a_job_are_lost(cluster, protected):
    o = protected
    for node in cluster.nodes:
        kept = [name.rpartition("/")[2] for name in files_on(cluster, node)]
        assert len(kept) == 20 and len([name for name in kept if name.endswith("-copy")]) == 10, kept
    o.kill(3)
    await_loss(o)
    start_again(o, START, 4)
    cluster.slurm("scancel", "--user=root")
    await_loss(o)
    start_again(o, "%engines start --slurm -t 5 -N 2 --ntasks-per-node 1", 2)
    run(o, "arrays['a'] *= 2; values['a'] *= 2; np.checkpoint()")
    cluster.slurm("scancel", "--user=root")
    await_loss(o)
    start_again(o, ON_NODE_2, 3)
    run(o, "%engines restart")
    assert run(o, AGAIN) == "(True, 3, True)"
    cluster.run("node1", ["rm", "-rf", FOLDER], check=True)  # no engine is there that would remove it


def test_a_node_is_lost_with_its_memory(cluster, protected):
    o = protected
    cluster.power_off("node2")
    await_loss(o)
    start_again(o, ON_NODE_1, 3)
    run(o, "arrays['a'] += 3; values['a'] += 3; np.checkpoint()")  # of one node
    wait_for(lambda: run(o, "1 + 1") and not files_on(cluster, "node1", "*-copy"), 10, "the end of the checkpoint before")
    # Of a node that is back before Slurm has missed it, Slurm waits for the end of the job that was there.
    wait_for(lambda: "down" in cluster.slurm("sinfo", "-h", "-N", "-n", "node2", "-o", "%T"), 60, "Slurm's notice")
    cluster.power_on("node2")
    cluster.slurm("scancel", "--user=root")
    await_loss(o)
    cluster.await_idle()
    start_again(o, START, 4)


@pytest.mark.parametrize("node", ["node1", "node2"])
def test_memory_is_lost_or_damaged(cluster, protected, node):
    """One copy is damaged, and the other one read; then those of one array are gone, which is named."""
    o = protected
    other = "node2" if node == "node1" else "node1"
    change = "import sys\nf = open(sys.argv[1], 'r+b'); f.seek(77); b = f.read(1)[0] ^ 4; f.seek(77); f.write(bytes([b]))"
    for file in files_on(cluster, node, "0-*"):
        cluster.run(node, ["/usr/bin/python3", "-c", change, file], check=True)
    o.kill(0)
    await_loss(o)
    start_again(o, START, 4)
    cluster.run(node, ["rm", "-rf", FOLDER], check=True)
    cluster.slurm("scancel", "--user=root")
    await_loss(o)
    start_again(o, START, 4)
    lost = run(o, "hex(arrays['m']._b.id)[2:]").strip("'")
    for file in files_on(cluster, other, "0-*"):
        if f"/{lost}/" in file:
            cluster.run(other, ["/usr/bin/python3", "-c", change, file], check=True)
    o.kill(1)
    await_loss(o)
    o.await_no_engines()
    run(o, START)
    told = run(o, "error_of('m')")
    assert "EngineLostError: this array was lost with its engines" in told and "do not have byte 0 of" in told, told
    assert run(o, "del arrays['m'], values['m']\nare_right()") == "True"


def test_engines_on_one_other_host(cluster):
    """No buddy, and the notebook is elsewhere."""
    with orchestra(cluster, env={"GAMELAN_PROTECT": "memory"}) as o:
        run(o, "%engines stop")
        o.await_no_engines()
        run(o, ON_NODE_1)
        assert run(o, MADE) == "(True, True)"
        [pid] = list(engines_on(cluster, "node1").values())[:1]
        cluster.run("node1", ["kill", "-9", str(pid)], check=True)
        await_loss(o)
        start_again(o, ON_NODE_1, 3)
        run(o, "%engines stop")
        assert not files_on(cluster, "node1")
