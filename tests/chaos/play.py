# SPDX-License-Identifier: BSD-3-Clause
"""The program that chaos befalls: plays rounds, each a random program of a seed, and reports what was left in lines of JSON.

The driver (chaos.py) starts it, reads `begins`, acts, and says so by a line `acted TIME`. Then a round is judged: which moment
the state is of, whether the program goes on from there, and whether its end is NumPy's.

    python play.py SEED ROUNDS
"""

import faulthandler
import json
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass

import numpy

import gamelan
from moments import LOST, WHOLE, WRONG, find, read
from programs import DISTRIBUTE_FROM, GENERATOR, SMALL, VALUES, Program, brought, kept

MORE_LINES = 15  # after what befell
TRIES = 3  # of the first computation after a loss: it starts new engines


class Driver:
    """What the driver says; read by a thread, as the program is busy. No lock: an interrupt may leave one closed for ever."""

    def __init__(self):
        self.acted, self.at = False, 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in sys.stdin:
            self.at = float(line.split()[1])
            self.acted = True

    def tell(self, **facts):
        print(json.dumps(facts), flush=True)

    def await_act(self):
        """Comes back when the driver has acted, and every signal of its has arrived."""
        while not self.acted:
            time.sleep(0.02)
        time.sleep(0.05)


@dataclass
class Progress:
    """Of a round: lines that have begun, and the error that ended them."""

    begun: int = 0
    raised: str = ""


def run(program, names, driver):
    """Run lines until the driver has acted and all that befell is over."""
    progress = Progress()
    try:
        _run(program, names, driver, progress)
    except KeyboardInterrupt:  # a second one, between two lines of _run
        _run(program, names, driver, progress)
    return progress


def _run(program, names, driver, progress):
    """What still runs after an interrupt is awaited, so that a second one meets it."""
    is_over = False
    while not is_over:
        try:
            while not progress.raised and progress.begun < len(program.code) - MORE_LINES and not driver.acted:
                progress.begun += 1
                exec(program.code[progress.begun - 1], names)
            gamelan.sync()
            driver.await_act()
            gamelan.sync()
            is_over = True
        except KeyboardInterrupt:
            progress.raised = "KeyboardInterrupt"
        except LOST as error:
            progress.raised = type(error).__name__


def computes():
    """The time at which something is computed again."""
    for attempt in range(TRIES):
        try:
            if float((gamelan.ones(2 * DISTRIBUTE_FROM) + 1).sum()) != 4 * DISTRIBUTE_FROM:
                raise ValueError("a sum is wrong")
            return time.monotonic()
        except LOST:
            if attempt == TRIES - 1:
                raise
    return None


def go_on(program, found, names):
    """Restore what is not of the moment, run some lines more, and compare the end with NumPy's; '' where it is equal."""
    restored = {*found.lost, GENERATOR}  # a draw that was cut off has moved it
    if found.outcome != WHOLE:
        restored.update(SMALL + VALUES)
    names.update({name: brought(name, found.state[name]) for name in restored})
    expected, code = kept(found.state), program.code[found.done : found.done + MORE_LINES]
    with numpy.errstate(all="ignore"):
        for line in code:
            exec(line, expected)
    for line in code:
        exec(line, names)
    final = find(program, expected, 0, read(names))
    return "" if final.outcome == WHOLE else f"after {len(code)} lines more from {found.done}: {final.why or final.outcome}"


def round_of(seed, driver):
    """One round; the facts to tell of it."""
    program = Program(seed)
    start, names = program.start(numpy), program.start(gamelan)
    gamelan.sync()
    driver.acted = False
    driver.tell(begins=seed)
    progress = run(program, names, driver)
    at = computes() - driver.at
    found = find(program, start, progress.begun, read(names))
    facts = {"raised": progress.raised, "begun": progress.begun, "done": found.done, "lost": found.lost, "go_on_s": round(at, 3)}
    why = found.why or go_on(program, found, names)
    return {**facts, "outcome": WRONG if why else found.outcome, "why": why}


def main():
    seed, rounds = map(int, sys.argv[1:3])
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gamelan.config.distribute_from = DISTRIBUTE_FROM
    driver = Driver()
    gamelan.ones(2 * DISTRIBUTE_FROM).sum()
    gamelan.sync()
    driver.tell(ready=True)
    for number in range(rounds):
        try:
            facts = round_of(seed + number, driver)
        except Exception:
            facts = {"outcome": WRONG, "why": traceback.format_exc(limit=-6)}
        driver.tell(seed=seed + number, **facts)


if __name__ == "__main__":
    main()
