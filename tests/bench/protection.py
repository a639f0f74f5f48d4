# SPDX-License-Identifier: BSD-3-Clause
"""What it costs that a session cannot be lost: the same cell without a log, with one, with a checkpoint in memory, and with one on a
disk, in turn. Then a checkpoint that is waited for beside `dd`, and the log's bytes a command.

    GAMELAN_ENGINES=2 python3 protection.py FOLDER [--bytes 1e9] [--seconds 10] [--rounds 5]

FOLDER is on the disk that is measured. Prints tables for docs/sessions.md.
"""

import argparse
import statistics
import subprocess
import time
from pathlib import Path

import gamelan as np
from gamelan import _core

ARRAYS = 4
WARM = 2
SHORT = 20_000  # commands of a loop in which recording is all that counts
FEW, MANY = 200, 60_000  # turns, commands
PROGRAMS = {  # for the log's bytes a command
    "x = x + y": "x = x + y",
    "x = 0.5 * x + y * y": "x = 0.5 * x + y * y",
    "x[1:] += y[:-1]": "x[1:] += y[:-1]",
    "m[1:-1, 1:-1] = 0.25 * (four shifted views of m)": "m[1:-1, 1:-1] = 0.25 * (m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:])",
    "m = m / m.sum(axis=0)": "m = m / m.sum(axis=0)",
    "x = np.where(x > y, x, 2 * y)": "x = np.where(x > y, x, 2 * y)",
}


class Cell:
    """Sweeps over ARRAYS arrays, of which the first `changing` change, as many as take about so many seconds."""

    def __init__(self, size, seconds, changing=ARRAYS):
        self.length, self.changing = size // (8 * ARRAYS), changing
        self.arrays = None
        self.turns = 10
        self.run()
        self.turns = round(10 * seconds / self.run()) or 1

    def make(self):
        self.arrays = [np.full(self.length, float(number)) for number in range(ARRAYS)]
        np.sync()

    def run(self):
        """Seconds of the cell, with new arrays: a log that was off has lost those that there were."""
        self.arrays = None
        self.make()
        return self.go_on()

    def go_on(self):
        """The same with the arrays that there are."""
        begin = time.perf_counter()
        for turn in range(self.turns):
            first, second = self.arrays[turn % self.changing], self.arrays[(turn + 1) % ARRAYS]
            first *= 0.499  # stays finite, however often
            first += 0.5 * second
            if turn % 8 == 7:
                first.max().item()  # as a person looks
        np.sync()
        return time.perf_counter() - begin


def short_loop(count):
    """Seconds of so many commands, of which each costs little more than to be recorded."""
    array = np.zeros(np.config.distribute_from)
    np.sync()
    begin = time.perf_counter()
    for _ in range(count):
        array += 1.0
    np.sync()
    return time.perf_counter() - begin


def in_turn(run, variants, rounds):
    """{name: seconds of each round} of `run` with these options of np.config. WARM rounds before them do not count: memory that
    nobody has used yet may be slow, and the third checkpoint is the first that is written over an earlier one."""
    times = {name: [] for name in variants}
    for _ in range(rounds + WARM):
        for name, options in variants.items():
            np.config.protect = ""
            for option, value in options.items():
                setattr(np.config, option, value)
            times[name].append(run())
            while np.stats()["bytes_behind"]:
                time.sleep(0.1)
    np.config.protect = ""
    return {name: seconds[WARM:] for name, seconds in times.items()}


def tell(title, times, reference):
    print(f"\n| {title} | s, median | to the second row's |\n|---|---|---|")
    base = statistics.median(times[reference])
    for name, seconds in times.items():
        ours = statistics.median(seconds)
        print(f"| {name} | {ours:.2f} | {100 * (ours / base - 1):+.1f} % |", flush=True)


def written(folder, size):
    """Seconds of `dd` for so many bytes, flushed."""
    file = Path(folder) / "dd"
    begin = time.perf_counter()
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={file}", "bs=4M", f"count={size >> 22}", "conv=fsync"], check=True, capture_output=True
    )
    seconds = time.perf_counter() - begin
    file.unlink()
    return seconds


def bytes_a_command(line):
    """(commands of one turn, bytes of a command as it is sent, bytes that the log keeps for each of MANY)."""
    names = {"np": np, "x": np.ones(300_000), "y": np.ones(300_000), "m": np.ones((600, 600))}
    code = compile(line, "<program>", "exec")

    def log_after(turns):
        for _ in range(turns):
            exec(code, names)
        np.sync()
        return np.stats()["log_commands"], np.stats()["log_bytes"]

    np.sync()
    _core.log_arrays()  # forgets what nobody needs, and compresses
    commands, held = log_after(0)
    more_commands, more_held = log_after(FEW)
    each = (more_commands - commands) // FEW
    log_after(MANY // each)
    _core.log_arrays()
    return each, (more_held - held) / (more_commands - commands), max(0, np.stats()["log_bytes"] - held) / MANY


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--bytes", type=float, default=1e9, help="of the arrays together")
    parser.add_argument("--seconds", type=float, default=10, help="of the cell")
    parser.add_argument("--rounds", type=int, default=5)
    wishes = parser.parse_args()
    size, log_bytes = int(wishes.bytes), np.config.log_bytes
    on = {"log_bytes": log_bytes}
    kinds = {"no log": {"log_bytes": 0}, "a log, no checkpoints": on}
    cell = Cell(size, wishes.seconds)
    every = {"protect_seconds": wishes.seconds / 2}  # each cell makes one
    title, rounds = f"{size / 1e9:.1f} GB in {ARRAYS} arrays, {cell.turns} turns", wishes.rounds
    in_memory = {"a checkpoint in memory": on | every | {"protect": "memory"}}
    on_disk = {"a checkpoint on the disk": on | every | {"protect": wishes.folder}}
    tell(title, in_turn(cell.run, kinds | in_memory, rounds), "a log, no checkpoints")
    tell(title, in_turn(cell.run, kinds | on_disk, rounds), "a log, no checkpoints")
    cell = Cell(size, wishes.seconds, changing=1)
    title = f"the same, {cell.turns} turns that change one array of {ARRAYS}"
    for place in (in_memory, on_disk):
        tell(title, in_turn(cell.go_on, {"a log, no checkpoints": on} | place, rounds), "a log, no checkpoints")
    tell(f"{SHORT:,} commands of one step", in_turn(lambda: short_loop(SHORT), kinds, wishes.rounds), "a log, no checkpoints")
    np.config.log_bytes, np.config.protect = log_bytes, wishes.folder
    cell.make()
    times = []
    for _ in range(wishes.rounds):
        for array in cell.arrays:
            array += 1.0  # else the checkpoint takes over their files
        np.sync()
        begin = time.perf_counter()
        count = np.checkpoint()
        times.append((time.perf_counter() - begin, written(wishes.folder, count)))
    ours, theirs = map(min, zip(*times))
    print(
        f"\ncheckpoint, waited for: {count / 1e9 / ours:.2f} GB/s; dd: {count / 1e9 / theirs:.2f} GB/s (best of {wishes.rounds})"
    )
    np.config.protect = ""
    print(f"\n| line | commands | bytes of one, as sent | bytes kept of each of {MANY:,} |\n|---|---|---|---|")
    for name, line in PROGRAMS.items():
        commands, sent, kept = bytes_a_command(line)
        print(f"| `{name}` | {commands} | {sent:.0f} | {kept:.1f} |", flush=True)


if __name__ == "__main__":
    main()
