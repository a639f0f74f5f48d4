# SPDX-License-Identifier: BSD-3-Clause
"""A cluster after a test: hosts on, daemons running, the network fast, the queue empty, and who was left over.

Called by conftest.py after every test, so that one that breaks something, or breaks off, does not fail the next.
"""

import time

JOBS_END_SECONDS = 20
ORPHANS_SECONDS = 20  # srun of a job that its node did not know to be over: until slurmctld has told it


def mend(cluster):
    """The network as it was, hosts on, daemons running: whatever the test broke, or broke off in the middle of."""
    cluster.set_link(0, 0)
    for host in cluster.numbers:
        cluster.heal(host)
        if cluster.is_on(host) and not cluster.processes(host, "slurmctld" if host == "login" else "slurmd"):
            cluster.power_off(host)
        if not cluster.is_on(host):
            cluster.power_on(host)
    cluster.slurm("scontrol", "reconfigure")  # asks nodes that counted as down at once, else every half minute


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
    while left := {host: orphans for host in cluster.numbers if (orphans := orphans_on(cluster, host))}:
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
