# SPDX-License-Identifier: BSD-3-Clause
"""A day in one notebook: cells of random programs, displays, mistakes, interrupts, files, one after another for as long as is
wished. At times it counts what the kernel and the engines hold: memory, descriptors, threads, processes, files, arrays.
None of them may grow from the second quarter of the time to the last. What keeps earlier states has little room, so that it is full
soon; and what was displayed is forgotten before a count. What IPython keeps of each cell for good is taken off: its text, and of a
mistake the tree of its text (measured in plain IPython 8.5: 0.8 to 2 KB and 13 to 16 KB).

    python tests/chaos/soak.py --seconds 3600 [--ranks 2] [--seed 1] [--json FILE]
"""

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path

from chaos import engines_of
from kernels import CELL_TIMEOUT_S, LINES, Player
from programs import LARGE, Program

EVERY_S = 5.0  # between two counts
LOG_BYTES, KEPT_BYTES = 1 << 24, 1 << 22  # full soon
INTERRUPT_S = 0.3  # after a cell's beginning
KB_OF_A_CELL, KB_OF_A_MISTAKE = 1.5, 13.0
MAY_GROW = 1.03  # from the second quarter's median to the last quarter's; memory that is freed stays with a process for a while
MAY_GROW_BY = {"memory of the kernel, MB": 12.0, "memory of the engines, MB": 12.0}  # whatever the share; of others nothing
MISTAKES = "a[a.size]", "a + np.ones(7)", "undefined_name", "np.linalg.inv(np.zeros((3, 3)))", "1 / 0", "a.reshape(3, -7)"
LOOKS = "a[:5]", "a", "q", "a.mean(), e.max()", "print(b)", "np.stats()['arrays']", "%engines", "a.shape, c.dtype"
FILES = (
    "np.save('a.npy', a); b = np.load('a.npy')",
    "np.save_session('session', dict(a=a, t=t)); del a; globals().update(np.load_session('session'))",
    "%session save whole",
)
LONG = "for _ in range(100_000): e = np.floor(e * 0.5 + f) % 4096.0"


def memory_of(pid):
    """MB of its own: what is shared with other processes, as the engines' heap, is not in it."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"/proc/{pid}/status has no RssAnon")


def number_in(*folders):
    return sum(1 for folder in folders for _ in Path(folder).rglob("*"))


def count(player):
    """name -> number of all that could grow."""
    kernel, engines = player.notebook.pid, engines_of(player.folder)
    player.run("%reset -f out")
    arrays = player.run("import gc; gc.collect(); np.sync(); print(np.stats()['arrays'])").out
    return {
        "memory of the kernel, MB": memory_of(kernel),
        "memory of the engines, MB": sum(map(memory_of, engines)),
        "descriptors": sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in (kernel, *engines)),
        "threads": sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in (kernel, *engines)),
        "engines": len(engines),
        "files": number_in(player.folder / "run", player.folder / "state"),
        "arrays": int(arrays.splitlines()[-1]),
    }


class Day:
    """Cells of one notebook, chosen by a seed."""

    def __init__(self, player, seed):
        self.player, self.chance, self.cells, self.mistakes = player, random.Random(seed), 0, 0
        self.program, self.at = None, 0

    def _next_lines(self):
        if self.program is None or self.at >= len(self.program.lines):
            seed = self.chance.randrange(1_000_000)
            self.program, self.at = Program(seed), 0
            self.run(f"globals().update(Program({seed}).start(np))")
        lines = self.program.lines[self.at : self.at + LINES]
        self.at += LINES
        return "\n".join(lines)

    def run(self, code, *may_fail):
        cell = self.player.notebook.run(code, timeout=CELL_TIMEOUT_S)
        self.cells += 1
        self.mistakes += cell.status != "ok"
        if cell.status != "ok" and cell.ename not in may_fail:
            raise AssertionError(f"{cell.ename}: {cell.reply['evalue']}\nin\n{code}\n{cell.err}")

    def kept_by_ipython(self):
        """MB."""
        return (KB_OF_A_CELL * self.cells + KB_OF_A_MISTAKE * self.mistakes) / 1024

    def hour(self):
        """Some cells, as they come in an hour."""
        what = self.chance.random()
        if what < 0.6:
            self.run(self._next_lines())
        elif what < 0.8:
            self.run(self.chance.choice(LOOKS))
        elif what < 0.88:
            self.run(self.chance.choice(MISTAKES), "IndexError", "ValueError", "NameError", "LinAlgError", "ZeroDivisionError")
        elif what < 0.93:
            self.run(self.chance.choice(FILES))
        elif what < 0.97:
            self._interrupt()
        else:
            self.run(f"del {self.chance.choice(LARGE)}\nglobals().update(Program({self.program.seed}).start(np))")

    def _interrupt(self):
        cell = self.player.notebook.send(LONG)
        time.sleep(INTERRUPT_S)
        self.player.notebook.manager.interrupt_kernel()
        self.player.notebook.finish(cell, timeout=CELL_TIMEOUT_S)
        self.cells += 1
        if cell.ename != "KeyboardInterrupt":
            raise AssertionError(f"an interrupted cell ended with {cell.status} {cell.ename}")
        self.run("np.sync(); float(e.sum())")  # a second interrupt before that would cut


def grown(counts):
    """name -> (before, after) of what has grown from the second quarter to the last."""
    quarter = len(counts) // 4
    found = {}
    for name in counts[0]:
        before = statistics.median(each[name] for each in counts[quarter : 2 * quarter])
        after = statistics.median(each[name] for each in counts[3 * quarter :])
        if after > before * MAY_GROW + MAY_GROW_BY.get(name, 0.0):
            found[name] = before, after
    return found


def soak(seconds, ranks, seed):
    """(counts, cells) of a day of so many seconds."""
    player = Player(seed, ranks)
    try:
        player.begin()
        player.run(
            f"import os; os.chdir({str(player.folder)!r}); np.config.log_bytes, np.config.kept_bytes = {LOG_BYTES}, {KEPT_BYTES}"
        )
        day, counts, end = Day(player, seed), [], time.monotonic() + seconds
        day.run(day._next_lines())
        due = time.monotonic()
        while time.monotonic() < end:
            day.hour()
            if time.monotonic() > due:
                counted = count(player)
                counted["memory of the kernel, MB"] -= day.kept_by_ipython()
                counts.append(counted)
                due = time.monotonic() + EVERY_S
        return counts, day.cells
    finally:
        player.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for the counts")
    wishes = parser.parse_args()
    counts, cells = soak(wishes.seconds, wishes.ranks, wishes.seed)
    print(f"{cells} cells in {wishes.seconds:.0f} s, {len(counts)} counts; at the end of each quarter:")
    for name in counts[0]:
        print(f"  {name}: " + ", ".join(f"{counts[len(counts) * part // 4 - 1][name]:.0f}" for part in (1, 2, 3, 4)))
    found = grown(counts)
    for name, (before, after) in found.items():
        print(f"grown: {name}, from {before:.1f} to {after:.1f}")
    if wishes.json:
        wishes.json.write_text(json.dumps(counts))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
