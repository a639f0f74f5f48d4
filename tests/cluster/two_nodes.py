# SPDX-License-Identifier: BSD-3-Clause
"""A notebook on the login host that drives two nodes of two ranks, and what tests of its faults have in common.

A fault must end what it hits within LIMIT_SECONDS in a message that names cause and host, leave no engine on any node
that is on, and leave the kernel alive: `Orchestra.is_lost` and `goes_on` see to that.
"""

import contextlib
import time

from login_notebook import login_notebook
from namespaces import wait_for

LIMIT_SECONDS = 15
START = "%engines start --slurm -t 5 -N 2 --ntasks-per-node 2"
START_ON_ONE = "%engines start --slurm -t 5 -N 1 --ntasks-per-node 2"
# Exact at every moment: where each number is after so many turns is known. Every turn crosses the border of the nodes.
SETUP = """
import time, numpy, gamelan as np
size, shift = 600_000, 70_001
a = np.arange(float(size))
turns = 0
def turn():
    global a, turns
    b = np.empty(size)
    b[shift:] = a[:-shift]
    b[:shift] = a[-shift:]
    a = b
    turns += 1
def is_right():
    found = numpy.asarray(a)
    return numpy.array_equal(found, numpy.roll(numpy.arange(float(size)), shift * turns))
"""
COMPUTE = """
seconds = {seconds}
end = time.monotonic() + seconds
while time.monotonic() < end:
    turn()
    if turns % 10 == 0:
        float(a[0])
    if turns == 10:
        print("ready", flush=True)
"""
LONG = 120


class Orchestra:
    """A notebook and its engines on both nodes of a cluster."""

    def __init__(self, cluster, notebook):
        self.cluster, self.notebook = cluster, notebook
        begin = self.run(START, timeout=40)
        assert begin.status == "ok", begin.err
        self.job = cluster.slurm("squeue", "-h", "-o", "%i")
        assert self.run(SETUP + "float(a[-1])\nnp.stats()['ranks']").text == "4"

    def run(self, code, timeout=20):
        return self.notebook.run(code, timeout=timeout)

    def start_computing(self, seconds=LONG):
        """A cell that is in the middle of its work when this returns."""
        cell = self.notebook.send("turns = 0; a = np.arange(float(size))" + COMPUTE.format(seconds=seconds))
        self.notebook.until(cell, lambda c: "ready" in c.out or c.of_type("error"), timeout=20)
        assert not cell.of_type("error"), cell.of_type("error")[0]["evalue"]
        return cell

    def lost_while_computing(self, fault):
        """What the running cell ends in, at most LIMIT_SECONDS after the fault."""
        cell = self.start_computing()
        fault()
        begin = time.monotonic()
        told = self.is_lost(self.notebook.finish(cell, timeout=LIMIT_SECONDS))
        print(f"told after {time.monotonic() - begin:.1f} s: {told}")
        return told

    def lost_while_idle(self, fault):
        """What the next cell ends in, at most LIMIT_SECONDS after the fault in sum."""
        begin = time.monotonic()
        fault()
        time.sleep(1)
        cell = self.notebook.send("turn()\nfloat(a[0])")
        told = self.is_lost(self.notebook.finish(cell, timeout=LIMIT_SECONDS - (time.monotonic() - begin)))
        print(f"told after {time.monotonic() - begin:.1f} s: {told}")
        return told

    def is_lost(self, cell):
        told = "\n".join(each["evalue"] for each in cell.of_type("error"))
        assert cell.ename == "EngineLostError", (cell.ename, told)
        return told

    def goes_on(self, start=START, seconds=LIMIT_SECONDS):
        """The kernel lives, no engine of the lost job does, and new engines compute."""
        assert self.run("1 + 1").text == "2"
        self.await_no_engines(seconds)
        again = self.run(start, timeout=40)
        assert again.status == "ok", again.err
        assert self.run(SETUP + "turn()\nis_right()").text == "True"

    def await_no_engines(self, seconds=LIMIT_SECONDS):
        begin = time.monotonic()
        on = [node for node in self.cluster.nodes if self.cluster.is_on(node)]
        wait_for(lambda: not any(engines_on(self.cluster, node) for node in on), seconds, "the end of all engines", between=0.2)
        print(f"engines gone {time.monotonic() - begin:.1f} s later")

    def kill(self, rank):
        """kill -9 of a rank; the node it was on."""
        [(node, pid)] = [
            (node, pid) for node in self.cluster.nodes for at, pid in engines_on(self.cluster, node).items() if at == rank
        ]
        self.cluster.run(node, ["kill", "-9", str(pid)], check=True)
        return node


@contextlib.contextmanager
def orchestra(cluster, env=None):
    with login_notebook(cluster, env=env) as notebook:
        yield Orchestra(cluster, notebook)


def engines_on(cluster, node):
    """{rank: process id on that node} of the engines there."""
    script = 'for p in $(pgrep -x gamelan-engine); do echo $p $(tr "\\0" "\\n" </proc/$p/environ | grep -m1 ^SLURM_PROCID=); done'
    lines = (line.split() for line in cluster.run(node, ["bash", "-c", script]).stdout.splitlines())
    return {int(words[1].partition("=")[2]): int(words[0]) for words in lines if len(words) == 2}
