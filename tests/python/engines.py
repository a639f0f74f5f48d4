# SPDX-License-Identifier: BSD-3-Clause
"""Real engines for a test session: one mpiexec, one private directory, gone at the end whatever happens."""

import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from gamelan import _session
from gamelan._launch import _hydra, _mpiexec, _open_mpi

_START_LIMIT_S = 30


def compiled(ranks):
    """Which programs become machine code: all, or those that have run often."""
    return "always" if ranks % 2 else "hot"


def engine_program():
    """The engine of the package that is imported, in a build or where pip has put it; or GAMELAN_ENGINE."""
    named = os.environ.get("GAMELAN_ENGINE")
    return named or _mpiexec.find_program("gamelan-engine", "GAMELAN_ENGINE") or "gamelan-engine"


def wires(ranks_per_node):
    """Options of mpiexec for this machine, which pretends to be several, over TCP, unless `ranks_per_node` is 0."""
    is_4 = _open_mpi.release("mpiexec.openmpi") < (5, 0)
    if not ranks_per_node:
        return ["--mca", "osc", "sm"] if is_4 else ["--mca", "osc", "sm", "--mca", "btl", "self,sm"]
    tcp = ["--mca", "btl", "tcp,self", "--mca", "osc"]
    return [*tcp, "sm,pt2pt"] if is_4 else [*tcp, "sm,rdma", "--mca", "btl_tcp_disable_family", "6"]


class Engines:
    """`ranks` engines over ipc; `connection_file` is there once the constructor returns. `options`: more of the engine's."""

    def __init__(self, ranks, heap_bytes=None, ranks_per_node=0, node_fanout=0, options=()):
        self._directory = tempfile.TemporaryDirectory(prefix="gamelan-test-")
        self.connection_file = pathlib.Path(self._directory.name) / "engines.json"
        self.log = pathlib.Path(self._directory.name) / "engines.log"
        launcher = ["mpiexec.mpich"]
        if not _hydra.is_engine_of_mpich(engine_program()):
            yielding = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
            launcher = ["mpiexec.openmpi", *yielding, *wires(ranks_per_node)]
        command = [*launcher, "-np", str(ranks), engine_program(), "--connection-file", str(self.connection_file),
                   "--idle-timeout", "30"]  # fmt: skip
        if heap_bytes is not None:
            command += ["--heap-bytes", str(heap_bytes)]
        if node_fanout:
            command += ["--node-fanout", str(node_fanout)]
        command += map(str, options)
        # Small arrays never make a program hot: both tiers are to compute them, one at an even number of ranks, one at an odd.
        environment = {
            "GAMELAN_COMPILE": compiled(ranks),
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        if ranks_per_node:
            environment["GAMELAN_RANKS_PER_NODE"] = str(ranks_per_node)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
            )
        limit = time.monotonic() + _START_LIMIT_S
        while not self.connection_file.exists():
            if self.process.poll() is not None or time.monotonic() > limit:
                text = self.log.read_text(errors="replace")
                self.stop()
                raise RuntimeError(f"the engines did not start:\n{text}")
            time.sleep(0.02)

    def pids(self):
        """Of the engines, without mpiexec."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
            return [int(pid) for pid in children.read().split()]

    def stop(self):
        """Ends every process of the session, politely first."""
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is not None:
                break
            os.killpg(self.process.pid, signal_number)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                continue
        self._directory.cleanup()


@contextlib.contextmanager
def in_use(ranks, heap_bytes):
    """Engines with a heap of that size, in the place of the session's."""
    before, own = _session.engines(), Engines(ranks, heap_bytes)
    try:
        _session.use(own)
        yield own
    finally:
        _session.release()
        own.stop()
        _session.use(before)
