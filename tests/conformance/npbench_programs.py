# SPDX-License-Identifier: BSD-3-Clause
"""Runs the kernels of npbench (a checkout of spcl/npbench) at small sizes on numpy and on gamelan.

    python npbench_programs.py DIRECTORY [--ranks 3] [--require 45]

The input of both is what NumPy makes of the kernel's own initialisation; what is compared is the result and every array that
the kernel was given. Names that a kernel imports from numpy itself are NumPy's.
"""
import inspect
import json
import sys

import numpy

import programs
import sources

# Sizes that are not just small: where a kernel asks for a relation between them.
_SIZES = {"stockham_fft": {"R": 2, "K": 4}, "mandelbrot1": {"xn": 20, "yn": 21, "maxiter": 10}, "mandelbrot2": {"XN": 20, "YN": 21, "maxiter": 10},
          "lenet": {"N": 1, "H": 28, "W": 28}, "azimint_hist": {"N": 3000, "npt": 50}, "azimint_naive": {"N": 500, "npt": 20}}  # fmt: skip


def _small(value):
    return value if not isinstance(value, int) or value <= 12 else 12 + value % 7


def _program(directory, facts):
    name = facts["module_name"]
    folder = directory / "npbench" / "benchmarks" / facts["relative_path"]
    values = {key: _small(value) for key, value in facts["parameters"]["S"].items()} | _SIZES.get(name, {})

    def program(module):
        numpy.random.seed(1)
        data = dict(values)
        if facts.get("init"):
            initialize = sources.load(folder / f"{name}.py", numpy)[facts["init"]["func_name"]]
            made = initialize(*(data[key] for key in facts["init"]["input_args"]))
            data |= zip(facts["init"]["output_args"], made if len(facts["init"]["output_args"]) > 1 else (made,))
        for key, value in data.items():
            if isinstance(value, numpy.ndarray):
                data[key] = module.asarray(value.copy())
        kernel = sources.load(folder / f"{name}_numpy.py", module)[facts["func_name"]]
        result = kernel(*(data[key] for key in facts["input_args"]))
        given = [value for key in facts["input_args"] for value in [data[key]] if isinstance(value, (numpy.ndarray, type(module.zeros(1))))]
        return [result] + given if result is not None and not inspect.isfunction(result) else given

    return program


def suite(directory):
    """(name, program) of every kernel."""
    for path in sorted((directory / "bench_info").glob("*.json")):
        facts = json.loads(path.read_text())["benchmark"]
        yield facts["module_name"], _program(directory, facts)


if __name__ == "__main__":
    sys.exit(programs.main("npbench", suite, relative=1e-5))
