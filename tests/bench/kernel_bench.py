# SPDX-License-Identifier: BSD-3-Clause
# How long a notebook waits for its kernel: start, an empty cell, prints and displays; this kernel beside ipykernel.
# Usage: GAMELAN_BUILD=build python3 kernel_bench.py [rounds]. Prints JSON; medians, in seconds.
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernel"))
from notebook import Notebook  # noqa: E402

CASES = {
    "pass": ("pass", 100),
    "print 10,000": ("for i in range(10_000): print(i)", 5),
    "display 1,000": ("from IPython.display import display\nfor i in range(1000): display(i)", 3),
}


def seconds(notebook, code):
    start = time.perf_counter()
    message_id = notebook.client.execute(code)
    while notebook.client.get_shell_msg(timeout=30)["parent_header"]["msg_id"] != message_id:
        pass
    elapsed = time.perf_counter() - start
    while True:  # the reply counts; what is shown is taken off the line before the next round
        message = notebook.client.get_iopub_msg(timeout=30)
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            if message["parent_header"].get("msg_id") == message_id:
                return elapsed


def measure(kernel, rounds):
    starts, times = [], {name: [] for name in CASES}
    for _ in range(rounds):
        start = time.perf_counter()
        with Notebook(kernel) as notebook:
            starts.append(time.perf_counter() - start)
            for name, (code, repeats) in CASES.items():
                times[name] += [seconds(notebook, code) for _ in range(repeats)]
    medians = {name: round(statistics.median(values), 5) for name, values in times.items()}
    return {"start": round(statistics.median(starts), 3), **medians}


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(json.dumps({kernel: measure(kernel, rounds) for kernel in ("gamelan", "python3")}, indent=2))
