# SPDX-License-Identifier: BSD-3-Clause
"""One competitor at one case, as a process that waits for orders: `worker.py COMPETITOR CASE [--ranks P] key=value ...`.

Reads lines {"do": "run"} and {"do": "quit"}; answers each run with one line of JSON (see README.md of this folder). Started by
pool.py, by hand for a look: `echo '{"do": "run"}' | python3 worker.py numpy stream n=1000`. Sleeps between orders.
"""

import argparse
import gc
import json
import os
import signal
import sys
import time
import traceback

import cases


class Numpy:
    """The oracle; BLAS may use every core."""

    def __init__(self, threads, ranks):
        import numpy

        self.numpy = self.np = numpy
        self.facts = {"version": numpy.__version__}

    def program(self, case, params):
        """What is timed, as a function of the operands."""
        return lambda *operands: case.compute(self.np, params, *operands)

    def operand(self, value):
        """A NumPy array of the case as an array of this competitor, in memory."""
        return value

    def copy(self, operand):
        return operand.copy()

    def expect_small(self):
        """The operands are those of a smoke run."""

    def settle(self):
        """Returns when all that was asked for is computed."""

    def reset(self):
        """Counters start at zero."""

    def stats(self, seconds):
        return {}


class Numexpr(Numpy):
    """One pass over memory with threads, where the case has an expression."""

    def __init__(self, threads, ranks):
        super().__init__(threads, ranks)
        import numexpr

        numexpr.set_num_threads(threads)
        self.evaluate = numexpr.evaluate
        self.facts = {"version": numexpr.__version__, "threads": threads}

    def program(self, case, params):
        if case.compute_numexpr is None:
            raise NotImplementedError("no single expression says it")
        return lambda *operands: case.compute_numexpr(self.evaluate, params, *operands)


class Dask(Numpy):
    """dask.array on threads; a result is there when its chunks are."""

    CHUNK_BYTES = 8 << 20

    def __init__(self, threads, ranks):
        super().__init__(threads, ranks)
        import dask
        import dask.array

        dask.config.set({"scheduler": "threads", "num_workers": threads})
        self.da, self.persist = dask.array, dask.persist
        self.facts = {"version": dask.__version__, "threads": threads}

    def operand(self, value):
        rows = max(1, min(len(value), self.CHUNK_BYTES * len(value) // max(1, value.nbytes)))
        return self.da.from_array(value, chunks=(rows, *value.shape[1:])).persist()

    def program(self, case, params):
        if case.compute_dask is None:
            raise NotImplementedError("not what dask.array is made for")
        return lambda *operands: self.persist(*case.compute_dask(self.da, params, *operands))


class Gamelan(Numpy):
    """Engines of this process, started as for any script."""

    def __init__(self, threads, ranks):
        super().__init__(threads, ranks)
        os.environ["GAMELAN_ENGINES"] = str(ranks)
        import gamelan

        self.np, self.ranks = gamelan, ranks
        self.facts = {"version": gamelan.__version__, "ranks": ranks}

    def expect_small(self):
        self.np.config.distribute_from = 1000  # they are to be computed by the engines all the same

    def operand(self, value):
        return self.np.asarray(value)

    def settle(self):
        self.np.sync()

    def reset(self):
        self.np.stats(reset=True)

    def stats(self, seconds):
        counters = self.np.stats()
        told = {name: counters[name] for name in TOLD if name in counters}
        told["wait_share"] = counters.get("wait_seconds", 0.0) / (self.ranks * seconds)
        return told


TOLD = ("steps", "plan_hits", "plan_misses", "bytes_shared", "bytes_received", "heap_peak", "commands", "batches",
        "plan_seconds", "compute_seconds")  # fmt: skip
COMPETITORS = {"numpy": Numpy, "numexpr": Numexpr, "dask": Dask, "gamelan": Gamelan}


class Runner:
    """A case set up for a competitor."""

    def __init__(self, competitor, case, params):
        self._competitor, self._case, self._params = competitor, case, params
        if params == case.smoke:
            competitor.expect_small()
        self._program = competitor.program(case, params)
        self._operands = [competitor.operand(value) for value in case.inputs(params)]
        competitor.settle()

    def run(self):
        """Runs the program once: the answer to the harness."""
        mutates = self._case.MUTATES
        operands = [self._competitor.copy(each) if at in mutates else each for at, each in enumerate(self._operands)]
        gc.collect()
        self._competitor.reset()
        self._competitor.settle()
        start = time.perf_counter()
        outputs = self._program(*operands)
        self._competitor.settle()
        seconds = time.perf_counter() - start
        stats = self._competitor.stats(seconds)
        numbers = self._case.result(self._competitor.np, self._params, *outputs)
        return {"seconds": seconds, "result": numbers, "stats": stats}


def refusal(error):
    """What is said instead of a result."""
    if isinstance(error, NotImplementedError):
        return {"skipped": str(error)}
    where = traceback.extract_tb(error.__traceback__)[-1]
    return {"error": f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})"}


def parameters(case, pairs, is_smoke):
    """The case's parameters, with those given by hand put in."""
    params = dict(case.smoke if is_smoke else case.full)
    for pair in pairs:
        key, _, text = pair.partition("=")
        if key not in params:
            raise ValueError(f"no parameter {key!r}; there are {', '.join(params)}")
        params[key] = type(params[key])(text)
    return params


def serve(given, say):
    """Sets up, then answers orders until told to quit or until nobody is there to give any."""
    try:
        case = cases.load(given.case)
        params = parameters(case, given.parameters, given.smoke)
        competitor = COMPETITORS[given.competitor](given.threads, given.ranks)
        runner = Runner(competitor, case, params)
    except Exception as error:
        return say(refusal(error))
    say({"ready": True, "params": params, **competitor.facts})
    for line in sys.stdin:
        if json.loads(line)["do"] == "quit":
            return
        try:
            say(runner.run())
        except Exception as error:
            say(refusal(error))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("competitor", choices=COMPETITORS)
    options.add_argument("case")
    options.add_argument("parameters", nargs="*", metavar="key=value")
    options.add_argument("--ranks", type=int, default=int(os.environ.get("GAMELAN_ENGINES") or 2))
    options.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--smoke", action="store_true", help="start from the small parameters")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # exit handlers stop the engines
    # The harness reads our stdout: what anything else prints goes to stderr.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    serve(options.parse_intermixed_args(), say)


if __name__ == "__main__":
    main()
