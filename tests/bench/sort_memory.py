# SPDX-License-Identifier: BSD-3-Clause
"""Memory and time of what sorts: the most that was in use, in bytes of the operands (these among them), and the time beside
NumPy's, in turn. Usage: GAMELAN_CONNECT=FILE python3 sort_memory.py [elements] [rounds] [program]...; engines run already. Prints a table.
"""

import gc
import statistics
import sys
import time

import numpy

import gamelan

PROGRAMS = {  # operands: "a" distinct floats, "n" few different integers, "c" counts, "m" as "n", fewer
    "sort": ("a", lambda np, a: np.sort(a)),
    "sort, in place": ("a", lambda np, a: a.sort()),
    "argsort": ("a", lambda np, a: np.argsort(a, kind="stable")),
    "lexsort, two keys": ("na", lambda np, n, a: np.lexsort((a, n))),
    "unique": ("a", lambda np, a: np.unique(a)),
    "unique, few": ("n", lambda np, n: np.unique(n)),
    "unique with inverse": ("a", lambda np, a: np.unique(a, return_inverse=True)),
    "unique with inverse, few": ("n", lambda np, n: np.unique(n, return_inverse=True)),
    "isin": ("nm", lambda np, n, m: np.isin(n, m)),
    "permutation": ("a", lambda np, a: np.random.default_rng(1).permutation(a)),
    "repeat by counts": ("ac", lambda np, a, c: np.repeat(a, c)),
}


def operands(size):
    random = numpy.random.default_rng(1)
    return {
        "a": random.random(size),
        "n": random.integers(0, 1000, size),
        "c": random.integers(0, 3, size),
        "m": random.integers(0, 2000, size // 2),
    }


def peak(program, given):
    """Bytes in use at most while it runs, over those of its operands."""
    gc.collect()
    gamelan.sync()
    gamelan.stats(reset=True)
    others = gamelan.stats()["heap_bytes"] - sum(array.nbytes for array in given)
    result = program(gamelan, *given)
    gamelan.sync()
    del result
    return (gamelan.stats()["heap_peak"] - others) / sum(array.nbytes for array in given)


def seconds(np, program, given):
    start = time.perf_counter()
    result = program(np, *given)
    gamelan.sync()
    taken = time.perf_counter() - start
    del result
    gc.collect()
    return taken


def main(size, rounds, names):
    here = operands(size)
    there = {name: gamelan.array(array) for name, array in here.items()}
    print("| | peak / operands | ms | x NumPy |\n| :-- | --: | --: | --: |")
    for name in names:
        letters, program = PROGRAMS[name]
        ours, theirs = [there[letter] for letter in letters], [here[letter] for letter in letters]
        if "in place" in name:  # of a copy, for each turn finds it sorted
            ours, theirs = [array.copy() for array in ours], [array.copy() for array in theirs]
        ratio = peak(program, ours)
        times = [(seconds(gamelan, program, ours), seconds(numpy, program, theirs)) for _ in range(rounds)]
        mine, its = (statistics.median(column) for column in zip(*times))
        print(f"| {name} | {ratio:.2f} | {1e3 * mine:.0f} | {its / mine:.2f} |", flush=True)


if __name__ == "__main__":
    size, rounds = [int(float(text)) for text in sys.argv[1:3]] + [3 << 20, 3][len(sys.argv) - 1 :]
    main(size, rounds, sys.argv[3:] or list(PROGRAMS))
