# SPDX-License-Identifier: BSD-3-Clause
"""A notebook of twenty cells that somebody could have written: five ambulances are placed for a region's emergency calls. Its
arrays are ten of as many elements as there are calls; 12.5 million calls make 1 GB. What a cell prints follows from those before it."""

import contextlib
import io
from types import ModuleType, SimpleNamespace

import nbformat
import numpy

from programs import Draws

CALLS = 12_500_000
TITLE = """# Where should five ambulances wait?

Emergency calls of a region, in kilometres east and north of its market place. Most calls come from three towns. Each call should
have a short way to the next ambulance, the urgent ones above all."""
RESTORE = "%session restore"
RESTORE_TEXT = "Only after a kernel was lost: this brings its variables back."

CELLS = (
    """import matplotlib.pyplot as plt
import gamelan as np
calls = {calls}
rng = np.random.default_rng(2026)
east = rng.normal(0, 12, calls)
print(f"{{calls:,}} calls, on the average {{east.mean():.3f}} km east")""",
    """north = rng.normal(0, 12, calls)
print(f"and {{north.mean():.3f}} km north")""",
    """home = rng.random(calls)
for number, (x, y) in enumerate([(-14, 9), (11, 13), (4, -12)]):
    in_town = (home > 0.2 * number) & (home < 0.2 * (number + 1))
    east = np.where(in_town, x + 0.15 * east, east)
    north = np.where(in_town, y + 0.15 * north, north)
print(f"{{(home < 0.6).mean():.2%}} of them from the towns")""",
    """urgency = 1 + 4 * rng.random(calls) ** 2
print(f"urgency {{urgency.mean():.3f}} on the average, {{urgency.max():.3f}} at most")""",
    """def show(stations):
    plt.figure(figsize=(5, 3))
    plt.scatter(east[:2000], north[:2000], s=2, color="grey")
    plt.plot(*zip(*stations), "r*", markersize=12)
    plt.show()""",
    """stations = [(-20, -20), (-20, 20), (20, -20), (20, 20), (0, 0)]
show(stations)""",
    """def assign(stations):
    way, nearest = np.full(calls, np.inf), np.zeros(calls, dtype=int)
    for number, (x, y) in enumerate(stations):
        there = np.hypot(east - x, north - y)
        nearest = np.where(there < way, number, nearest)
        way = np.minimum(way, there)
    return nearest, way""",
    """nearest, before = assign(stations)
print(f"a way is {{before.mean():.3f}} km long")""",
    """def move(stations):
    moved = []
    for number in range(len(stations)):
        weight = np.where(nearest == number, urgency, 0)
        moved.append((float((weight * east).sum() / weight.sum()), float((weight * north).sum() / weight.sum())))
    return moved""",
    """stations = move(stations)
nearest, way = assign(stations)
print(f"moved once: {{way.mean():.3f}} km")""",
    """stations = move(stations)
nearest, way = assign(stations)
print(f"moved twice: {{way.mean():.3f}} km")""",
    """for _ in range(4):
    stations = move(stations)
    nearest, way = assign(stations)
print(f"moved six times: {{way.mean():.3f}} km")""",
    """show(stations)""",
    """saved = before - way
print(f"{{(saved > 0).mean():.2%}} of the calls have a shorter way, {{saved.max():.2f}} km at most")""",
    """minutes = 2 + way * (60 / 50)
print(f"{{minutes.mean():.3f}} minutes on the average")""",
    """late = minutes > 15
print(f"{{late.mean():.2%}} of the calls wait longer than a quarter of an hour")""",
    """ordered = np.sort(minutes)
print(f"half of them less than {{ordered[calls // 2]:.2f}} minutes, nine of ten {{ordered[calls * 9 // 10]:.2f}}")""",
    """shares = np.bincount(nearest, minlength=5) / calls
for (x, y), share in zip(stations, shares):
    print(f"{{x:8.2f}} {{y:8.2f}}  {{share:6.2%}}")""",
    """counts, edges = np.histogram(minutes, bins=40)
plt.figure(figsize=(5, 2))
plt.stairs(counts, edges, fill=True)
plt.show()""",
    """arrays = east, north, home, urgency, nearest, before, way, saved, minutes, ordered
print(f"{{sum(each.nbytes for each in arrays) / 1e9:.2f}} GB; their means:")
print(*(f"{{each.mean():.3f}}" for each in arrays))
print("stations:", *(f"({{x:.2f}}, {{y:.2f}})" for x, y in stations))""",
)


def code_of(calls, cells=len(CELLS)):
    """The first so many cells, the last one among them where all are wanted."""
    return [cell.format(calls=calls) for cell in CELLS[:cells]]


def notebook_of(code):
    """The notebook, with a cell to restore below its title: code cell 0; the others are 1 and up."""
    cells = [
        nbformat.v4.new_markdown_cell(TITLE),
        nbformat.v4.new_markdown_cell(RESTORE_TEXT),
        nbformat.v4.new_code_cell(RESTORE),
        *map(nbformat.v4.new_code_cell, code),
    ]
    about = {"kernelspec": {"name": "gamelan", "display_name": "Gamelan", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=about)


def numpys_texts(code):
    """What each cell prints with NumPy, which takes the engines' random numbers."""
    module = ModuleType("numpy")
    module.__dict__.update(numpy.__dict__)
    module.random = SimpleNamespace(default_rng=Draws)
    nothing = SimpleNamespace(**dict.fromkeys(("figure", "scatter", "plot", "stairs", "show"), lambda *_, **__: None))
    names, texts = {"np": module, "plt": nothing}, []
    for cell in code:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec("\n".join(line for line in cell.splitlines() if not line.startswith("import ")), names)
        texts.append(out.getvalue())
    return texts
