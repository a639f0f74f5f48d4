# SPDX-License-Identifier: BSD-3-Clause
"""Runs every kernel of npbench (a checkout of spcl/npbench) on numpy and on gamelan.

    python npbench_programs.py DIRECTORY [--ranks 3] [--require 54] [--sizes small|S]

The input of both is what NumPy makes of the kernel's own initialisation; what is compared is the result and every array that
the kernel was given. `small` are npbench's smallest sizes, S, made smaller by one rule, so that each kernel takes seconds
where everything is distributed; `--sizes S` is S itself, for whoever has the time.
"""

import json
import sys

import numpy

import programs
import sources

# The rule of `small`: extents and counts up to this stay, larger ones come down to it and at most `_SPREAD` - 1 more, so
# that extents differ and ranks have blocks of different sizes.
_LARGEST = 24
_SPREAD = 12

# What the rule would spoil: a relation between extents that a kernel asks for, or that its result needs to say something.
_SMALL = {
    "azimint_hist": {"N": 3000, "npt": 50},  # no bin is empty
    "azimint_naive": {"N": 1000, "npt": 36},
    "channel_flow": {"nx": 25, "ny": 26, "nit": 2},  # 952 turns until it is steady, each of which asks whether it is
    "gramschmidt": {"M": 34, "N": 24},  # its initialisation draws until all N columns are independent
    "lenet": {"N": 2, "H": 28, "W": 28},  # two convolutions and two poolings leave whole pixels
    "mandelbrot1": {"XN": 32, "YN": 27, "maxiter": 20},  # as many points inside the set as outside; rows are not columns
    "mandelbrot2": {"XN": 32, "YN": 27, "maxiter": 20},
    "nussinov": {"N": 18},  # N**3 / 6 turns, and each needs a value
    "stockham_fft": {"R": 2, "K": 9},  # K is an exponent
}  # fmt: skip


def _small(value):
    return value if not isinstance(value, int) or value <= _LARGEST else _LARGEST + value % _SPREAD


def _values(facts, sizes):
    given = facts["parameters"]["S"]
    if sizes == "S":
        return given
    return {key: _small(value) for key, value in given.items()} | _SMALL.get(facts["module_name"], {})


def _program(directory, facts, sizes):
    name = facts["module_name"]
    folder = directory / "npbench" / "benchmarks" / facts["relative_path"]

    def program(module):
        numpy.random.seed(1)
        data = dict(_values(facts, sizes))
        if facts.get("init"):
            initialize = sources.load(folder / f"{name}.py", numpy)[facts["init"]["func_name"]]
            made = initialize(*(data[key] for key in facts["init"]["input_args"]))
            data |= zip(facts["init"]["output_args"], made if len(facts["init"]["output_args"]) > 1 else (made,))
        for key, value in data.items():
            if isinstance(value, numpy.ndarray):
                data[key] = module.asarray(value.copy())
        kernel = sources.load(folder / f"{name}_numpy.py", module)[facts["func_name"]]
        result = kernel(*(data[key] for key in facts["input_args"]))
        left = [data[key] for key in facts["input_args"] if isinstance(data[key], (numpy.ndarray, type(module.zeros(1))))]
        if result is not None:
            left.insert(0, result)
        if not left:
            raise AssertionError("it leaves nothing that could be compared")
        return left

    return program


def suite(directory, sizes="small"):
    """(name, program) of every kernel."""
    for path in sorted((directory / "bench_info").glob("*.json")):
        facts = json.loads(path.read_text())["benchmark"]
        yield facts["module_name"], _program(directory, facts, sizes)


if __name__ == "__main__":
    sys.exit(programs.main("npbench", suite, relative=1e-5, sizes=("small", "S")))
