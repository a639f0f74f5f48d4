# SPDX-License-Identifier: BSD-3-Clause
"""How long GAiN's laplace takes where nobody has measured it. Nothing here runs engines; docs/scaling.md explains the terms.

model.py --predict [--parameters FILE]             the table of docs/scaling.md, as Markdown
model.py --calibrate FILE [--hosts 2] [--out FILE] fit parameters to what was measured on so many hosts at most,
                                                   and say how far off the rest is
"""

import argparse
import dataclasses
import json
import pathlib
import statistics
import sys

import model_fit
from laplace_model import Job, Link, Parameters, iteration

#: Name, link, and what a message costs the software there, where that is another than over TCP.
NETWORKS = [
    ("1 ms, 1 Gbit/s", Link(1e-3, 125e6, 1e-3), None),
    ("0.1 ms, 1 Gbit/s", Link(1e-4, 125e6, 1e-4), None),
    ("as GAiN's, assumed: 4 us, 1.5 GB/s, 2 us a message", Link(4e-6, 1.5e9, 1e-4), 2e-6),
]
#: GAiN (2011), N = 100,000: solver and wall seconds of 100 turns on 4 cores of each node.
GAIN = {512: (567.46, 602), 1024: (299.48, 366), 2048: (150.36, 270)}
TURNS = 100


def prediction(parameters):
    """The table of docs/scaling.md."""
    columns = [
        "ranks",
        "network",
        "batch",
        "compute",
        "halo left",
        "reduce",
        "a turn, ms",
        "without hiding",
        "sum by a tree",
        "100 turns, s",
        "GAiN, s",
        "times as fast",
    ]
    lines = [f"| {' | '.join(columns)} |", "| --: | :-- |" + " --: |" * (len(columns) - 2)]
    for ranks, (solver, _) in GAIN.items():
        job = Job(ranks // 4, 4)
        for name, link, message_s in NETWORKS:
            there = dataclasses.replace(parameters, message_s=message_s or parameters.message_s)
            turn = iteration(there, link, job, 100_000)
            blocking = iteration(there, link, job, 100_000, is_hidden=False)["total"]
            by_tree = iteration(there, link, job, 100_000, by_tree=True)["total"]
            figures = [1e3 * turn[part] for part in ("batch", "compute", "halo", "reduce", "total")]
            figures += [1e3 * blocking, 1e3 * by_tree, TURNS * turn["total"]]
            cells = [f"{ranks:,}", name, *(f"{figure:.2f}" for figure in figures), f"{solver:.0f}", f"{solver / figures[-1]:.0f}"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def load(path):
    values = json.loads(pathlib.Path(path).read_text())
    values = values.get("parameters", values)
    known = {field.name for field in dataclasses.fields(Parameters)}
    if unknown := set(values) - known:
        raise ValueError(f"{path}: no parameter {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    return Parameters(**values)


def calibrate(start, path, hosts, out):
    told = json.loads(pathlib.Path(path).read_text())
    measurements = told["measurements"]
    names = told.get("fit", ["element_s", "wake_s", "step_s", "message_s"])
    near = [each for each in measurements if each["hosts"] <= hosts]
    fitted = model_fit.fit(start, near, names)
    errors = model_fit.relative_errors(fitted, measurements)
    columns = ["what", "hosts", "ranks", "latency, ms", "n", "hidden", "measured, ms", "model, ms", "error"]
    print(f"| {' | '.join(columns)} |\n| :-- |" + " --: |" * (len(columns) - 1))
    for each, error in zip(measurements, errors):
        what = each["what"] if each["hosts"] <= hosts else f"{each['what']} (not fitted)"
        hidden = "yes" if each.get("hidden", True) else "no"
        ranks = each["hosts"] * each["ranks_per_host"]
        cells = [
            what,
            each["hosts"],
            ranks,
            f"{1e3 * each['latency_s']:g}",
            each.get("n", ""),
            hidden,
            f"{1e3 * each['seconds']:.3f}",
            f"{1e3 * each['seconds'] * (1 + error):.3f}",
            f"{100 * error:+.0f} %",
        ]
        print(f"| {' | '.join(map(str, cells))} |")
    for words, chosen in (("fitted", near), ("not fitted", [each for each in measurements if each["hosts"] > hosts])):
        if chosen:
            off = [abs(error) for error in model_fit.relative_errors(fitted, chosen)]
            print(
                f"\n{words}: {len(chosen)} measurements, median error {100 * statistics.median(off):.0f} %, "
                f"largest {100 * max(off):.0f} %"
            )
    print("\n" + "\n".join(f"{name} = {getattr(fitted, name):.3g} (was {getattr(start, name):.3g})" for name in names))
    if out:
        result = {"parameters": dataclasses.asdict(fitted), "fitted": names, "hosts": hosts}
        pathlib.Path(out).write_text(json.dumps(result, indent=1) + "\n")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parameters", help="JSON of an earlier --out; unnamed ones keep their values")
    parser.add_argument("--calibrate", metavar="FILE", help="measurements as JSON; docs/scaling.md shows one")
    parser.add_argument("--hosts", type=int, default=2, help="fit to measurements on so many hosts at most (default 2)")
    parser.add_argument("--out", metavar="FILE", help="write the fitted parameters")
    parser.add_argument("--predict", action="store_true")
    chosen = parser.parse_args(arguments)
    if not chosen.predict and not chosen.calibrate:
        parser.error("say --predict or --calibrate FILE")
    try:
        parameters = load(chosen.parameters) if chosen.parameters else Parameters()
        if chosen.calibrate:
            calibrate(parameters, chosen.calibrate, chosen.hosts, chosen.out)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{type(error).__name__}: {error}")
    if chosen.predict:
        print(prediction(parameters))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
