# SPDX-License-Identifier: BSD-3-Clause
"""The terms of the model behind docs/scaling.md: start-up, broadcast, halo and reduction of GAiN's laplace, from what the
engines' layouts say and a few parameters. Parameters are software's (seconds that our code or MPI takes) and have a source each; what a
network and a job are like is told, never fitted. Pure arithmetic; model.py is the command.
"""

import math
from dataclasses import dataclass

ITEM_BYTES = 8  # float64
OPERATIONS = 10  # that a turn of laplace records: copy, four neighbours, store, change, square, sum, root
BATCH_BYTES = 4000  # of such a turn on the wire
FANOUT = 8  # nodes below a node: engine/nodes/tree.cpp


@dataclass(frozen=True)
class Parameters:
    """Seconds, unless the name says otherwise."""

    element_s: float = 1.64e-9  # of laplace with its norm, for a rank, all ranks of its node at work
    record_s: float = 1.6e-6  # to record an operation in the notebook
    batch_s: float = 120e-6  # the smallest batch and its reply, one rank
    wake_s: float = 135e-6  # a batch from a node's leader to its ranks, asleep on a futex, and their reply
    step_s: float = 158e-6  # of a plan: find its parts, start, note that it is done
    message_s: float = 119e-6  # to pack, send, receive and unpack, without the wire
    launch_s: float = 1.1  # from asking for engines to their first word
    launch_level_s: float = 0.1  # more for each doubling of the nodes
    launch_rank_s: float = 0.02  # more for each rank of a node
    overlap: float = 0.9  # the part of the interior's time in which messages may travel
    eager_bytes: float = 4e6  # above it a message waits for its receiver: three trips instead of one


#: Where the numbers above come from.
SOURCES = {
    "element_s": "fitted to one and two hosts: docs/scaling.md",
    "record_s": "docs/performance.md: record an op",
    "batch_s": "docs/performance.md: smallest batch, 1 rank",
    "wake_s": "fitted to one and two hosts: docs/scaling.md",
    "step_s": "fitted to one and two hosts: docs/scaling.md",
    "message_s": "fitted to one and two hosts: docs/scaling.md",
    "launch_s": "measured: sbatch to connection file on an idle test cluster of 2 nodes",
    "launch_level_s": "assumed",
    "launch_rank_s": "assumed",
    "overlap": "assumed: the interior but for what is done before the first message is tested for",
    "eager_bytes": "chosen: what the launcher would set; Open MPI's own 64 KB over TCP are not hidden",
}


@dataclass(frozen=True)
class Link:
    """Between any two nodes, and between client and rank 0."""

    latency_s: float
    bytes_per_s: float
    client_latency_s: float = 0.0


@dataclass(frozen=True)
class Job:
    nodes: int
    ranks_per_node: int
    cores: int = 0  # that all nodes share, where they are pretended on one machine

    @property
    def turns_on_a_core(self):
        return max(1.0, self.ranks / self.cores) if self.cores else 1.0

    @property
    def ranks(self):
        return self.nodes * self.ranks_per_node

    @property
    def levels(self):
        """Below the root of the tree of node leaders."""
        reached, levels = 1, 0
        while reached < self.nodes:
            levels += 1
            reached += FANOUT**levels
        return levels

    @property
    def children(self):
        """Of the root, which has most."""
        return min(FANOUT, self.nodes - 1)


def segment(n):
    """Where engine/distribution/layout.cpp cuts the rows of an n x n array."""
    longest = 1024 if n * n >= 1 << 30 else 4096
    wanted = -(-n // -(-1024 // min(n, 1024)))
    return min(longest, 1 << (wanted - 1).bit_length())


def grid(n, ranks):
    """Blocks down and across of an n x n array: engine/distribution/grid.cpp for two axes, rank counts without large primes."""
    unit = segment(n)

    def cost(down):
        across = ranks // down
        units = -(-n // unit)
        block = -(-n // down) * min(n, unit * -(-units // across))
        return block, down - 1 + 8 * (across - 1)

    ways = [down for down in range(1, ranks + 1) if ranks % down == 0]
    smallest = min(cost(down)[0] for down in ways)
    best = min(ways, key=lambda down: ((cost(down)[0] - smallest) * 16 // smallest, cost(down)[1]))
    return best, ranks // best


def block(n, ranks):
    """Rows and columns of the largest block."""
    down, across = grid(n, ranks)
    units = -(-n // segment(n))
    return -(-n // down), min(n, segment(n) * -(-units // across))


def tree(n):
    """How many partials of a full sum there are, level after level: engine/plan/lowering/lower_fold.cpp."""
    levels = [(n, -(-n // min(segment(n), 4096)))]
    is_large = n * n >= 1 << 30
    if math.prod(levels[0]) <= (128 if is_large else 4096):
        return [math.prod(levels[0])]
    while math.prod(levels[-1]) > (16 if is_large else 128):
        down, across = levels[-1]
        together = min(across, 64)
        levels.append((down if together < across else -(-down // max(64 // together, 1)), -(-across // together)))
    return [math.prod(level) for level in levels]


def halo(n, job):
    """Of a node in the middle: bytes that leave it, the longest message, and the most messages of one of its ranks."""
    _, across = grid(n, job.ranks)
    rows, columns = block(n, job.ranks)
    first = job.ranks // 2 // job.ranks_per_node * job.ranks_per_node
    sent, longest, most = 0, 0, 0
    for rank in range(first, first + job.ranks_per_node):
        row, column = divmod(rank, across)
        sizes = []
        for down, right, elements in ((-1, 0, columns), (1, 0, columns), (0, -1, rows), (0, 1, rows)):
            other = (row + down) * across + column + right
            is_inside = 0 <= column + right < across and 0 <= other < job.ranks
            if is_inside and other // job.ranks_per_node != rank // job.ranks_per_node:
                sizes.append(elements * ITEM_BYTES)
        sent, longest, most = sent + sum(sizes), max([longest, *sizes]), max(most, len(sizes))
    return sent, longest, most


def broadcast_s(parameters, link, job):
    """A batch from rank 0 to all ranks: leaders by their tree, one child after another; the ranks of a node by its ring."""
    hop = link.latency_s + job.children * (parameters.message_s + BATCH_BYTES / link.bytes_per_s)
    return job.levels * hop + (parameters.wake_s if job.ranks_per_node > 1 or job.nodes > 1 else 0.0)


def halo_s(parameters, link, job, n):
    """From the first message of a sweep to the last."""
    sent, longest, most = halo(n, job)
    if not sent:
        return 0.0
    trips = 1 if longest <= parameters.eager_bytes else 3
    return trips * link.latency_s + sent / link.bytes_per_s + most * parameters.message_s


def announce_s(parameters, link, job, partials, by_tree=False):
    """The last partials to everybody: their owners write to every rank of other nodes (engine/distribution/exchange.cpp), one after
    another. What a tree over the nodes would make of it, too."""
    if job.nodes == 1:
        return 0.0
    if by_tree:
        return job.levels * (link.latency_s + job.children * parameters.message_s) + partials * parameters.message_s
    return link.latency_s + max(job.ranks - job.ranks_per_node, partials) * parameters.message_s


def reduce_s(parameters, link, job, n, by_tree=False):
    """The norm once its reduction blocks are folded: levels of the tree of partials that cross nodes, the last ones to everybody."""
    seconds = 0.0
    partials = tree(n)
    for below in partials[:-1]:
        on_a_node = max(below / job.nodes, 1)
        seconds += parameters.step_s
        if job.nodes > 1 and on_a_node < 64:
            seconds += link.latency_s + min(64 / on_a_node, job.nodes - 1) * parameters.message_s
    return seconds + parameters.step_s + announce_s(parameters, link, job, min(partials[-1], job.ranks), by_tree)


def batch_s(parameters, link, job, operations=OPERATIONS):
    """A turn's way from the notebook to all ranks and back, without what is computed."""
    back = job.levels * (link.latency_s + job.children * parameters.message_s)
    alone = operations * parameters.record_s + parameters.batch_s
    return alone + 2 * link.client_latency_s + broadcast_s(parameters, link, job) + back


def iteration(parameters, link, job, n, is_hidden=True, by_tree=False):
    """One turn of laplace and its norm, looked at: its parts in seconds, and `total`."""
    rows, columns = block(n, job.ranks)
    interior = parameters.element_s * rows * columns * job.turns_on_a_core
    travel = halo_s(parameters, link, job, n)
    exposed = max(0.0, travel - parameters.overlap * interior) if is_hidden else travel
    parts = {
        "batch": batch_s(parameters, link, job),
        "compute": interior,
        "halo": exposed,
        "step": parameters.step_s,
        "reduce": reduce_s(parameters, link, job, n, by_tree),
    }
    return {**parts, "total": sum(parts.values())}


def startup_s(parameters, job):
    return parameters.launch_s + job.levels * parameters.launch_level_s + job.ranks_per_node * parameters.launch_rank_s


def predict(parameters, measured):
    """What the model says of one measurement."""
    link = Link(measured["latency_s"], measured["bytes_per_s"], measured.get("client_latency_s", measured["latency_s"]))
    job = Job(measured["hosts"], measured["ranks_per_host"], measured.get("cores", 0))
    what, n = measured["what"], measured.get("n")
    if what == "iteration":
        return iteration(parameters, link, job, n, measured.get("hidden", True))["total"]
    if what == "batch":
        return batch_s(parameters, link, job, measured.get("operations", OPERATIONS))
    if what == "broadcast":
        return broadcast_s(parameters, link, job)
    if what == "halo":
        return halo_s(parameters, link, job, n)
    if what == "reduce":
        return reduce_s(parameters, link, job, n)
    if what == "startup":
        return startup_s(parameters, job)
    raise ValueError(f"a measurement of '{what}': known are iteration, batch, broadcast, halo, reduce, startup")
