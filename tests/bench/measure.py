# SPDX-License-Identifier: BSD-3-Clause
"""One case, all competitors: starts the workers, has them run in turn, judges what they computed. run.py decides which cases.

Every competitor runs once unmeasured (pages, plans and caches are warm afterwards; its result is judged); then the measured
repeats go round, so that a disturbance of the machine meets all of them. A short program runs several times in a row in a
repeat, and the median of these counts: programs are parts of loops, and the first run after a pause is another matter.
"""

import math
import statistics
import time
from dataclasses import dataclass

import cases
import machine
import pool


REPEAT_S, MOST_RUNS = 0.1, 20  # of a short program in one repeat


@dataclass
class Settings:
    """What holds for every case of a run."""

    ranks: list
    repeats: int
    is_smoke: bool
    threads: int
    competitors: list
    reference: str = ""  # the program; "" when it is not built
    start_limit_s: float = 120.0
    run_limit_s: float = 120.0


def difference(actual, expected, rtol):
    """Why two fingerprints differ, or "". Integers must be equal; floats within `rtol`; NaN equals NaN."""
    if len(actual) != len(expected):
        return f"{len(actual)} numbers, expected {len(expected)}"
    for at, (a, e) in enumerate(zip(actual, expected)):
        is_exact = isinstance(e, int)
        same = a == e if is_exact else math.isclose(a, e, rel_tol=rtol) or (math.isnan(a) and math.isnan(e))
        if not same:
            return f"number {at} is {a!r}, expected {e!r}"
    return ""


def columns(settings):
    """The names of the competitors, ranks included."""
    for competitor in settings.competitors:
        has_ranks = competitor in ("gamelan", "reference")
        yield from ((competitor, ranks) for ranks in (settings.ranks if has_ranks else [0]))


def start(case, params, settings):
    """A worker per column, and the columns that have none with the reason."""
    workers, records = [], {}
    for competitor, ranks in columns(settings):
        name = pool.name_of(competitor, ranks)
        if competitor == "reference" and not settings.reference:
            records[name] = {"missing": "bench_reference is not built"}
        elif competitor == "reference":
            workers.append(pool.reference_worker(settings.reference, case.program, params, ranks))
        else:
            workers.append(pool.python_worker(competitor, case.name, params, ranks, settings.threads))
        # One after the other: set-up uses the cores that a rival's would.
        if workers and name == workers[-1].name:
            refused = ask(lambda: workers[-1].answer(settings.start_limit_s))
            if refused.pop("ready", False):
                workers[-1].facts = refused
                records[name] = {"facts": refused, "seconds": []}
            else:
                records[name] = refused
                workers.pop().stop()
    return workers, records


def ask(question):
    """An answer, or the error that stands for it."""
    try:
        return question()
    except pool.WorkerError as error:
        return {"error": str(error)}


def measure(name, settings, tell=lambda text: None):
    """Everything about one case: parameters, what was expected, a record per competitor."""
    case = cases.load(name)
    params = case.smoke if settings.is_smoke else case.full
    began = time.monotonic()
    workers, records = start(case, params, settings)
    try:
        for turn in range(settings.repeats + 1):
            for worker in list(workers):
                tell(f"{name}: {worker.name}, run {turn} of {settings.repeats}")
                time.sleep(machine.QUIET_S)
                keep(records[worker.name], repeat(worker, settings, turn > 0), is_warm=turn > 0)
                if {"error", "skipped"} & set(records[worker.name]):
                    workers.remove(worker)
                    worker.stop()
    finally:
        for worker in workers:
            worker.stop()
    expected = case.expected if settings.is_smoke else records.get("numpy", {}).get("result")
    judge(records, expected, case.RTOL)
    return {
        "params": params, "rtol": case.RTOL, "expected": expected, "targets": case.targets,
        "bytes": case.bytes_moved(params) if case.bytes_moved else None,
        "same_bits": same_bits(records), "took_seconds": time.monotonic() - began, "competitors": records,
    }  # fmt: skip


def repeat(worker, settings, is_warm):
    """The answers of a worker's runs in a row: one, or as many as make a repeat. The last one may say why there are no more."""
    answers = []
    while not answers or (is_warm and not settings.is_smoke and goes_on(answers)):
        answers.append(ask(lambda: worker.run(settings.run_limit_s)))
    return answers


def goes_on(answers):
    if problem(answers[-1]):
        return False
    return len(answers) < MOST_RUNS and sum(answer["seconds"] for answer in answers) < REPEAT_S


def problem(answer):
    """Why there is no time and no result, as a part of a record; empty when there are both."""
    missing = {"seconds", "result"} - set(answer)
    if missing and not {"error", "skipped"} & set(answer):
        return {"error": f"answered without {' and '.join(sorted(missing))}"}
    return {key: answer[key] for key in ("error", "skipped") if key in answer} if missing else {}


def keep(record, answers, is_warm):
    """Adds the answers of one repeat to the record of a competitor."""
    if what := problem(answers[-1]):
        return record.update(what)
    for answer in answers:
        if "result" in record and answer["result"] != record["result"]:
            record["unstable"] = True  # bits differ between runs
        record["result"] = answer["result"]
        record["stats"] = answer.get("stats") or {}
    seconds = statistics.median(answer["seconds"] for answer in answers)
    if not is_warm:
        record["first_seconds"] = seconds
        return
    record["seconds"].append(seconds)
    record["median"] = statistics.median(record["seconds"])


def judge(records, expected, rtol):
    """Marks every record that has a result: `wrong` says what is."""
    for record in records.values():
        if "result" in record and not {"error", "skipped"} & set(record):
            nothing = "nothing to compare with: NumPy has no result"
            record["wrong"] = difference(record["result"], expected, rtol) if expected else nothing


def same_bits(records):
    """Whether Gamelan's results agree to the bit whatever the ranks; None when fewer than two are there."""
    results = [record["result"] for name, record in records.items() if name.startswith("gamelan") and "result" in record]
    return all(each == results[0] for each in results) if len(results) > 1 else None
