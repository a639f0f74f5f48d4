# SPDX-License-Identifier: BSD-3-Clause
"""Befalls programs on the login host of a cluster, whose engines are a Slurm job of two nodes, half of the ranks on each.

interrupt, two_interrupts, stop: as chaos.py does. rank, job: notebooks as in kernels.py, started with `--continue`; a rank is killed, or
the job is cancelled or reaches its time limit, within a cell, which must go on in the next job.

    python tests/chaos/hosts.py --rounds 100 [--kinds interrupt,stop,rank,job] [--ranks 4] [--seed 1] [--json FILE]
"""

import argparse
import contextlib
import signal
import sys
import time
from pathlib import Path

from chaos import HERE, Figures, conclude, play, tell
from chaos import Player as Program
from kernels import CELLS, play_notebook
from kernels import Player as Notebook

sys.path.insert(0, str(HERE.parent / "cluster"))

from cluster import Cluster, why_not  # noqa: E402
from login_notebook import login_notebook  # noqa: E402
from namespaces import wait_for  # noqa: E402
from two_nodes import engines_on  # noqa: E402

PROGRAMS = "interrupt", "two_interrupts", "stop"
NOTEBOOKS = "rank", "job"
KINDS = PROGRAMS + NOTEBOOKS
NODES, RANKS = 2, 4
LATEST_S = 0.6  # after the beginning of a cell
SOON_S = 3  # until the end of a job's time
PAUSE_S = 0.5  # after a job's end


def options(ranks):
    """sbatch's, for so many ranks on two nodes."""
    return ["-t", "30", "-N", str(NODES), "--ntasks-per-node", str(ranks // NODES)]


class HostsProgram(Program):
    """play.py on the login host, connected to a job."""

    def __init__(self, cluster, ranks, seed, rounds):
        self.cluster = cluster
        done = cluster.run("login", ["gamelan", "engines", "start", "--slurm", *options(ranks), "--session", "chaos"], check=True)
        [self.connection] = [line.partition("=")[2] for line in done.stdout.splitlines() if "GAMELAN_CONNECT=" in line]
        super().__init__(ranks, seed, rounds)

    def start(self, command, log):
        settings = {"GAMELAN_CONNECT": self.connection, "PYTHONUNBUFFERED": "1"}
        return self.cluster.popen("login", command, env=settings, stdin=-1, stdout=-1, stderr=log, text=True)

    def engines(self):
        return [(node, pid) for node in self.cluster.nodes for pid in engines_on(self.cluster, node).values()]

    def signal(self, engine, number):
        node, pid = engine
        self.cluster.run(node, ["kill", f"-{signal.Signals(number).name[3:]}", str(pid)])

    def end(self):
        self.process.kill()
        self.process.wait()
        self.cluster.run("login", ["gamelan", "engines", "stop", "chaos"])
        self.cluster.slurm("scancel", "--user=root")
        super().end()


class HostsNotebook(Notebook):
    """A notebook on the login host, whose jobs follow each other."""

    def __init__(self, cluster, ranks, seed):
        self.cluster, self.ranks, self._kernel = cluster, ranks, contextlib.ExitStack()
        super().__init__(seed, ranks)

    def open(self):
        names = "JPY_SESSION_NAME", "PYTHONPATH", "IPYTHONDIR"
        return self._kernel.enter_context(login_notebook(self.cluster, env={name: self.environment[name] for name in names}))

    def begin(self):
        self.state_folder = self.cluster.home / ".local" / "state"
        self.run(f"%engines start --slurm --continue {' '.join(options(self.ranks))}")
        super().begin()

    def jobs(self):
        """State by number of the jobs in the queue, the oldest first."""
        lines = self.cluster.slurm("squeue", "-h", "-o", "%i %T").splitlines()
        return dict(sorted((line.split() for line in lines), key=lambda job: int(job[0])))

    def end(self):
        self._kernel.close()
        self.cluster.slurm("scancel", "--user=root")
        wait_for(lambda: not self.jobs(), 60, "the end of the jobs", between=0.2)
        super().end()


def befall(kind):
    """befall(player, number, chance) of kernels.play_notebook."""

    def befall_it(player, number, chance):
        wait_for(lambda: list(player.jobs().values()) == ["RUNNING", "PENDING"], 60, "a job, and one behind it", between=0.1)
        first = next(iter(player.jobs()))
        cell = player.notebook.send(player.cells[number])
        time.sleep(chance.uniform(0.0, 1.0) ** 2 * LATEST_S)  # most cells are quick
        if kind == "rank":
            node = chance.choice(player.cluster.nodes)
            player.cluster.run(
                node, ["kill", "-9", str(chance.choice(list(engines_on(player.cluster, node).values())))], check=True
            )
        elif chance.random() < 0.5:
            player.cluster.slurm("scancel", first)
        else:
            end = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(time.time() + SOON_S))
            player.cluster.slurm("scontrol", "update", f"jobid={first}", f"EndTime={end}")
        began = time.monotonic()
        player.finish(cell, player.cells[number])
        wait_for(lambda: first not in player.jobs(), 120, f"the end of job {first}", between=0.1)
        time.sleep(PAUSE_S)
        return number + 1, number + 1, began

    return befall_it


def play_hosts(cluster, kind, ranks, seed, rounds=10_000, seconds=float("inf")):
    """Rounds of one kind on the two nodes of a cluster that is up; their Figures."""
    if kind in PROGRAMS:
        return play(kind, ranks, seed, rounds, seconds, lambda *words: HostsProgram(cluster, *words), "hosts.py")
    figures, end = Figures(), time.monotonic() + seconds
    while figures.rounds < rounds and time.monotonic() < end and len(figures.wrong) < 10:
        again = f"python tests/chaos/hosts.py --ranks {ranks} --kinds {kind} --seed {seed} --rounds {CELLS}"
        play_notebook(kind, befall(kind), HostsNotebook(cluster, ranks, seed), figures, rounds, end, again)
        seed += 1
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of each kind")
    parser.add_argument("--ranks", type=int, default=RANKS, help="an even number")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20, help="of each kind")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    wishes = parser.parse_args()
    if why_not():
        sys.exit(why_not())
    told = {}
    for kind in wishes.kinds.split(","):
        with Cluster(nodes=NODES) as cluster:
            figures = play_hosts(cluster, kind, wishes.ranks, wishes.seed, wishes.rounds, wishes.seconds)
        tell(f"{kind} on {NODES} hosts, {wishes.ranks} ranks", figures, told)
    return conclude(told, wishes.json)


if __name__ == "__main__":
    sys.exit(main())
