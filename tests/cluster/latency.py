# SPDX-License-Identifier: BSD-3-Clause
"""What hiding messages behind computation is worth, as DistNumPy's paper measured it: time and wait share of its eight programs
and of GAiN's laplace on several hosts, with hiding and with blocking exchange.

`/usr/bin/python3 tests/cluster/latency.py --out build/bench/latency.json` measures, `latency_report.py` makes the table and
the figure. The two modes take turns on the same operands, so that the machine's other load meets both.
All numbers, in both modes, must be those of one node to the bit.
"""

import argparse
import contextlib
import json
import os
import platform
import select
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster import BUILD, Cluster, ClusterError, why_not  # noqa: E402
from namespaces import wait_for  # noqa: E402

LINKS = [(100, 1000), (1000, 1000)]  # one-way delay in us, Mbit/s
PLACES = {"2 hosts x 1": (2, 1), "2 hosts x 2": (2, 2), "4 hosts x 1": (4, 1)}  # hosts, ranks on each
# Sizes at which a run takes some tenths of a second on two cores: the paper's programs, then GAiN's.
SIZES = {
    "black_scholes": ["iterations=8"],
    "fractal": ["iterations=80"],
    "nbody": ["n=2000", "steps=6"],
    "knn": ["n=3000"],
    "lbm2d": ["steps=6"],
    "lbm3d": [],
    "jacobi": ["n=8192"],  # a turn cannot begin before the last one's x has come: its rows must outweigh two delays
    "jacobi_stencil": ["n=8192", "sweeps=5"],
    "laplace": [],
}
START = [BUILD / "bin" / "gamelan", "engines", "start", "--slurm", "-t", "30", "--idle-timeout", "120", "--session", "latency"]
ANSWER_SECONDS = 180


@contextlib.contextmanager
def engines(cluster, hosts, ranks_each):
    """Engines as a job of the cluster: their connection file. Gone afterwards."""
    options = ["-n", str(hosts * ranks_each), "-N", str(hosts), "--ntasks-per-node", str(ranks_each)]
    done = cluster.run("login", [*START, *options], check=True)
    [path] = [line.partition("=")[2] for line in done.stdout.splitlines() if line.startswith("export GAMELAN_CONNECT=")]
    try:
        yield path
    finally:
        cluster.run("login", [START[0], "engines", "stop", "latency"])
        wait_for(lambda: not any(cluster.processes(node, "gamelan-engine") for node in cluster.nodes), 20, "the engines' end")


class Worker:
    """latency_worker.py on the login host, with a time limit for each answer."""

    def __init__(self, cluster, connection_file, name, parameters):
        self._name = name
        self._process = cluster.popen(
            "login",
            ["/usr/bin/python3", Path(__file__).with_name("latency_worker.py"), name, *parameters],
            env={"GAMELAN_CONNECT": connection_file},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, hides):
        self._process.stdin.write(json.dumps({"hides": hides}) + "\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], ANSWER_SECONDS)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            ended = "" if ready else f" within {ANSWER_SECONDS} s"
            raise ClusterError(f"{self._name}: no answer{ended}; its last words are above")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.stdout.close()


def wait_share(stats):
    """Of the time that ranks spent in steps, the part that they waited for others, as the paper counts it."""
    return stats["wait_seconds"] / ((stats["wait_seconds"] + stats["compute_seconds"]) or 1.0)


def summary(answers):
    """Medians of several runs in one mode."""
    told = {"seconds": [each["seconds"] for each in answers], "wait_shares": [wait_share(each["stats"]) for each in answers]}
    told["median_seconds"], told["wait_share"] = statistics.median(told["seconds"]), statistics.median(told["wait_shares"])
    for name in ("bytes_sent", "messages", "batches"):
        told[name] = statistics.median(each["stats"][name] for each in answers)
    return told


def measure_case(cluster, path, name, parameters, links, turns, expected):
    """{link: {mode: summary}} of one program on the engines at `path`."""
    found = {}
    with Worker(cluster, path, name, parameters) as worker:
        for delay_us, rate_mbit in links:
            cluster.set_link(delay_us, rate_mbit)
            answers = {"hidden": [], "blocking": []}
            for turn in range(turns + 1):
                for mode, kept in answers.items():
                    answer = worker.run(mode == "hidden")
                    assert answer["result"] == expected, f"{name}, {mode}: {answer['result']}, on one node {expected}"
                    if turn > 0:  # the first finds cold caches
                        kept.append(answer)
            found[f"{delay_us / 1000:g} ms"] = {mode: summary(kept) for mode, kept in answers.items()}
            cluster.set_link(0, 0)
    return found


def on_one_node(cluster, sizes, ranks, turns):
    """Of ranks that share a node: {program: the numbers of its result}, {program: summary}. What they wait has nothing to do
    with a network: it is the floor of this machine, on which ranks wait for one that was not given a core."""
    expected, summaries = {}, {}
    with engines(cluster, 1, ranks) as path:
        for name, parameters in sizes.items():
            with Worker(cluster, path, name, parameters) as worker:
                first, *answers = (worker.run(True) for _ in range(turns + 1))
            assert first["stats"]["messages"] == 0
            expected[name], summaries[name] = first["result"], summary(answers)
    return expected, summaries


def tell(place, name, found, one_node):
    for link, modes in found.items():
        hidden, blocking = modes["hidden"], modes["blocking"]
        print(
            f"{place} {link:6} {name:15} {blocking['median_seconds']:7.3f} s -> {hidden['median_seconds']:7.3f} s   wait "
            f"{blocking['wait_share']:6.1%} -> {hidden['wait_share']:6.1%} (one node {one_node['wait_share']:.1%})   {hidden['bytes_sent'] / 1e6:8.2f} MB "
            f"{hidden['messages']:6.0f} messages   load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


def measure(cluster, sizes, places, links, turns, keep=lambda results: None):
    """Everything; `keep` is given what there is after each program."""
    results = {
        "programs": sizes,
        "turns": turns,
        "rate_mbit": links[0][1],
        "places": {},
        "one_node": {},
        "alone": {},
        "machine": {"cores": len(os.sched_getaffinity(0)), "kernel": platform.release()},
    }
    for place, (hosts, ranks_each) in places.items():
        alone = f"1 host x {hosts * ranks_each}"
        if alone not in results["one_node"]:
            expected, results["one_node"][alone] = on_one_node(cluster, sizes, hosts * ranks_each, turns)
        results["places"][place], results["alone"][place] = {}, alone
        with engines(cluster, hosts, ranks_each) as path:
            for name, parameters in sizes.items():
                found = measure_case(cluster, path, name, parameters, links, turns, expected[name])
                results["places"][place][name] = {"links": found, "load": os.getloadavg()[0]}
                tell(place, name, found, results["one_node"][alone][name])
                keep(results)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILD / "bench" / "latency.json")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--programs", default=",".join(SIZES))
    parser.add_argument("--places", default=",".join(PLACES))
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"no cluster here: {reason}", file=sys.stderr)
        return 3
    began = time.monotonic()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with Cluster(nodes=4, ssh=False) as cluster:
        measure(
            cluster,
            {name: SIZES[name] for name in options.programs.split(",")},
            {place: PLACES[place] for place in options.places.split(",")},
            LINKS,
            options.turns,
            keep=lambda results: options.out.write_text(json.dumps(results, indent=1)),
        )
    print(f"{options.out}: {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
