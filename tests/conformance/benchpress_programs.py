# SPDX-License-Identifier: BSD-3-Clause
"""Runs the NumPy programs of benchpress (a checkout of bh107/benchpress) at small sizes on numpy and on gamelan.

    python benchpress_programs.py DIRECTORY [--ranks 3] [--require 10]

Compared is what a program saves, or else the local variables of its main function. What they import as
`benchpress.benchmarks.util` (arguments, clock, plots) is a stand-in of ours.
"""

import sys
import types

import numpy

import programs
import sources

_SIZES = {
    "black_scholes": [60, 3], "convolve": [6, 3, 2, 2], "convolve1d": [30, 5, 2], "galton_bean_machine": [50, 6],
    "gameoflife": [12, 13, 4, 1], "gauss": [8], "heat_equation": [12, 13, 5], "lattice_boltzmann_D2Q9": [10, 12, 3],
    "leibnitz_pi": [100, 2], "lu": [8], "magnetic_field_extrapolation": [8, 8, 2], "montecarlo_pi": [100, 3], "nbody": [8, 3],
    "nbody_nice": [4, 8, 2], "quasicrystal": [3, 5, 16, 2], "rosenbrock": [60, 3], "shallow_water": [12, 12, 4],
    "snakes_and_ladders": [12, 3], "wisp": [8, 8, 3], "xraysim": [8, 8, 2],
}  # fmt: skip


class Benchmark:
    """What a program calls `bench`: its sizes, and nothing that takes time or a screen."""

    def __init__(self, module, size):
        self._module, self.saved, self.dtype = module, {}, numpy.float64
        self.args = types.SimpleNamespace(size=size, seed=1, visualize=False, no_do_while=True, no_extmethods=True, verbose=False,
                                          inputfn=None, outputfn=None)  # fmt: skip

    def load_data(self):
        """There is none."""

    def save_data(self, data):
        """Keeps what a program leaves."""
        self.saved = dict(data)

    def random_array(self, shape, dtype=None):
        """The same numbers for every module."""
        values = numpy.random.RandomState(1).random_sample(shape)
        return self._module.asarray(values.astype(self.dtype if dtype is None else dtype))

    def do_while(self, function, iterations, *arguments, **keywords):
        """Calls a function until it returns a false value, so many times at most."""
        turns = 0
        while iterations is None or turns < iterations:
            turns += 1
            answer = function(*arguments, **keywords)
            if answer is not None and not answer:
                break

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def _program(path, size):
    def program(module):
        bench = Benchmark(module, list(size))
        util = sources.stand_in("benchpress.benchmarks.util", Benchmark=lambda *_, **__: bench, bh_is_loaded_as_np=False)
        sources.stand_in("benchpress", benchmarks=sources.stand_in("benchpress.benchmarks", util=util))
        names = sources.load(path, module)
        found = sources.returned_locals(names["main"])
        return sources.numeric(bench.saved or found)

    return program


def suite(directory):
    """(name, program) of every program with sizes above."""
    for name, size in _SIZES.items():
        yield name, _program(directory / "benchpress" / "benchmarks" / name / "python_numpy" / f"{name}.py", size)


if __name__ == "__main__":
    sys.exit(programs.main("benchpress", suite, relative=1e-5))
