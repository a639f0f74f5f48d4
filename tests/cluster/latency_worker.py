# SPDX-License-Identifier: BSD-3-Clause
"""Runs one case of tests/bench against the engines it is attached to: `latency_worker.py CASE key=value ...` on the login host.

A line {"hides": true or false} runs the case once, with messages hidden behind the computation or awaited before it. The
answer is a line as the bench's workers give it: seconds, the numbers that stand for the result, what the ranks counted.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import cases  # noqa: E402
import worker  # noqa: E402

from gamelan import _core  # noqa: E402

COUNTED = ("bytes_sent", "bytes_received", "messages", "wait_seconds", "compute_seconds", "batches")


class Attached(worker.Gamelan):
    """Gamelan with engines that somebody else has started."""

    def __init__(self):
        worker.Numpy.__init__(self, threads=1, ranks=0)
        import gamelan

        self.np = gamelan
        self.expect_small()
        float(gamelan.ones(100_000).sum())  # attaches: some cases have only small operands

    def stats(self, seconds):
        counters = self.np.stats()
        per_rank = [{name: each[name] for name in ("wait_seconds", "compute_seconds")} for each in counters["per_rank"]]
        return {**{name: counters[name] for name in COUNTED}, "ranks": counters["ranks"], "per_rank": per_rank}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what else prints goes to stderr
    case = cases.load(sys.argv[1])
    params = worker.parameters(case, sys.argv[2:], False)
    runner = worker.Runner(Attached(), case, params)
    for line in sys.stdin:
        _core.configure([("disable_passes", "" if json.loads(line)["hides"] else "hide")])
        answers.write(json.dumps(runner.run()) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
