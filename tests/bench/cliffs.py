# SPDX-License-Identifier: BSD-3-Clause
"""No cliffs: the time of an operation depends on what is computed, not on what was done before to its operands or on how they
were made.

    python3 tests/bench/cliffs.py RANKS [--kinds 12] [--limit 1.5] [--only TEXT] [--waits]

Each pair of a use (or a birth) and a probe (cliff_programs.py) is compared with the probe of a fresh array: both arrays are probed in
turn, in one process, and the shortest processor time of each counts, that of engines and notebook together, so that other programs on
the machine hardly matter. That leaves out that ranks wait for each other: `--waits` compares seconds instead, for an idle machine.
Prints the pairs whose ratio is above the limit, and the worst; exits with 1 when there are any.
"""

import argparse
import glob
import os
import sys
import time

import cliff_programs

NOISE_S = 0.4e-3  # what a ratio is not taken from: the clocks of the threads tick, and other work is charged to them
MOST_TRIES = 3


def engines(np):
    """The process ids of the engines: children of the parent of the one that serves us."""
    np.sync()
    server = np.stats()["server"]["pid"]

    def parent(pid):
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[1]

    found, starter = [], parent(server)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if parent(pid) == starter:
                found.append(int(pid))
        except OSError:
            pass  # it has ended
    return found


def processor_s(pids):
    """Seconds that these processes have computed for, and this one."""
    total = time.process_time()
    for pid in pids:
        for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
            try:
                with open(path) as schedstat:
                    total += int(schedstat.read().split()[0]) * 1e-9
            except OSError:
                pass
    return total


class Bench:
    def __init__(self, np, limit, counts_waits):
        pids = engines(np)
        self.np, self.limit = np, limit
        self.clock = time.perf_counter if counts_waits else lambda: processor_s(pids)

    def seconds(self, probe, array):
        before = self.clock()
        result = probe(self.np, array)
        self.np.sync()
        after = self.clock()
        del result
        return after - before

    def ratio(self, make, use, fresh, probe):
        """How many times as long the probe takes; 1 when the difference is noise."""
        np = self.np
        shortest = {"used": float("inf"), "fresh": float("inf")}
        for _ in range(MOST_TRIES):
            arrays = {"used": make(np), "fresh": fresh(np)}
            np.sync()
            kept = use(np, arrays["used"])
            np.sync()
            for turn in range(4):
                for side, array in arrays.items():
                    spent = self.seconds(probe, array)
                    if turn:  # in the first one layouts may change, once
                        shortest[side] = min(shortest[side], spent)
            del arrays, kept
            if shortest["used"] < self.limit * shortest["fresh"] or shortest["used"] - shortest["fresh"] < NOISE_S:
                break
        is_noise = shortest["used"] - shortest["fresh"] < NOISE_S
        return min(1.0, shortest["used"] / shortest["fresh"]) if is_noise else shortest["used"] / shortest["fresh"]

    def kind(self, kind, only=""):
        """Ratios by (what was done, probe)."""
        fresh = cliff_programs.FRESH[kind]
        done = {name: (fresh, use) for name, (kinds, use) in cliff_programs.USES.items() if kind in kinds}
        done |= {
            f"born by {name}": (make, lambda np, a: None) for name, (kinds, make) in cliff_programs.BORN.items() if kind in kinds
        }
        return {
            (name, probe_name): self.ratio(make, use, fresh, probe)
            for name, (make, use) in done.items()
            for probe_name, (kinds, probe) in cliff_programs.PROBES.items()
            if kind in kinds and only in f"{name} | {probe_name}"
        }


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("ranks", type=int)
    options.add_argument("--kinds", default="".join(cliff_programs.FRESH), help="some of 1, 2, 3 and c")
    options.add_argument("--limit", type=float, default=1.5)
    options.add_argument("--only", default="", help="pairs whose text 'use | probe' contains this")
    options.add_argument("--waits", action="store_true", help="compare seconds, not processor time")
    settings = options.parse_args()
    os.environ["GAMELAN_ENGINES"] = str(settings.ranks)
    import gamelan as np

    np.ones(np.config.distribute_from).sum().item()  # the engines start
    bench, above = Bench(np, settings.limit, settings.waits), 0
    for kind in settings.kinds:
        ratios = sorted(bench.kind(kind, settings.only).items(), key=lambda each: -each[1])
        bad = [each for each in ratios if each[1] > settings.limit]
        above += len(bad)
        print(f"kind {kind}, {settings.ranks} ranks: {len(ratios)} pairs, {len(bad)} above {settings.limit}", flush=True)
        for (name, probe), ratio in bad or ratios[:1]:
            print(f"  {ratio:5.1f}  {name} | {probe}", flush=True)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
