# SPDX-License-Identifier: BSD-3-Clause
"""What latency.py measured, for docs/performance.md: `latency_report.py build/bench/latency.json docs` writes the table between the
marks and the figure docs/images/performance-latency.png.

Bars of the wait share per program, blocking behind hidden; a panel per place and link.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

BEGIN, END = "<!-- latency: begin -->", "<!-- latency: end -->"
# DistNumPy, 2012, at 16 nodes with one rank each: wait share when blocking, when hiding. What its text does not say is left out.
PAPER = {"lbm2d": (0.19, 0.13), "lbm3d": (0.16, 0.09), "jacobi": (0.54, 0.02), "jacobi_stencil": (0.62, 0.09)}


def paper_says(name):
    return "{:.0%} → {:.0%}".format(*PAPER[name]) if name in PAPER else "-"


def table(results):
    lines = [
        "| program | place | delay | blocking, s | hidden, s | wait, blocking | wait, hidden | on one node | the paper's wait | MB sent | "
        "messages | batches | load |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for name in results["programs"]:
        for place, programs in results["places"].items():
            for link, modes in programs.get(name, {"links": {}})["links"].items():
                hidden, blocking = modes["hidden"], modes["blocking"]
                one_node = results["one_node"][results["alone"][place]][name]
                lines.append(
                    f"| {name} | {place} | {link} | {blocking['median_seconds']:.2f} | {hidden['median_seconds']:.2f} | "
                    f"{blocking['wait_share']:.0%} | {hidden['wait_share']:.0%} | {one_node['wait_share']:.0%} | {paper_says(name)} | "
                    f"{hidden['bytes_sent'] / 1e6:.2f} | {hidden['messages']:.0f} | {hidden['batches']:.0f} | {programs[name]['load']:.0f} |"
                )
    return "\n".join(lines)


def draw(results, path):
    import matplotlib.pyplot as plt
    from plot import INK, OTHER, SHADES, save, style

    places = results["places"]
    names = [name for name in results["programs"] if all(name in programs for programs in places.values())]
    links = list(next(iter(next(iter(places.values())).values()))["links"])
    figure, grid = plt.subplots(len(places), len(links), figsize=(9, 2.6 * len(places)), squeeze=False, sharex=True, sharey=True)
    for row, (place, programs) in zip(grid, places.items()):
        for axes, link in zip(row, links):
            for mode, colour, shift in (("blocking", OTHER, -0.2), ("hidden", SHADES[1], 0.2)):
                shares = [100 * programs[name]["links"][link][mode]["wait_share"] for name in names]
                axes.barh([at + shift for at in range(len(names))], shares, 0.38, color=colour, label=mode)
            axes.set_yticks(range(len(names)), names)
            style(axes, f"{place}, {link}")
    grid[0][0].invert_yaxis()
    grid[0][-1].legend(frameon=False, fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel("waiting, % of the time in steps", fontsize=8, color=INK)
    save(figure, path)


def main(results_path, docs):
    results = json.loads(results_path.read_text())
    page = docs / "performance.md"
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    if not after:
        raise SystemExit(f"{page}: no lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{table(results)}\n{END}{after}")
    draw(results, docs / "images" / "performance-latency.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
