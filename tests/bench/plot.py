# SPDX-License-Identifier: BSD-3-Clause
"""The figures of docs/performance.md from results.json: `plot.py build/bench/results.json FOLDER` writes PNG files."""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

import pool  # noqa: E402

SHADES = ["#9ecae1", "#4292c6", "#084594", "#041f3d"]  # more ranks, darker
OTHER = "#d95f0e"
INK = "#444444"


def style(axes, title):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(colors=INK, labelsize=8, which="both")
    axes.set_title(title, fontsize=10, color=INK, loc="left")


def plain(value, position=None):
    return f"{value:g}"


def some(value, position=None):
    """Between the powers of ten only 2 and 5 are written."""
    return plain(value) if f"{value:e}"[0] in "25" else ""


def label_of(ranks):
    return f"{ranks} rank" if int(ranks) == 1 else f"{ranks} ranks"


def ratios(results, rival, is_time):
    """{case: [ratio at each number of ranks or None]} of the cases that have one."""
    told = {}
    for name, case in results["cases"].items():
        medians = {each: record.get("median") for each, record in case.get("competitors", {}).items()}
        values = []
        for ranks in results["settings"]["ranks"]:
            mine, theirs = medians.get(f"gamelan-{ranks}"), medians.get(pool.name_of(rival, ranks))
            values.append((mine / theirs if is_time else theirs / mine) if mine and theirs else None)
        if any(values):
            told[name] = values
    return told


def bars(results, rival, is_time, title, label, path):
    """One group of horizontal bars per case, from 1 outwards on a logarithmic axis: right of the line is more."""
    values = ratios(results, rival, is_time)
    if not values:
        return False
    ranks = results["settings"]["ranks"]
    figure, axes = plt.subplots(figsize=(7, 1.0 + 0.34 * len(values)))
    height = 0.8 / len(ranks)
    for at, (count, shade) in enumerate(zip(ranks, SHADES)):
        places = [row + (at - (len(ranks) - 1) / 2) * height for row, each in enumerate(values.values()) if each[at]]
        lengths = [each[at] for each in values.values() if each[at]]
        axes.barh(places, [length - 1 for length in lengths], height, left=1, color=shade, label=label_of(count))
    axes.axvline(1, color=INK, linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.xaxis.set_minor_formatter(FuncFormatter(some))
    axes.set_yticks(range(len(values)), values)
    axes.invert_yaxis()
    axes.set_xlabel(label, fontsize=8, color=INK)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    style(axes, title)
    save(figure, path)
    return True


def sweep(results, path):
    """Time against size, a curve per number of ranks and one for NumPy."""
    good = {ranks: each["sweep"] for ranks, each in results.get("small", {}).items() if "sweep" in each}
    if not good:
        return False
    figure, axes = plt.subplots(figsize=(7, 4))
    first = [row for row in next(iter(good.values())) if "us" in row]
    axes.loglog([row["n"] for row in first], [row["numpy_us"] for row in first], color=OTHER, label="NumPy", linewidth=1.5)
    for (ranks, rows), shade in zip(good.items(), SHADES):
        rows = [row for row in rows if "us" in row]
        axes.loglog([row["n"] for row in rows], [row["us"] for row in rows], color=shade, label=label_of(ranks))
    axes.set_xlabel("elements", fontsize=8, color=INK)
    axes.set_ylabel("microseconds", fontsize=8, color=INK)
    axes.legend(frameon=False, fontsize=8)
    style(axes, "c = a + b * 2")
    save(figure, path)
    return True


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def draw(results, folder):
    """Writes what the results allow; returns [(path, title)]."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for rival, name in (("numpy", "NumPy"), ("numexpr", "numexpr"), ("dask", "Dask"), ("reference", "C++ and MPI")):
        is_time = rival == "reference"
        title = f"Time relative to {name}" if is_time else f"Times as fast as {name}"
        path = folder / f"performance-{rival}.png"
        if bars(results, rival, is_time, title, "less is better" if is_time else "more is better", path):
            drawn.append((path, title))
    path = folder / "performance-sizes.png"
    if sweep(results, path):
        drawn.append((path, "From one element to many"))
    return drawn


if __name__ == "__main__":
    for path, _ in draw(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])):
        print(path)
