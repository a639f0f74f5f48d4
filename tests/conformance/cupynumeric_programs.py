# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of cuPyNumeric (a checkout of nv-legate/cupynumeric) at small sizes on numpy and on gamelan.

    python cupynumeric_programs.py DIRECTORY [--ranks 3] [--require 30]

Examples only tell their time: compared are the arrays and numbers in the local variables of their main function when it
returns. Their bench harness and their timer are stand-ins of ours. Two call what NumPy does not have, and NumPy refuses them.
"""

import sys

import numpy

import programs
import sources

# file, function, arguments: sizes of ours.
_EXAMPLES = [
    ("black_scholes", "run_black_scholes", {"N": 2, "D": numpy.float64}),
    ("black_scholes_greeks", "run_black_scholes_benchmark", {"n_vol_steps": 5, "n_t_steps": 7, "n_money_steps": 6, "iters": 2, "warmup": 0}),
    ("cfd", "channel_flow", {"package": "numpy", "iteration": 5, "warmup": 1, "nit": 4, "nx": 13, "ny": 14, "dt": 0.001, "dx": 0.1, "dy": 0.1,
                             "rho": 1.0, "nu": 0.1}),
    ("cg", "run_cg", {"N": 6, "corners": False, "conv_iters": 5, "warmup": 0, "max_iters": 30}),
    ("cg", "run_preconditioned_cg", {"N": 6, "corners": False, "conv_iters": 5, "warmup": 0, "max_iters": 30}),
    ("cholesky", "cholesky", {"n": 14, "dtype": numpy.float64}),
    ("einsum", "run_einsum", {"expr": "ij,jk->ik", "N": 12, "iters": 2, "warmup": 0, "dtype": numpy.float64, "cupy_compatibility": False}),
    ("gemm", "run_gemm", {"N": 20, "I": 2, "warmup": 0, "ft": numpy.float64}),
    *(("indexing_routines", f"compute_{each}", {"steps": 2, "N": 12, "timing": False, "warmup": 0})
      for each in ("diagonal", "choose", "repeat", "advanced_indexing_1d", "advanced_indexing_2d", "advanced_indexing_3d")),
    ("jacobi", "run_jacobi", {"N": 16, "iters": 5, "warmup": 0, "perform_check": False, "print_timing": False, "verbose": False}),
    ("kmeans", "run_kmeans", {"C": 3, "D": 4, "T": numpy.float64, "I": 5, "N": 40, "S": 2}),
    ("kmeans_slow", "run_kmeans", {"C": 3, "D": 4, "T": numpy.float64, "I": 5, "N": 40, "S": 2}),
    ("linreg", "run_linear_regression", {"N": 1, "F": 5, "T": numpy.float64, "I": 6, "warmup": 0, "S": 2, "B": False}),
    ("logreg", "run_logistic_regression", {"N": 1, "F": 5, "T": numpy.float64, "I": 6, "warmup": 0, "S": 2, "B": False}),
    ("lstm_backward", "run_lstm", {"batch_size": 2, "hidden_size": 3, "sentence_length": 3, "word_size": 3}),
    ("lstm_forward", "run_lstm", {"batch_size": 2, "hidden_size": 3, "sentence_length": 3, "word_size": 3}),
    ("qr", "qr", {"m": 14, "n": 9, "dtype": numpy.float64}),
    ("quantiles", "run_quantiles", {"shape": (6, 7), "axis": 1, "datatype": "float", "lower": 0, "upper": 10, "str_method": "linear"}),
    ("richardson_lucy", "run_richardson_lucy", {"shape": (30,), "filter_shape": (5,), "num_iter": 2, "warmup": 0, "conv_method": "auto"}),
    ("scan", "run_scan", {"OP": "cumsum", "shape": (5, 6), "dt": numpy.float64, "ax": 1}),
    ("solve", "solve", {"n": 14, "nrhs": 3, "dtype": numpy.float64}),
    ("sort", "run_sort", {"shape": (5, 6), "axis": 1, "argsort": False, "datatype": "float", "lower": 0, "upper": 10}),
    ("sort", "run_sort", {"shape": (30,), "axis": 0, "argsort": True, "datatype": "int", "lower": 0, "upper": 1000}),
    ("stencil", "run_stencil", {"N": 16, "I": 5, "warmup": 1}),
    ("svd", "svd", {"m": 14, "n": 9, "full_matrices": False, "dtype": numpy.float64}),
    ("take_pairs", "take_pairs", {"M": 20, "N": 6}),
    ("tssvd", "run_tssvd", {"m": 20, "n": 3}),
]  # fmt: skip
# Names that a file has only where it is the main program.
_GLOBALS = {"cfd": {"F": 1}, "richardson_lucy": {"float_type": numpy.float64}}


class _Timer:
    def start(self):
        pass

    def stop(self):
        return 1

    def sync(self, *_):
        pass


def _harness(*_, **__):
    return lambda function: function


def _program(path, function, arguments):
    def program(module):
        names = sources.load(path, module)
        names |= _GLOBALS.get(path.stem, {})
        found = sources.returned_locals(names[function], names_of(module), timer=_Timer(), **arguments)
        return sources.numeric(found)

    def names_of(module):
        return sources.Stand(module)

    return program


def suite(directory):
    """(name, program) of every example above."""
    sources.stand_in("_benchmark", benchmark_info=_harness, parse_with_harness=_harness, get_timer=lambda *_, **__: _Timer(),
                     get_numpy=lambda np, array: numpy.asarray(array), __getattr__=lambda name: _harness)  # fmt: skip
    for number, (name, function, arguments) in enumerate(_EXAMPLES):
        yield f"{name}.{function}#{number}", _program(directory / "examples" / f"{name}.py", function, arguments)


if __name__ == "__main__":
    sys.exit(programs.main("cupynumeric", suite, relative=1e-5))
