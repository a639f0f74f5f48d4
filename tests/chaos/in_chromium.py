# SPDX-License-Identifier: BSD-3-Clause
"""Befalls a notebook that somebody runs in a browser: twenty cells with 1 GB of arrays (ambulances.py), in Chromium. During each
cell all engines are killed, and after each cell the kernel; Jupyter starts another, and the cell `%session restore` is run. No cell is
run twice. What each cell prints must be what it prints undisturbed, and what NumPy prints.

    PYTHONPATH=build/python JUPYTER_PATH=build/share/jupyter /usr/bin/python3 tests/chaos/in_chromium.py [--ranks 2] [--calls 12500000]
        [--cells 20] [--seed 1] [--json FILE] [--film FILE.webp] [--still FILE.webp]

Needs Debian's chromium, chromium-driver and python3-selenium.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from ambulances import CALLS, CELLS, code_of, notebook_of, numpys_texts
from chaos import engines_of
from page import Page, Server

NAME = "ambulances.ipynb"
RESTORE = 0  # the number of the cell that restores; others follow
CELL_S = 180
LATEST = 0.7  # of the time that a cell takes: its engines are killed by then
RESTART_S = 60
FADE_S = 0.4  # in which a dialog comes
PAUSE_S = 0.3, 1.0  # after a cell: somebody reads


@dataclass
class Figures:
    """What befell, and how soon the notebook went on."""

    cells: int = 0
    kernels_killed: int = 0
    engines_killed: int = 0
    in_time: int = 0  # cells that still ran when their engines had been killed
    seconds: dict = field(default_factory=lambda: {"undisturbed": [], "engines": [], "kernel": [], "restore": []})
    texts: dict = field(default_factory=dict)  # whose -> of each cell
    notices: list = field(default_factory=list)  # what the page said beside results
    dialogs: list = field(default_factory=list)

    @property
    def wrong(self):
        """Cells that printed something else than undisturbed, or than NumPy's."""
        whose = [self.texts[name] for name in ("befallen", "undisturbed", "NumPy")]
        return [number for number, texts in enumerate(zip(*whose), 1) if len(set(texts)) > 1]

    def __str__(self):
        lines = [
            f"{self.cells} cells: {self.engines_killed} engines killed ({self.in_time} times within the cell), "
            f"{self.kernels_killed} kernels; cells that print something else: {self.wrong or 'none'}"
        ]
        for what, times in self.seconds.items():
            if times:
                lines.append(f"{WORDS[what]}: median {statistics.median(times):.1f} s, worst {max(times):.1f} s")
        return "\n".join(lines)


WORDS = {
    "undisturbed": "a cell, undisturbed",
    "engines": "from the engines' end to that of the cell",
    "kernel": "from the kernel's end to the next one's readiness",
    "restore": "%session restore",
}


class Sitting:
    """Somebody at the notebook, with a server, a browser and engines of its own."""

    def __init__(self, stack, code, ranks, film=None):
        self.folder = Path(tempfile.mkdtemp(prefix="gc-", dir="/tmp"))
        stack.callback(self._clear)
        self.film = film
        (self.folder / "run").mkdir(mode=0o700)
        settings = {"GAMELAN_RUNTIME_DIR": "run", "XDG_STATE_HOME": "state", "IPYTHONDIR": "ipython"}
        environment = {name: str(self.folder / value) for name, value in settings.items()}
        nbformat.write(notebook_of(code), self.folder / NAME)
        self.server = Server(
            self.folder,
            {**environment, "GAMELAN_ENGINES": str(ranks), "GAMELAN_IDLE_TIMEOUT": "10", "GAMELAN_DISTRIBUTE_FROM": "65536"},
        )
        stack.callback(self.server.close)
        self.page = Page(self.server, NAME, self.folder / "chromium")
        stack.callback(self.page.close)
        self.page.on_dialog = self._look_at_dialog
        self.count = len(code)

    def _clear(self):
        for pid in engines_of(self.folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def take(self, caption, *options):
        if self.film is not None:
            self.film.take(self.page.driver.get_screenshot_as_png(), caption, *options)

    def _look_at_dialog(self):
        if self.film is not None:
            time.sleep(FADE_S)
        self.take("Jupyter starts another kernel", 1.0)

    def undisturbed(self, figures):
        """Every cell once, and how long it takes."""
        for number in range(1, self.count + 1):
            self.page.press(number)
            began = time.monotonic()
            self.page.finish(number, CELL_S)
            figures.seconds["undisturbed"].append(time.monotonic() - began)
        figures.texts["undisturbed"] = self.texts()

    def befallen(self, figures, chance):
        """Every cell once; its engines are killed in it, the kernel after it."""
        self.take(f"A notebook of {self.count} cells", 2.0)
        for number, usual_s in enumerate(figures.seconds["undisturbed"], 1):
            self._lose_engines(number, chance.uniform(0, LATEST * usual_s), figures)
            time.sleep(chance.uniform(*PAUSE_S))
            self._lose_kernel(number, figures)
            figures.cells += 1
        figures.texts["befallen"] = self.texts()
        figures.dialogs = self.page.dialogs
        self.page.show(self.count)
        result = f"cells {figures.wrong} print something else" if figures.wrong else "the same result"
        self.take(f"The end: {figures.kernels_killed} kernels and {figures.engines_killed} engines killed, {result}", 5.0)

    def _lose_engines(self, number, after_s, figures):
        self.page.press(number)
        time.sleep(after_s)
        while not (engines := engines_of(self.folder)) and self.page.is_running(number):
            time.sleep(0.01)  # the first cell starts them
        for pid in engines:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                figures.engines_killed += 1
        killed = time.monotonic()
        if self.page.is_running(number):
            figures.in_time += 1
            self.page.show(number)
            self.take(f"cell {number}: kill -9 of all engines", 0.7, "#a33b20")
        self.page.finish(number, CELL_S)
        figures.seconds["engines"].append(time.monotonic() - killed)
        self._note(number, figures)

    def _lose_kernel(self, number, figures):
        """Kill it, wait until Jupyter has another one ready, and run the cell that restores."""
        pid = self.server.kernel()
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        figures.kernels_killed += 1
        self.take(f"cell {number} is done: kill -9 of the kernel", 1.2, "#a33b20")
        page = self.page
        page.wait(lambda: self.server.kernel() not in (None, pid), RESTART_S, "another kernel")
        page.wait(page.is_idle, RESTART_S, "another kernel's readiness")
        figures.seconds["kernel"].append(time.monotonic() - killed)
        began = time.monotonic()
        page.press(RESTORE)
        page.finish(RESTORE, CELL_S)
        figures.seconds["restore"].append(time.monotonic() - began)
        self._note(RESTORE, figures)
        self.take(f"after cell {number}: restored", 1.0)

    def _note(self, number, figures):
        said = self.page.text(number, "output_stderr")
        if number == RESTORE:
            said += self.page.text(number)
        figures.notices.append((number, said))

    def texts(self):
        return [self.page.text(number) for number in range(1, self.count + 1)]


def play(calls, cells, ranks, seed, film=None):
    """The notebook once undisturbed and once befallen; the figures."""
    code, figures = code_of(calls, cells), Figures()
    figures.texts["NumPy"] = numpys_texts(code)
    with ExitStack() as stack:
        Sitting(stack, code, ranks).undisturbed(figures)
    with ExitStack() as stack:
        Sitting(stack, code, ranks, film).befallen(figures, random.Random(seed))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--calls", type=int, default=CALLS, help="elements of each of the ten arrays")
    parser.add_argument("--cells", type=int, default=len(CELLS), help="only the first so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--film", type=Path, help="a file for the moving picture")
    parser.add_argument("--still", type=Path, help="a file for its last frame")
    wishes = parser.parse_args()
    film = None
    if wishes.film or wishes.still:
        from film import Film

        film = Film()
    figures = play(wishes.calls, wishes.cells, wishes.ranks, wishes.seed, film)
    print(figures)
    if wishes.json:
        wishes.json.write_text(json.dumps({**vars(figures), "wrong": figures.wrong}, indent=1))
    if wishes.film:
        film.save(wishes.film)
    if wishes.still:
        film.save_still(wishes.still, -1)
    return 1 if figures.wrong or not figures.engines_killed else 0


if __name__ == "__main__":
    sys.exit(main())
