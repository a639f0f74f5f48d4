# SPDX-License-Identifier: BSD-3-Clause
"""The cases of the bench: one file each; some are measured at more than one size or operation.

A file has
    FULL, SMOKE                          parameters: worth measuring, and what a test can afford
    inputs(params)                       the operands as NumPy arrays, made once and not timed
    compute(np, params, *operands)       the program, timed: ordinary NumPy that runs unchanged with `import gamelan as np`
    result(np, params, *outputs)         its fingerprint, a list of numbers; integers must be equal, floats within RTOL
    EXPECTED                             the fingerprint at SMOKE, stored (by name where a file has several); at other sizes
                                         NumPy computes it in the same run
and, where they make sense,
    MUTATES                              positions of operands that compute() overwrites: each run gets fresh copies, untimed
    compute_numexpr(evaluate, params, *operands)   the same where one expression says what a pass does
    compute_dask(da, params, *operands)  the same for dask.array; what it returns may be lazy
    bytes_moved(params)                  what a run must read and write at least: the table shows GiB/s
    TARGETS                              what 2 ranks must show: how many times as fast as numpy, numexpr or dask (at least), and
                                         how many times the reference's time (at most)
"""

import importlib
from dataclasses import dataclass, field
from types import ModuleType

# In the order of the table. A name is a file, or (file, parameters that differ).
NAMES = {
    "stream": "stream",
    "reduce_sum": ("reduce", {"op": "sum"}),
    "reduce_min": ("reduce", {"op": "min"}),
    "reduce_max": ("reduce", {"op": "max"}),
    "scan": "scan",
    "gather": "gather",
    "scatter": "scatter",
    "argsort": "argsort",
    "laplace": "laplace",
    "laplace_small": ("laplace", {"n": 700, "sweeps": 100}),
    "sweeps": "sweeps",
    "jacobi_stencil": "jacobi_stencil",
    "jacobi": "jacobi",
    "black_scholes": "black_scholes",
    "fractal": "fractal",
    "nbody": "nbody",
    "knn": "knn",
    "lbm2d": "lbm2d",
    "lbm3d": "lbm3d",
    "cg": "cg",
    "kmeans": "kmeans",
    "matmul": "matmul",
}
# What every case must show; a file's own TARGETS come first.
TARGETS = {"numexpr": 1.0, "dask": 5.0}
_DEFAULTS = {"MUTATES": (), "RTOL": 1e-10, "TARGETS": {}, "bytes_moved": None, "compute_numexpr": None, "compute_dask": None}


@dataclass
class Case:
    """A case as the workers and the harness use it."""

    name: str
    program: str  # what the reference program calls it
    module: ModuleType
    full: dict
    smoke: dict
    expected: list  # at `smoke`
    targets: dict = field(default_factory=dict)

    def __getattr__(self, name):
        # inputs, compute, result ... are the file's own.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.module, name, *([_DEFAULTS[name]] if name in _DEFAULTS else []))


def load(name):
    """The case of that name."""
    if name not in NAMES:
        raise ValueError(f"no case {name!r}; there are {', '.join(NAMES)}")
    program, changes = NAMES[name] if isinstance(NAMES[name], tuple) else (NAMES[name], {})
    module = importlib.import_module(f"cases.{program}")
    expected = module.EXPECTED[name] if isinstance(module.EXPECTED, dict) else module.EXPECTED
    # A variant of another size is the same case when small: only what is not a size differs there.
    small = {key: value for key, value in changes.items() if not isinstance(value, int)}
    targets = getattr(module, "TARGETS", {})
    return Case(name, program, module, {**module.FULL, **changes}, {**module.SMOKE, **small}, expected,
                {**TARGETS, **targets.get(name, targets)})  # fmt: skip
