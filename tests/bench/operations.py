# SPDX-License-Identifier: BSD-3-Clause
"""Single operations beside NumPy's, each in turn in this process: `operations.py [--ranks P] [--sizes N,N] [--processor] [NAME...]`.

A line per operation and size: NumPy's milliseconds, ours, how many times as fast we are, and whether the results agree.
Names choose the operations that contain one of them. run.py does not run this: it is for who works on one operation.
"""

import argparse
import os
import pathlib
import statistics
import time
import warnings

import numpy
import operations_cases


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--sizes", default="100000,2000000")
    parser.add_argument("--processor", action="store_true", help="time of the processor instead of the clock, for a busy machine")
    parser.add_argument("--seconds", type=float, default=0.6, help="of repeats, for each operation")
    return parser.parse_args()


def engines():
    """Processes of engines below this one."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        parents[int(folder.name)] = int(rest.split()[1]), name
    found = []
    for process, (parent, name) in parents.items():
        while parent in parents and parent != os.getpid():
            parent = parents[parent][0]
        if name == "gamelan-engine" and parent == os.getpid():
            found.append(process)
    return found


def processor_seconds(processes):
    """Of all threads, on average over the processes."""
    total = 0
    for process in processes:
        for task in pathlib.Path(f"/proc/{process}/task").glob("*/schedstat"):
            total += int(task.read_text().split()[0])
    return 1e-9 * total / max(len(processes), 1)


def seconds_of(call, finish, processes=None):
    """Seconds on the clock; with processes, those of the processor here and there, which a busy machine hardly changes."""

    def now():
        return time.perf_counter() if processes is None else time.process_time() + processor_seconds(processes)

    start = now()
    result = call()
    finish()
    return now() - start, result


def agree(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    return numpy.allclose(ours, theirs, rtol=1e-9, atol=1e-9, equal_nan=theirs.dtype.kind in "fc")


def compared(np, program, seconds, processes=None):
    """Median seconds of NumPy and of us, by turns, and whether both say the same (None where that has no meaning)."""
    theirs, ours = [], []
    calls = program(numpy), program(np)
    np.sync()
    expected, result = calls[0](), calls[1]()
    np.sync()
    is_equal = None if program.is_random else agree(result, expected)
    del expected, result
    calls[1]()
    np.sync()
    until = time.perf_counter() + seconds
    while len(ours) < 3 or time.perf_counter() < until and len(ours) < 200:
        theirs.append(seconds_of(calls[0], lambda: None, processes and [])[0])
        ours.append(seconds_of(calls[1], np.sync, processes)[0])
    return statistics.median(theirs), statistics.median(ours), is_equal


def main():
    settings = parsed()
    os.environ["GAMELAN_ENGINES"] = str(settings.ranks)
    warnings.simplefilter("ignore")
    import gamelan as np

    np.ones(np.config.distribute_from).sum().item()  # the engines start
    processes = engines() if settings.processor else None
    for size in map(int, settings.sizes.split(",")):
        for name, program in operations_cases.programs(size).items():
            if settings.names and not any(part in name for part in settings.names):
                continue
            try:
                theirs, ours, is_equal = compared(np, program, settings.seconds, processes)
            except Exception as error:
                print(f"{size:9} {name:26} {type(error).__name__}: {str(error)[:90]}", flush=True)
                continue
            told = "" if is_equal or is_equal is None else "DIFFERS"
            print(f"{size:9} {name:26} {1e3 * theirs:9.2f} {1e3 * ours:9.2f} {theirs / ours:7.2f} {told}", flush=True)


if __name__ == "__main__":
    main()
