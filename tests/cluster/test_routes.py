# SPDX-License-Identifier: BSD-3-Clause
"""Ways from the login host to rank 0, and what happens to them: cut cables, killed tunnels, other users.

Engines run as a Slurm job on node1. With GAMELAN_BIND=127.0.0.1 they listen where only their own node reaches them, as
behind the wall that many clusters have between login and compute nodes.
"""

import re
import signal
import time

import pytest
from client import Client, now
from cluster import BUILD, PATH
from namespaces import wait_for

GAMELAN = BUILD / "bin" / "gamelan"
OTHER_USER = 2001
SUM = "float((np.arange(100_000.0) * 2).sum())"
TOTAL = 9999900000.0


def start(cluster, *, walled=False, user=None, idle=60):
    """Engines on node1; (connection file, job)."""
    env = {"GAMELAN_BIND": "127.0.0.1"} if walled else {}
    done = cluster.run(
        "login",
        [
            GAMELAN,
            "engines",
            "start",
            "--slurm",
            "-t",
            "5",
            "--idle-timeout",
            str(idle),
            "-n",
            "2",
            "-N",
            "1",
            "--sbatch",
            "-w node1",
        ],
        env=env,
        user=user,
        check=True,
    )
    [path] = [line.partition("=")[2] for line in done.stdout.splitlines() if line.startswith("export GAMELAN_CONNECT=")]
    return path, cluster.slurm("squeue", "-h", "-o", "%A")


def tunnels(cluster):
    """Processes of tunnels on all hosts."""
    return {
        host: found
        for host in cluster.numbers
        if (found := {**cluster.processes(host, "--relay"), **cluster.processes(host, "ssh -o")})
    }


def status(cluster, path):
    return cluster.run("login", [GAMELAN, "engines", "status", path], check=True).stdout


def without_srun(cluster):
    """A PATH on which srun gets nowhere."""
    folder = cluster.home / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "srun").write_text("#!/bin/sh\necho 'srun: error: not from here' >&2\nexit 1\n")
    (folder / "srun").chmod(0o755)
    return f"{folder}:{PATH}"


def test_engines_that_can_be_reached_are_reached_directly(cluster):
    path, _ = start(cluster)
    with Client(cluster, path) as client:
        assert client.ask(SUM) == TOTAL
        assert re.fullmatch(r"direct tcp://10\.77\.0\.1:\d+", client.ask("_session.route()"))
        assert "route: direct tcp://10.77.0.1:" in status(cluster, path)
        assert not tunnels(cluster)


def test_behind_a_wall_a_step_of_the_job_is_the_tunnel(cluster):
    path, job = start(cluster, walled=True)
    with Client(cluster, path) as client:
        assert client.ask(SUM) == TOTAL
        assert client.ask("_session.route()") == f"srun relay through job {job}"
        assert f"route: srun relay through job {job}" in status(cluster, path)
        # Arrays that are larger than any buffer on the way, both ways.
        assert client.ask("bool((np.asarray(__import__('numpy').arange(3e6)) + 1 == np.arange(3e6) + 1).all())") is True
        assert client.ask("float(__import__('numpy').asarray(np.arange(3e6)).sum())") == 4499998500000.0
        assert list(tunnels(cluster)) == ["login", "node1"]
    wait_for(lambda: not tunnels(cluster), 5, "the end of the tunnel with its client")
    assert cluster.slurm("squeue", "-h", "-o", "%A") == job  # the engines stay


def test_a_notebook_in_a_job_of_its_own_asks_nothing_of_the_engines_job(cluster):
    """As under JupyterHub: what srun would take for wishes does not fit into the engines' job."""
    path, job = start(cluster, walled=True)
    given = {
        "SLURM_JOB_ID": "999",
        "SLURM_NTASKS": "64",
        "SLURM_CPUS_PER_TASK": "64",
        "SLURM_MEM_PER_NODE": "999999",
        "SLURM_GPUS": "4",
    }
    with Client(cluster, path, GAMELAN_ROUTE="srun", **given) as client:
        assert client.ask(SUM) == TOTAL
        assert client.ask("_session.route()") == f"srun relay through job {job}"
    wait_for(lambda: not tunnels(cluster), 5, "the end of the tunnel with its client")


def test_the_doctor_tries_every_way(cluster):
    path, job = start(cluster, walled=True)
    told = cluster.run("login", [GAMELAN, "doctor"], env={"GAMELAN_CONNECT": path}).stdout
    assert f"[ ok ] route: srun relay through job {job}: rank 0 of session" in told, told
    assert "[warn] route: direct does not lead to session" in told, told
    assert not cluster.ssh or "[ ok ] route: ssh tunnel through node1" in told, told
    wait_for(lambda: not tunnels(cluster), 5, "the end of the tunnels")


def test_without_srun_ssh_is_the_tunnel(cluster):
    if not cluster.ssh:
        pytest.skip("no sshd on the nodes")
    path, _ = start(cluster, walled=True)
    with Client(cluster, path, GAMELAN_ROUTE="ssh") as client:
        assert client.ask(SUM) == TOTAL
        assert client.ask("_session.route()") == "ssh tunnel through node1"
        assert client.ask("float(__import__('numpy').asarray(np.arange(3e6)).sum())") == 4499998500000.0
    wait_for(lambda: not tunnels(cluster), 5, "the end of the tunnel with its client")
    # srun that does not get through: the next way is taken.
    with Client(cluster, path, PATH=without_srun(cluster)) as client:
        assert client.ask(SUM) == TOTAL
        assert client.ask("_session.route()") == "ssh tunnel through node1"
    wait_for(lambda: not tunnels(cluster), 5, "the end of the tunnel with its client")


def test_a_client_that_is_killed_leaves_no_tunnel(cluster):
    path, _ = start(cluster, walled=True)
    for route in ["srun"] + ["ssh"] * cluster.ssh:
        client = Client(cluster, path, GAMELAN_ROUTE=route)
        assert client.ask(SUM) == TOTAL and tunnels(cluster)
        client.kill()
        wait_for(lambda: not tunnels(cluster), 10, f"the end of {route} with its client")


def test_a_tunnel_that_dies_is_made_again(cluster):
    path, _ = start(cluster, walled=True)
    for route in ["srun"] + ["ssh"] * cluster.ssh:
        with Client(cluster, path, GAMELAN_ROUTE=route) as client:
            client.ask("do a = np.zeros(100_000)")
            for turn in range(3):
                [*pids] = {**cluster.processes("login", "--relay"), **cluster.processes("login", "ssh -o")}
                cluster.run("login", ["kill", "-9", *map(str, pids)])  # srun's second process may be gone with the first
                client.ask("do a += 1")
                assert client.ask("float(a.sum())") == 100_000.0 * (turn + 1)
            assert client.ask("_core.connections()") == 4
            assert client.ask("_session.route()").endswith("connection number 4")


def test_no_way_at_all_names_each(cluster):
    path, job = start(cluster, walled=True)
    done = cluster.run(
        "login",
        ["/usr/bin/python3", "-c", "import gamelan as np; np.ones(100_000)"],
        env={"GAMELAN_CONNECT": path, "GAMELAN_SSH": "ssh -p 1", "PATH": without_srun(cluster)},
    )
    last = done.stderr.splitlines()[-1]
    assert "node1 cannot be reached: direct: tcp://127.0.0.1:" in last and "nobody listens there" in last
    assert f"srun relay through job {job}: " in last and "srun: error: not from here" in last
    assert "ssh tunnel through node1: ssh: connect to host node1 port 1: Connection refused" in last
    assert "Traceback" not in last and done.returncode == 1


def test_five_seconds_without_network_are_survived_and_nothing_is_done_twice(cluster):
    path, _ = start(cluster)
    with Client(cluster, path) as client:
        client.ask("do a = np.zeros(100_000); np.sync()")
        begun, turns = now(), 0
        for cut in range(2):
            for _ in range(10):
                client.ask("do a += 1; np.sync()")
                turns += 1
            client.send("do a += 1; np.sync()") if cut else None
            cluster.cut("node1")
            if not cut:
                client.send("do a += 1; np.sync()")
            turns += 1
            time.sleep(5)
            cluster.heal("node1")
            healed = now()
            answer = client.await_answer(15)
            assert "error" not in answer, answer
            print(f"answered {now() - healed:.2f} s after the network came back")
            assert now() - healed < 4
        assert client.ask("float(a[0])") == turns and client.ask("float(a.sum())") == 100_000.0 * turns
        assert now() - begun < 40


def test_five_seconds_without_network_are_survived_by_tunnels(cluster):
    path, _ = start(cluster, walled=True)
    for route in ["srun"] + ["ssh"] * cluster.ssh:
        with Client(cluster, path, GAMELAN_ROUTE=route) as client:
            client.ask("do a = np.zeros(100_000); np.sync()")
            cluster.cut("node1")
            client.send("do a += 1; np.sync()")
            time.sleep(5)
            cluster.heal("node1")
            healed = now()
            answer = client.await_answer(15)
            print(f"{route}: answered {now() - healed:.2f} s after the network came back, {client.ask('_session.route()')}")
            assert "error" not in answer, answer
            assert now() - healed < 8 and client.ask("float(a.sum())") == 100_000.0


def test_what_takes_longer_than_a_silence_is_no_silence(cluster):
    for walled in (False, True):
        path, job = start(cluster, walled=walled)
        with Client(cluster, path) as client:
            assert client.ask(SUM) == TOTAL
            client.ask("do import numpy; here = numpy.arange(1.5e6); there = np.arange(1.5e6); np.sync()")
            cluster.set_link(delay_us=100, rate_mbit=7)  # 12 MB take 14 s
            for line in ["do moved = np.asarray(here); np.sync()"] + ["assert (numpy.asarray(there) == here).all()"] * walled:
                client.send(line if line.startswith("do") else f"do {line}")
                answer = client.await_answer(60)
                print(f"{client.ask('_session.route()')}: {line}: {answer}")
                assert "error" not in answer and answer["seconds"] > 11
            cluster.set_link(0, 0)
            assert client.ask("bool((moved == there).all())") is True
            assert client.ask("_core.connections()") == 1
        cluster.run("login", ["scancel", job], check=True)
        wait_for(lambda: not cluster.slurm("squeue", "-h"), 20, "an empty queue")


def test_a_network_cut_for_good_is_named_within_fifteen_seconds(cluster):
    path, _ = start(cluster)
    with Client(cluster, path, GAMELAN_LINK_TIMEOUT="10") as client:
        client.ask("do a = np.zeros(100_000); np.sync()")
        cluster.cut("node1")
        kind, message, seconds = client.expect_error("do a += 1; np.sync()")
        print(f"after {seconds:.1f} s: {kind}: {message}")
        assert seconds < 15 and kind == "EngineLostError"
        assert "node1 does not answer since 10 s: " in message and "tcp://10.77.0.1:" in message and "network is cut" in message
        assert client.ask("int(__import__('numpy').arange(4).sum())") == 6  # alive


def test_an_interrupt_is_heard_while_the_network_is_away(cluster):
    path, _ = start(cluster)
    with Client(cluster, path) as client:
        client.ask("do a = np.zeros(100_000); np.sync()")
        cluster.cut("node1")
        client.send("do a += 1; np.sync()")
        time.sleep(1)
        client.signal(signal.SIGINT)
        interrupted = now()
        assert client.await_answer(5)["error"] == "KeyboardInterrupt"
        assert now() - interrupted < 1.5
        cluster.heal("node1")
        assert client.ask("float((np.arange(100_000.0) * 2).sum())") == TOTAL


def test_a_client_that_was_stopped_goes_on(cluster):
    path, _ = start(cluster)
    with Client(cluster, path) as client:
        client.ask("do a = np.zeros(100_000); np.sync()")
        client.signal(signal.SIGSTOP)
        time.sleep(13)  # longer than the silence that ends a session
        client.signal(signal.SIGCONT)
        client.ask("do a += 1")
        assert client.ask("float(a.sum())") == 100_000.0


def test_an_engine_that_hangs_is_told_from_a_network_that_is_cut(cluster):
    path, _ = start(cluster)
    with Client(cluster, path, GAMELAN_LINK_TIMEOUT="10") as client:
        client.ask("do a = np.zeros(100_000); np.sync()")
        [*pids] = cluster.processes("node1", "gamelan-engine --transport")
        cluster.run("node1", ["kill", "-STOP", *map(str, pids)], check=True)
        kind, message, seconds = client.expect_error("do a += 1; np.sync()")
        cluster.run("node1", ["kill", "-CONT", *map(str, pids)], check=True)
        print(f"after {seconds:.1f} s: {message}")
        assert seconds < 15 and "node1 does not answer since 10 s: " in message and "rank 0 hangs, or is stopped" in message


def test_other_users_can_neither_read_the_key_nor_use_the_tunnel(cluster):
    path, _ = start(cluster, walled=True)
    before = listeners(cluster)
    with Client(cluster, path, GAMELAN_ROUTE="srun") as client:
        assert client.ask(SUM) == TOTAL
        assert listeners(cluster) == before  # a tunnel listens nowhere, once it is up
        for command in (["cat", path], ["ls", str(path).rpartition("/")[0]], ["ls", "/tmp/gamelan-0"]):
            done = cluster.run("login", command, user=OTHER_USER)
            assert done.returncode and "Permission denied" in done.stderr, command
        refused = cluster.run(
            "login",
            ["/usr/bin/python3", "-c", "import gamelan as np; np.ones(100_000)"],
            user=OTHER_USER,
            env={"GAMELAN_CONNECT": path},
        )
        assert refused.returncode and "Permission denied" in refused.stderr
        copy = "/tmp/copied.json"
        cluster.run("login", ["cp", path, copy], check=True)
        for command, words in ((["chmod", "644", copy], "is open to others"), (["chown", "2001", copy], "belongs to user 2001")):
            cluster.run("login", command, check=True)
            done = cluster.run(
                "login", ["/usr/bin/python3", "-c", "import gamelan as np; np.ones(100_000)"], env={"GAMELAN_CONNECT": copy}
            )
            assert done.returncode and words in done.stderr and "Traceback" not in done.stderr.splitlines()[-1], done.stderr


def listeners(cluster):
    """Listening sockets of the login host, TCP and Unix; but srun's own, where it talks with Slurm."""
    told = cluster.run("login", ["ss", "--no-header", "--listening", "--tcp", "--unix", "--numeric", "--processes"], check=True)
    return {" ".join(line.split()[:5]) for line in told.stdout.splitlines() if '"srun"' not in line}
