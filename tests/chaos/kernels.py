# SPDX-License-Identifier: BSD-3-Clause
"""Befalls notebooks: a random program of twenty cells in a real kernel; in each cell, or after it, the kernel is killed, or
all engines, or both, or the engines are moved to another number of ranks. What the next kernel has restored must be the state of one cell's
end, and the last cell's state NumPy's.

    python tests/chaos/kernels.py --rounds 200 [--ranks 1,2,3] [--kinds kernel,engines,both,move] [--seed 1] [--json FILE]
    python tests/chaos/kernels.py --rounds 20 --ranks 2 --kinds both --elements 20000000    (1 GB of arrays)
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy

from chaos import BUILD, HERE, Figures, conclude, engines_of, tell
from programs import Program
from states import ABSENT, LOST, state_of

sys.path.insert(0, str(HERE.parent / "kernel"))

from notebook import Notebook, wait_until  # noqa: E402

KINDS = "kernel", "engines", "both", "move"
CELLS, LINES = 20, 8  # of a notebook, and of a cell
CELL_TIMEOUT_S = 180
LATEST_S = 0.4  # after the beginning of a cell
MOST_PAUSE_S = 0.2  # after a cell whose state is kept
MOST_RANKS = 4
BEGIN = """
import gamelan as np
from programs import DISTRIBUTE_FROM, Program
np.config.distribute_from = DISTRIBUTE_FROM
globals().update(Program({seed}, {elements}).start(np))
"""
STATE = "import json, states; print(json.dumps(states.state_of(globals())))"


class Player:
    """A notebook with a program of a seed, in one kernel after another, and its state after each cell by NumPy."""

    def __init__(self, seed, ranks, elements=None):
        self.folder = Path(tempfile.mkdtemp(prefix="gc-", dir="/tmp"))
        self.program, self.seed, self.elements = Program(seed, elements), seed, elements
        settings = {"GAMELAN_RUNTIME_DIR": "run", "XDG_STATE_HOME": "state", "IPYTHONDIR": "ipython"}
        self.environment = {name: str(self.folder / value) for name, value in settings.items()} | {
            "JPY_SESSION_NAME": str(self.folder / "a.ipynb"),
            "GAMELAN_ENGINES": str(ranks),
            "GAMELAN_IDLE_TIMEOUT": "10",
            "PYTHONPATH": f"{BUILD / 'python'}:{HERE}",
        }
        (self.folder / "run").mkdir(mode=0o700)
        lines = self.program.lines[: CELLS * LINES]
        self.cells = ["\n".join(lines[first : first + LINES]) for first in range(0, len(lines), LINES)]
        self.states = self._states()
        self.state_folder = self.folder / settings["XDG_STATE_HOME"]
        self.notebook = self.open()

    def open(self):
        """A kernel of this notebook."""
        return Notebook(env=self.environment)

    def begin(self):
        self.run(BEGIN.format(seed=self.seed, elements=self.elements))
        self.wait_until_kept()  # or the first round may kill a kernel that has kept nothing yet

    def _states(self):
        names, states = self.program.start(numpy), []
        with numpy.errstate(all="ignore"):
            for cell in self.cells:
                states.append(state_of(names))
                exec(cell, names)
        return [*states, state_of(names)]

    def run(self, code):
        """A cell that must end well."""
        return self._ended(self.notebook.run(code, timeout=CELL_TIMEOUT_S), code)

    @staticmethod
    def _ended(cell, code):
        if cell.status != "ok":
            raise AssertionError(f"{cell.ename}: {cell.reply['evalue']}\nin\n{code}\n{cell.out}{cell.err}")
        return cell

    def finish(self, cell, code):
        return self._ended(self.notebook.finish(cell, timeout=CELL_TIMEOUT_S), code)

    def wait_until_kept(self):
        """Returns when the state after the last cell is on the disk."""
        mark = f"kept_{time.monotonic_ns()}"
        self.run(f"{mark} = 1")
        kept = self.state_folder / "gamelan-notebooks"
        wait_until(lambda: any(mark in each.read_text() for each in kept.glob("*/*/manifest.json")), CELL_TIMEOUT_S, mark)

    def state(self):
        return json.loads(self.run(STATE).out.splitlines()[-1])

    def kill(self):
        os.kill(self.notebook.pid, signal.SIGKILL)
        self.notebook.close()

    def restore(self):
        """The next kernel of the notebook, with the variables of the lost one; what it said."""
        self.notebook = self.open()
        self.run("import gamelan as np\nfrom programs import DISTRIBUTE_FROM\nnp.config.distribute_from = DISTRIBUTE_FROM")
        return self.run("%session restore").out

    def end(self):
        self.notebook.close()
        for pid in engines_of(self.folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def judge(player, least, most):
    """(outcome, cells done, why) of the state that the notebook has: that after `least` to `most` cells is whole, that after
    fewer is behind. Anything else is wrong."""
    state = player.state()
    lost = [name for name, text in state.items() if text.startswith(LOST) or text == ABSENT]
    here = {name: text for name, text in state.items() if name not in lost}
    for done in range(most, -1, -1):
        expected = player.states[done]
        if all(expected[name] == text for name, text in here.items()):
            outcome = "lost" if lost else "whole" if done >= least else "behind"
            return outcome, done, "; ".join(f"{name}: {state[name]}" for name in lost)
    near = min(range(most + 1), key=lambda done: sum(player.states[done][name] != text for name, text in here.items()))
    differ = [name for name, text in here.items() if player.states[near][name] != text]
    return "wrong", near, f"of no cell's end; nearest is that of cell {near}, but for {', '.join(differ)}; lost: {lost}"


def befall_kernel(player, number, chance):
    """Kill the kernel in that cell, or after it, and restore. (fewest, most cells that the state may be of; when it was befallen)."""
    is_amid = chance.random() < 0.5
    cell = player.notebook.send(player.cells[number])
    if is_amid:
        time.sleep(chance.uniform(0.0, 1.0) ** 2 * LATEST_S)  # most cells are quick
    else:
        player.finish(cell, player.cells[number])
        player.wait_until_kept()
        time.sleep(chance.uniform(0.0, MOST_PAUSE_S))
    player.kill()
    began = time.monotonic()
    player.restore()
    return (number if is_amid else number + 1), number + 1, began


def befall_engines(player, number, chance):
    """Kill all engines in that cell: it goes on by itself."""
    cell = player.notebook.send(player.cells[number])
    time.sleep(chance.uniform(0.0, 1.0) ** 2 * LATEST_S)  # most cells are quick
    for pid in engines_of(player.folder):
        os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    player.finish(cell, player.cells[number])
    return number + 1, number + 1, began


def befall_both(player, number, chance):
    """Kill all engines in that cell, and the kernel after it."""
    most, _, _ = befall_engines(player, number, chance)
    player.wait_until_kept()
    time.sleep(chance.uniform(0.0, MOST_PAUSE_S))
    player.kill()
    began = time.monotonic()
    player.restore()
    return most, most, began


def befall_move(player, number, chance):
    """Run the cell, and move all arrays to another number of ranks."""
    player.run(player.cells[number])
    began = time.monotonic()
    player.run(f"%engines restart -n {chance.randrange(1, MOST_RANKS + 1)}")
    return number + 1, number + 1, began


BEFALL = dict(zip(KINDS, (befall_kernel, befall_engines, befall_both, befall_move)))


def play_notebook(kind, befall, player, figures, rounds, end, again):
    """The rounds of one notebook: cells until all are done, or until either limit."""
    seed, done = player.seed, 0
    try:
        player.begin()
        while done < len(player.cells) and figures.rounds < rounds and time.monotonic() < end:
            chance = random.Random(f"{kind} {seed} {figures.rounds}")
            least, most, began = befall(player, done, chance)
            outcome, done, why = judge(player, least, most)
            figures.outcomes[outcome] += 1
            figures.go_on_s.append(time.monotonic() - began)  # all arrays are there, and have been read
            if outcome in ("lost", "wrong"):
                figures.wrong.append(f"cell {done} of seed {seed}: {outcome}: {why}\nagain (the moment differs): {again}")
                return
    except Exception as error:
        figures.outcomes["wrong"] += 1
        figures.wrong.append(
            f"{type(error).__name__} after {done} cells of seed {seed}: {error}\nagain (the moment differs): {again}"
        )
    finally:
        player.end()


def play(kind, ranks, seed, rounds=10_000, seconds=float("inf"), elements=None):
    """Notebooks of the seeds from `seed` on, until so many rounds or seconds; their Figures."""
    figures, end = Figures(), time.monotonic() + seconds
    while figures.rounds < rounds and time.monotonic() < end and len(figures.wrong) < 10:
        again = f"python tests/chaos/kernels.py --ranks {ranks} --kinds {kind} --seed {seed} --rounds {CELLS}"
        play_notebook(kind, BEFALL[kind], Player(seed, ranks, elements), figures, rounds, end, again)
        seed += 1
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of each kind on each number of ranks")
    parser.add_argument("--ranks", default="1,2,3")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20, help="of each kind on each number of ranks")
    parser.add_argument("--elements", type=int, help="of each large array; there are six")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    wishes = parser.parse_args()
    told = {}
    for kind in wishes.kinds.split(","):
        for ranks in map(int, wishes.ranks.split(",")):
            figures = play(kind, ranks, wishes.seed + 1000 * ranks, wishes.rounds, wishes.seconds, wishes.elements)
            tell(f"{kind} on {ranks} ranks", figures, told)
    return conclude(told, wishes.json)


if __name__ == "__main__":
    sys.exit(main())
