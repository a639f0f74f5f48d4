# SPDX-License-Identifier: BSD-3-Clause
"""The bench: every case, side by side in one run, as build/bench/results.json and a table.

    tests/run bench                                        all of it (about half an hour)
    python3 tests/bench/run.py --cases stream,laplace --ranks 1,2,4 --repeats 7
    python3 tests/bench/run.py --smoke                     small sizes, one repeat: are all results equal?
    python3 tests/bench/run.py --write-docs                and the table and plots of docs/performance.md

Ends with 1 when a result is wrong, a worker failed or none computed anything; what Gamelan or a rival cannot do yet is skipped,
a rival that is not installed or not built is missing, and both are told.
"""

import argparse
import json
import os
import pathlib
import signal
import sys
import xml.etree.ElementTree as xml

import cases
import machine
import measure
import page
import pool
import small
import table

COMPETITORS = ["numpy", "numexpr", "dask", "reference", "gamelan"]
SMALL = "small"  # the small end is no case of cases/: see small.py


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", default="", help=f"some of {','.join(cases.NAMES)},{SMALL}")
    options.add_argument("--ranks", default="1,2,4", help="numbers of engines, and of ranks of the reference")
    options.add_argument("--repeats", type=int, default=7)
    options.add_argument("--smoke", action="store_true", help="small sizes, one repeat")
    options.add_argument("--competitors", default=",".join(COMPETITORS))
    options.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of numexpr and Dask")
    options.add_argument("--limit", type=float, default=120.0, help="seconds for a set-up, and for a run")
    options.add_argument("--out", type=pathlib.Path, default=pool.BUILD / "bench")
    options.add_argument("--junit", type=pathlib.Path, help="also tell what passed as a JUnit file")
    options.add_argument("--write-docs", action="store_true", help="fill in docs/performance.md")
    options.add_argument("--from-json", type=pathlib.Path, help="measure nothing: show these results")
    given = options.parse_args()
    given.cases = given.cases.split(",") if given.cases else [*cases.NAMES, *([] if given.smoke else [SMALL])]
    given.competitors = given.competitors.split(",")
    unknown = (set(given.cases) - {*cases.NAMES, SMALL}) | (set(given.competitors) - set(COMPETITORS))
    try:
        given.ranks = [int(each) for each in given.ranks.split(",")]
    except ValueError:
        unknown.add(given.ranks)
    if unknown:
        options.error(f"unknown: {', '.join(sorted(unknown))}")
    return given


def settings_of(given):
    program = pool.BUILD / "bin" / "bench_reference"
    return measure.Settings(
        ranks=given.ranks, repeats=1 if given.smoke else given.repeats, is_smoke=given.smoke, threads=given.threads,
        competitors=given.competitors, reference=str(program) if program.exists() else "",
        start_limit_s=given.limit, run_limit_s=given.limit)  # fmt: skip


def measure_all(given, tell):
    """The results as they go into results.json, written after every case: a run that is stopped has not been for nothing."""
    settings = settings_of(given)
    results = {"machine": machine.facts(), "settings": vars(settings), "cases": {}}
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.cases:
        if name == SMALL:
            results["small"] = small.measure(settings, tell)
        else:
            try:
                results["cases"][name] = measure.measure(name, settings, tell)
            except Exception as error:  # one case must not cost the others
                results["cases"][name] = {"error": f"{type(error).__name__}: {error}"}
        store(given.out / "results.json", results)
    tell("")
    return results


def store(path, results):
    part = path.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n")
    part.replace(path)


def verdicts(results):
    """(case, competitor, verdict, why) of everything that was tried; the verdict is passed, failed or skipped."""
    for name, case in results["cases"].items():
        if "error" in case:
            yield name, "harness", "failed", case["error"]
            continue
        for competitor, record in case["competitors"].items():
            if "skipped" in record or "missing" in record:
                yield name, competitor, "skipped", table.why_not(record)
            else:
                why = table.why_not(record)
                yield name, competitor, "failed" if why else "passed", why
        if case["same_bits"] is False:
            yield name, "gamelan: same bits at every number of ranks", "failed", "the fingerprints differ"
    for name, record in results.get("small", {}).items():
        why = record.get("error", "")
        yield SMALL, name, "failed" if why else "passed", why


def write_junit(path, judged):
    suite = xml.Element("testsuite", name="bench")
    for name, competitor, verdict, why in judged:
        case = xml.SubElement(suite, "testcase", classname=name, name=competitor)
        if verdict != "passed":
            xml.SubElement(case, {"failed": "failure"}.get(verdict, verdict), message=why)
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def write_docs(results):
    """Puts the tables and the figures into the documents; the figures lie in images/ beside the page."""
    import plot

    figures = plot.draw(results, page.PAGE.parent / "images")
    shown = [f"![{title}](images/{path.name})" for path, title in figures]
    page.fill("bench", [table.markdown(results), *small.markdown(results.get("small", {})), *shown])


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # workers are stopped on the way out
    given = arguments()
    is_terminal = sys.stderr.isatty()

    def tell(line):
        if is_terminal:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    results = json.loads(given.from_json.read_text()) if given.from_json else measure_all(given, tell)
    judged = list(verdicts(results))
    print("\n".join([table.text(results), *small.text(results.get("small", {}))]), flush=True)
    for name, competitor, verdict, why in judged:
        if verdict == "failed":
            print(f"FAILED {name}: {competitor}: {why}")
    if given.junit:
        write_junit(given.junit, judged)
    if given.write_docs:
        write_docs(results)
    count = {verdict: sum(each[2] == verdict for each in judged) for verdict in ("passed", "failed", "skipped")}
    print(", ".join(f"{number} {verdict}" for verdict, number in count.items()))
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
