# SPDX-License-Identifier: BSD-3-Clause
"""A day's programs beside NumPy, JAX and Numba: `programs.py [--ranks P] [--sizes N,N] [--rivals FOLDER] [--write-docs] [NAME...]`.

Each rival is a process of its own, asked in turn; times are medians of repeats in milliseconds, compilation not counted: until an
array is there, or a number is Python's. A rival that is not installed is named and left out;
`pip install --target FOLDER -r tests/bench/rivals.txt` installs JAX and Numba where `--rivals FOLDER` finds them.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
import warnings

import machine
import numpy
import page
import program_cases

RIVALS = ("numpy", "gamelan", "jax", "numba")


# ---- a rival: a process that reads the names of programs and writes a line of JSON for each


def compiled(rival, name, source):
    """The program for a rival, and what waits until its result is there; None where the rival has no such thing."""
    if rival == "jax" and (name in program_cases.WRITING or name in program_cases.NOT_JIT):
        return None
    if rival == "jax":
        import jax

        names = {"np": jax.numpy}
        exec(source, names)
        return jax.jit(names[name]), jax.block_until_ready
    module = __import__("numpy" if rival == "numba" else rival)
    names = {"np": module}
    exec(source, names)
    if rival == "numba":
        sys.modules["coverage"] = None  # Numba would take it, and Debian 12's is too old for it
        import numba

        return numba.njit(parallel=True)(names[name]), lambda result: result
    return names[name], (lambda result: module.sync()) if rival == "gamelan" else (lambda result: result)


def moved(rival, arrays):
    if rival == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return {name: jax.numpy.asarray(array) for name, array in arrays.items()}
    if rival == "gamelan":
        import gamelan

        return {name: gamelan.asarray(array) for name, array in arrays.items()}
    return arrays


def measured(program, wait, arguments, seconds):
    def finish(result):  # a number is looked at, as a person does
        float(result) if getattr(result, "ndim", 0) == 0 else wait(result)

    result = program(*arguments)
    finish(result)
    del result
    taken = []
    until = time.perf_counter() + seconds
    while len(taken) < 3 or time.perf_counter() < until and len(taken) < 2000:
        start = time.perf_counter()
        result = program(*arguments)
        finish(result)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), float(numpy.asarray(result, float).sum())


def serve(rival, elements, seconds):
    warnings.simplefilter("ignore")
    arrays = moved(rival, program_cases.inputs(elements))
    sources = program_cases.sources()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        name = line.strip()
        try:
            both = compiled(rival, name, sources[name])
            answer = {}
            if both is not None:
                arguments = [arrays[parameter] for parameter in program_cases.parameters(sources[name])]
                answer["seconds"], answer["sum"] = measured(*both, arguments, seconds)
        except Exception as error:  # Numba does not know all of NumPy
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


# ---- the command


class Rival:
    def __init__(self, name, elements, settings):
        environment = dict(os.environ, GAMELAN_ENGINES=str(settings.ranks))
        if settings.rivals and name in ("jax", "numba"):
            environment["PYTHONPATH"] = settings.rivals
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", name, "--sizes", str(elements), "--seconds", str(settings.seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        )  # fmt: skip
        self.is_there = bool(self._process.stdout.readline())

    def ask(self, program):
        time.sleep(machine.QUIET_S)
        self._process.stdin.write(program + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self.is_there = False
            return {"error": "the process ended"}
        return json.loads(line)

    def leave(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)


def figure(answer, expected):
    if "seconds" not in answer:
        return "-"
    differs = not math.isclose(answer["sum"], expected, rel_tol=1e-6, abs_tol=1e-6)
    return f"{1e3 * answer['seconds']:.2f}" + ("!" if differs else "")


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan


def compare(elements, settings):
    """Prints a line for each program. Returns these, as lists of text, and a sentence for each rival of whom ratios are told."""
    rivals = [Rival(name, elements, settings) for name in RIVALS]
    for rival in rivals:
        if not rival.is_there:
            print(f"{rival.name} is not here")
    rivals = [rival for rival in rivals if rival.is_there]
    if settings.write_docs and len(rivals) < len(RIVALS):
        raise SystemExit("--write-docs: the table is of all rivals, and not all are here")
    print(f"{elements:,} elements | " + " | ".join(f"{rival.name} ms" for rival in rivals) + " | times NumPy | times JAX")
    ratios, lines, means = {"numpy": [], "jax": []}, [], []
    for name in program_cases.sources():
        if settings.names and name not in settings.names:
            continue
        answers = {rival.name: rival.ask(name) for rival in rivals}
        ours = answers["gamelan"].get("seconds")
        told = [figure(answer, answers["numpy"].get("sum", math.nan)) for answer in answers.values()]
        for other, found in ratios.items():
            theirs = answers.get(other, {}).get("seconds")
            told.append(f"{theirs / ours:.2f}" if ours and theirs else "-")
            if ours and theirs:
                found.append(theirs / ours)
        print(f"{name:26} | " + " | ".join(f"{text:>9}" for text in told), flush=True)
        lines.append([name.replace("_", " "), *told[: len(rivals)]])
    for other, found in ratios.items():
        if found:
            ahead = sum(ratio >= 0.95 for ratio in found)
            means.append(f"beside {other} geometric mean {mean(found):.2f}, at least as fast in {ahead} of {len(found)}")
    print("; ".join(means))
    for rival in rivals:
        rival.leave()
    return lines, means


def write_docs(found, settings):
    """The table of the last size, two programs a line, and one sentence for each size."""
    lines = list(found.values())[-1][0]
    half = (len(lines) + 1) // 2
    head = ["program", *(f"{rival} ms" for rival in RIVALS)]
    pairs = [left + right for left, right in zip(lines[:half], [*lines[half:], [""] * len(head)][:half])]
    ranks = f"{settings.ranks} ranks" if settings.ranks > 1 else "1 rank"
    sizes = [f"- {elements:,} elements: {'; '.join(means)}." for elements, (_, means) in found.items()]
    table = page.rows([head * 2, *pairs], ([":--"] + ["--:"] * len(RIVALS)) * 2)
    page.fill("programs", [f"{page.told(machine.facts())}; {ranks}.", "\n".join(sizes), table])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--sizes", default="100000,2000000")
    parser.add_argument("--seconds", type=float, default=0.4, help="of repeats, for each program and rival")
    parser.add_argument("--rivals", default="", help="a folder into which pip has put JAX and Numba")
    parser.add_argument("--write-docs", action="store_true", help="fill in docs/performance.md, where all rivals must be here")
    parser.add_argument("--serve", choices=RIVALS, help=argparse.SUPPRESS)
    settings = parser.parse_args()
    found = {}
    for elements in map(int, settings.sizes.split(",")):
        if settings.serve:
            serve(settings.serve, elements, settings.seconds)
        else:
            found[elements] = compare(elements, settings)
    if settings.write_docs:
        write_docs(found, settings)


if __name__ == "__main__":
    main()
