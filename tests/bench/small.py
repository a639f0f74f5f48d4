# SPDX-License-Identifier: BSD-3-Clause
"""The small end: what an operation costs before any element is computed, and from which size on engines pay.

As a program, `small.py P [--smoke]` measures on P engines in this process, beside NumPy, and prints JSON; run.py starts it
once per number of ranks. Times are medians in microseconds.
"""

import gc
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

import machine
import pool

FOLDER = pathlib.Path(__file__).resolve().parent
LIMIT_S = 400
SIZES = [10**power for power in range(9)]
NEEDED_BYTES = 7 * 8  # per element of the largest size: a, b, c on both sides and NumPy's temporary
LOCAL = {
    "a + b": "a + b",
    "a[2:8]": "a[2:8]",
    "a.sum()": "a.sum()",
    "a[:10] + 1": "a[:10] + 1",
    "sqrt(a)": "np.sqrt(a)",
}


def loop_us(code, names, count):
    """Microseconds per turn of `code`, of one loop of `count` turns."""
    turns = compile(f"for _ in turns:\n    {code}", "<small>", "exec")
    names = {**names, "turns": range(count)}
    start = time.perf_counter()
    exec(turns, names)
    return 1e6 * (time.perf_counter() - start) / count


def local(np, numpy, rounds, count):
    """Operations on 10 elements, which never leave the notebook: ours and NumPy's, in turn."""
    told = {}
    for name, code in LOCAL.items():
        modules = {"ours": np, "numpy": numpy}
        operands = {side: {"np": module, "a": module.arange(10.0), "b": module.ones(10)} for side, module in modules.items()}
        times = {side: [] for side in modules}
        for _ in range(rounds):
            for side, names in operands.items():
                times[side].append(loop_us(code, names, count))
        ours, theirs = (statistics.median(times[side]) for side in ("ours", "numpy"))
        told[name] = {"us": ours, "numpy_us": theirs, "ratio": ours / theirs}
    return told


def record_us(np, rounds, count):
    """Recording an operation on a distributed array: Python and C++ together, nothing computed meanwhile by this process."""
    a = np.ones(np.config.distribute_from)
    times = []
    for _ in range(rounds):
        np.sync()
        times.append(loop_us("x = a + 1.0", {"a": a}, count))
    np.sync()
    return statistics.median(times)


def round_trip_us(np, count):
    """The smallest batch there is, one operation on one element, until it is computed."""
    with np.options(distribute_from=0):
        a = np.ones(1)
        np.sync()
        times = []
        for _ in range(count):
            b = a + 1.0
            start = time.perf_counter()
            np.sync()
            times.append(1e6 * (time.perf_counter() - start))
        del b
    return statistics.median(times)


def sweep(np, numpy, sizes):
    """c = a + b * 2 from one element to many, ours and NumPy's."""
    told = []
    for size in sizes:
        if machine.memory("MemAvailable") < NEEDED_BYTES * size:
            told.append({"n": size, "skipped": "too little memory"})
            continue
        repeats = max(3, min(200, 10**7 // size))
        times = {"us": [], "numpy_us": []}
        operands = {key: (module.arange(float(size)), module.ones(size)) for key, module in (("us", np), ("numpy_us", numpy))}
        np.sync()
        for turn in range(repeats + 1):
            for key, (a, b) in operands.items():
                start = time.perf_counter()
                c = a + b * 2
                if key == "us":
                    np.sync()
                if turn:
                    times[key].append(1e6 * (time.perf_counter() - start))
        assert float(c[-1]) == size + 1.0
        del a, b, c, operands
        gc.collect()
        np.sync()
        told.append({"n": size, **{key: statistics.median(each) for key, each in times.items()}})
    return told


def measure_here(ranks, is_smoke):
    os.environ["GAMELAN_ENGINES"] = str(ranks)
    import numpy

    import gamelan as np

    rounds, count = (3, 100) if is_smoke else (25, 2000)
    np.ones(np.config.distribute_from).sum().item()  # the engines start, the plan is known
    return {
        "record_us": record_us(np, rounds, 50 if is_smoke else 200),
        "round_trip_us": round_trip_us(np, 20 if is_smoke else 500),
        "local": local(np, numpy, rounds, count),
        "sweep": sweep(np, numpy, SIZES[:6] if is_smoke else SIZES),
    }


def measure(settings, tell):
    """What small.py says on each number of ranks: {"1": {...}, ...}; an error where it failed."""
    told = {}
    for ranks in settings.ranks:
        tell(f"small: {ranks} ranks")
        command = [sys.executable, str(FOLDER / "small.py"), str(ranks), *(["--smoke"] if settings.is_smoke else [])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=pool.surroundings(), start_new_session=True)  # fmt: skip
        try:
            said, errors = process.communicate(timeout=LIMIT_S)
            failed = {"error": (errors.strip().splitlines() or ["died"])[-1]}
            told[str(ranks)] = json.loads(said) if process.returncode == 0 else failed
        except subprocess.TimeoutExpired:
            told[str(ranks)] = {"error": f"did not end within {LIMIT_S} s"}
        except ValueError:
            told[str(ranks)] = {"error": f"said {said[:100]!r}"}
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
    return told


def rows(told):
    """Tables: the costs per number of ranks, the local operations, the sweep."""
    good = {ranks: each for ranks, each in told.items() if "error" not in each}
    if not good:
        return []
    local = next(iter(good.values()))["local"]
    costs = [["ranks", "record an op, us", "smallest batch, us"]]
    costs += [[ranks, f"{each['record_us']:.2f}", f"{each['round_trip_us']:.0f}"] for ranks, each in good.items()]
    ten = [["10 elements", "us", "NumPy, us", "ratio"]]
    ten += [[name, f"{each['us']:.2f}", f"{each['numpy_us']:.2f}", f"{each['ratio']:.1f}"] for name, each in local.items()]
    sizes = [["a + b * 2, elements", "NumPy, us", *(f"{ranks} rank{'s' * (ranks != '1')}, us" for ranks in good)]]
    for at, first in enumerate(next(iter(good.values()))["sweep"]):
        times = [each["sweep"][at].get("us") for each in good.values()]
        sizes.append([f"{first['n']:,}", *(f"{each:.1f}" if each else "-" for each in [first.get("numpy_us"), *times])])
    return [costs, ten, sizes]


def text(told):
    """For a terminal: a list of lines."""
    lines = [f"small on {ranks} ranks: {each['error']}" for ranks, each in told.items() if "error" in each]
    for rows_of_one in rows(told):
        widths = [max(len(row[at]) for row in rows_of_one) for at in range(len(rows_of_one[0]))]
        lines += ["", *("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows_of_one)]
    return lines


def markdown(told):
    """For docs/performance.md: a list of tables."""
    tables = ([each[0], ["--:"] * len(each[0]), *each[1:]] for each in rows(told))
    return ["\n".join("| " + " | ".join(row) + " |" for row in each) for each in tables]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    print(json.dumps(measure_here(int(sys.argv[1]), "--smoke" in sys.argv)))
