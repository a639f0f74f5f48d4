# SPDX-License-Identifier: BSD-3-Clause
"""Measures what the model of docs/scaling.md is calibrated with: start-up, the smallest batch, sums, and turns of laplace at
several sizes, on 1, 2 and 4 hosts, at (0.1 ms, 1 Gbit/s) and (1 ms, 1 Gbit/s), with hiding and without.

`/usr/bin/python3 tests/cluster/calibrate.py --out measured.json`, then `tests/bench/model.py --calibrate measured.json`. The
best of many turns counts, and of several rounds over all places: the hosts share one machine's cores with whatever else it
does. Latency and rate are what the link was set to.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster import BUILD, Cluster, why_not  # noqa: E402
from latency import LINKS, engines  # noqa: E402

PLACES = [(1, 1), (1, 2), (2, 1), (4, 1), (2, 2)]  # hosts, ranks on each
KEYS = ("what", "hosts", "ranks_per_host", "latency_s", "n", "hidden")  # of a measurement
SIZES = [64, 512, 1024, 2048, 4096]
# On the login host: prints {"batch": s, "reduce": s, "hidden": {n: s}, "blocking": {n: s}}, the best of some turns each.
PROGRAM = """
import json, sys, time
import gamelan as np
from gamelan import _core
np.config.distribute_from = 0
sizes, seconds = json.loads(sys.argv[1]), float(sys.argv[2])

def best(turn):
    turn(), turn()
    fastest, until, turns = 1e9, time.perf_counter() + seconds, 0
    while time.perf_counter() < until or turns < 5:
        start = time.perf_counter()
        turn()
        fastest, turns = min(fastest, time.perf_counter() - start), turns + 1
    return fastest

def laplace(n):
    grid = np.zeros((n, n))
    grid[0] = 1.0
    def turn():
        old = grid.copy()
        grid[1:-1, 1:-1] = (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]) / 4
        return float(np.sqrt(((grid - old) ** 2).sum()))
    return best(turn)

one = np.ones(1)
told = {"batch": best(lambda: float((one + 1)[0]))}
for way, disabled in (("hidden", ""), ("blocking", "hide")):
    _core.configure([("disable_passes", disabled)])
    told[way] = {n: laplace(n) for n in sizes}
print(json.dumps(told))
"""


def measure_place(cluster, hosts, ranks_each, sizes, seconds):
    """All measurements of one place."""
    place = {"hosts": hosts, "ranks_per_host": ranks_each, "cores": len(os.sched_getaffinity(0))}
    start = time.monotonic()
    with engines(cluster, hosts, ranks_each) as path:
        yield {"what": "startup", **place, "latency_s": 0.0, "bytes_per_s": 1e9, "seconds": time.monotonic() - start}
        for delay_us, rate_mbit in LINKS:
            cluster.set_link(delay_us, rate_mbit)
            link = {"latency_s": delay_us * 1e-6, "bytes_per_s": rate_mbit * 1e6 / 8}
            done = cluster.run(
                "login",
                ["/usr/bin/python3", "-c", PROGRAM, json.dumps(sizes), str(seconds)],
                env={"GAMELAN_CONNECT": path},
                timeout=60 + 20 * seconds * (2 * len(sizes) + 1),
                check=True,
            )
            told = json.loads(done.stdout.splitlines()[-1])
            yield {"what": "batch", **place, **link, "operations": 1, "seconds": told["batch"]}
            for way in ("hidden", "blocking"):
                for n, best in told[way].items():
                    yield {"what": "iteration", **place, **link, "n": int(n), "hidden": way == "hidden", "seconds": best}
            cluster.set_link(0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILD / "bench" / "measured.json")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"no cluster here: {reason}", file=sys.stderr)
        return 3
    best = {}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with Cluster(nodes=4, ssh=False) as cluster:
        for hosts, ranks_each in PLACES * options.rounds:
            try:
                sizes = [int(n) for n in options.sizes.split(",")]
                for each in measure_place(cluster, hosts, ranks_each, sizes, options.seconds):
                    each["load"] = os.getloadavg()[0]
                    key = tuple(each.get(name) for name in KEYS)
                    best[key] = min(best.get(key, each), each, key=lambda one: one["seconds"])
                    print(json.dumps(each), flush=True)
            except subprocess.SubprocessError as error:
                print(f"{hosts} hosts x {ranks_each}: {error}", file=sys.stderr, flush=True)
            options.out.write_text(json.dumps({"measurements": list(best.values())}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
