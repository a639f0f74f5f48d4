# SPDX-License-Identifier: BSD-3-Clause
"""What a cluster costs in seconds: up, down, from sbatch to the first result, the round trip of a cell.

`/usr/bin/python3 tests/cluster/measure.py` prints a line per figure: medians and the best of several turns, since the
hosts share the machine's cores. A cell is timed as the front end sees it, and inside the kernel without Jupyter.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import link_probe  # noqa: E402
from cluster import Cluster, why_not  # noqa: E402
from login_notebook import login_notebook  # noqa: E402

LINKS = [(0, 0), (100, 1000), (1000, 1000), (5000, 1000)]  # one-way delay in us, Mbit/s
PLACES = {
    "1 node x 2 ranks": "-n 2 -N 1 --sbatch=--nodelist=node1",
    "2 nodes x 1 rank": "-n 2 -N 2",
    "2 nodes x 2 ranks": "-n 4 -N 2 --ntasks-per-node 2",
}
FIRST = "import gamelan as np\na = np.arange(100_000.0)\nfloat(a.sum())"
# One batch each: recorded, sent, computed by all ranks, one number fetched.
INSIDE = """
import time
taken = []
for turn in range(31):
    start = time.perf_counter()
    float((a * 2).sum())
    taken.append(time.perf_counter() - start)
' '.join(map(str, taken))
"""
CELL_TURNS = 21


def told(what, seconds, note=""):
    seconds = sorted(seconds)
    print(
        f"{what:46} {statistics.median(seconds) * 1e3:10.2f} ms  best {seconds[0] * 1e3:9.2f}  of {len(seconds):2}  {note}",
        flush=True,
    )


def up_and_down(turns):
    ups, downs = [], []
    for _ in range(turns):
        start = time.perf_counter()
        cluster = Cluster(nodes=2)
        cluster.up()
        ups.append(time.perf_counter() - start)
        start = time.perf_counter()
        cluster.down()
        downs.append(time.perf_counter() - start)
    told("cluster of 2 nodes, up", ups)
    told("cluster of 2 nodes, down", downs)


def links(cluster):
    """The network alone: what the switch and this machine add to the delay, and take from the rate."""
    for delay_us, rate_mbit in LINKS:
        cluster.set_link(delay_us, rate_mbit)
        seen = link_probe.between(cluster, "login", "node1")
        print(
            f"tcp at {delay_us / 1000:g} ms, {rate_mbit} Mbit/s: round trip {seen['round_trip_us'] / 1000:.2f} ms, "
            f"{seen['mbit_per_second']:.0f} Mbit/s",
            flush=True,
        )
    cluster.set_link(0, 0)


def start_engines(notebook, options):
    cell = notebook.run(f"%engines start --slurm -t 10 {options}", timeout=60)
    return cell.status == "ok", (cell.reply.get("evalue") or cell.err).strip()


def first_results(cluster, place, options, turns):
    """In a notebook on the login host: from the cell that starts engines to the first number they computed."""
    taken = []
    with login_notebook(cluster) as notebook:
        notebook.run("import gamelan")
        for _ in range(turns):
            start = time.perf_counter()
            is_up, words = start_engines(notebook, options)
            if not is_up:
                lines = words.splitlines() or ["?"]
                print(f"{place}: engines do not start: {next((line for line in lines if 'gamelan-engine' in line), lines[-1])}")
                return False
            assert notebook.run(FIRST, timeout=30).text == str(100_000 * 99_999 / 2)
            taken.append(time.perf_counter() - start)
            notebook.run("%engines stop", timeout=30)
    told(f"sbatch to first result, {place}", taken, "wanted <= 5000")
    return True


def seen_by_the_front_end(notebook, code):
    """Seconds from sending a cell to the arrival of what it shows, which both ends of a notebook add to."""
    taken = []
    for _ in range(CELL_TURNS):
        start = time.perf_counter()
        cell = notebook.send(code)
        notebook.until(cell, lambda cell: cell.of_type("execute_result"))
        taken.append(time.perf_counter() - start)
        notebook.finish(cell)
    return taken


def round_trips(cluster, place, options):
    with login_notebook(cluster) as notebook:
        start_engines(notebook, options)
        notebook.run(FIRST, timeout=30)
        told(f"cell without arrays, {place}", seen_by_the_front_end(notebook, "1 + 1"))
        for delay_us, rate_mbit in LINKS:
            cluster.set_link(delay_us, rate_mbit)
            inside = [float(word) for word in notebook.run(INSIDE, timeout=60).text.strip("'").split()]
            cells = seen_by_the_front_end(notebook, "float((a * 2).sum())")
            link = f"{place}, {delay_us / 1000:g} ms"
            limit = f"2 x delay + 1 ms = {2 * delay_us / 1000 + 1:g}"
            told(f"batch and value, {link}", inside, limit)
            told(f"cell, {link}", cells, limit)
        cluster.set_link(0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    reason = why_not()
    if reason:
        print(f"no cluster here: {reason}", file=sys.stderr)
        return 3
    up_and_down(turns)
    with Cluster(nodes=2) as cluster:
        links(cluster)
        for place, options in PLACES.items():
            if first_results(cluster, place, options, turns):
                round_trips(cluster, place, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
