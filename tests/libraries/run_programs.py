# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of a library with NumPy and with Gamelan, in an environment that has it; prints {"version": ..., "ranks": of the
engines, program: [NumPy's result, Gamelan's, NumPy's seconds, Gamelan's]} as JSON. Called by test_libraries.py."""

import importlib
import json
import sys
import time
import warnings

import numpy
import programs

warnings.simplefilter("ignore")
library, count = sys.argv[1], int(sys.argv[2])
import gamelan  # noqa: E402


def data(np):
    random = numpy.random.default_rng(0)
    arrays = {"x": random.random(count), "m": random.random((count // 10, 3)), "i": random.integers(0, 10, count)}
    arrays["im"] = (random.random((count // 20, 20)) * 255).astype("u1")
    return {name: np.asarray(array) for name, array in arrays.items()}


def result(np, expression):
    names = {"numpy": numpy, "np": np}
    exec(programs.SETUP[library], names)
    names.update(data(np))
    if "plt" in names:
        names["plt"].close("all")
        names["plt"].figure()
    start = time.perf_counter()
    try:
        value = eval(expression, names)
        told = repr(value.tolist() if hasattr(value, "tolist") else value)
    except Exception as error:
        told = f"{type(error).__name__}: {str(error)[:300]}"
    return told, time.perf_counter() - start


def main():
    try:
        module = importlib.import_module(library)
    except ImportError as missing:
        print(json.dumps({"missing": str(missing)}))
        return
    found = {"version": getattr(module, "__version__", sys.version.split()[0])}
    for expression in programs.of(library):
        (theirs, their_time), (ours, our_time) = result(numpy, expression), result(gamelan, expression)
        found[expression] = [theirs, ours, their_time, our_time]
    found["ranks"] = gamelan.stats().get("ranks")  # none where no engines were needed
    print(json.dumps(found))


main()
