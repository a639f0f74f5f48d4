# SPDX-License-Identifier: BSD-3-Clause
"""Befalls programs with chaos: starts play.py with engines of its own, acts at random moments, and counts what was left.

By hand, for hours, or one round again as a failure has printed it:

    python tests/chaos/chaos.py --seconds 7200 [--ranks 1,2,3] [--kinds interrupt,kill] [--seed 1] [--json FILE]
    python tests/chaos/chaos.py --ranks 2 --kinds kill --seed 17 --rounds 1
"""

import argparse
import json
import os
import queue
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("GAMELAN_BUILD", HERE.parents[1] / "build"))
KINDS = "interrupt", "two_interrupts", "kill", "stop"
SILENCE_S = 90  # of play.py: it hangs
LATEST_S = 0.6  # after the beginning of a round, in which some hundred lines run
LONGEST_STOP_S = 4.0


@dataclass
class Figures:
    """Of one kind of chaos: how many rounds were left whole, behind and lost (moments.py says what that is), and how soon they
    went on; `wrong` has the rounds that may not be, in words."""

    outcomes: Counter = field(default_factory=Counter)
    go_on_s: list = field(default_factory=list)
    wrong: list = field(default_factory=list)

    @property
    def rounds(self):
        return sum(self.outcomes.values())

    def share(self, outcome):
        return self.outcomes[outcome] / max(1, self.rounds)

    def __str__(self):
        times = self.go_on_s or [0.0]
        said = ", ".join(f"{self.outcomes[name]} {name}" for name in ("whole", "behind", "lost", "wrong"))
        return f"{self.rounds} rounds: {said}; goes on after {statistics.median(times):.2f} s, worst {max(times):.2f} s"


def engines_of(folder):
    """Ids of the engines whose session lies in that folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name, words = (entry / "comm").read_text().strip(), (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if name == "gamelan-engine" and os.fsencode(str(folder)) in words:
            found.append(int(entry.name))
    return sorted(found)


class Player:
    """play.py in a process of its own, with a folder for its engines."""

    def __init__(self, ranks, seed, rounds):
        self.ranks, self.folder = ranks, Path(tempfile.mkdtemp(prefix="gc-", dir="/tmp"))
        self.log = self.folder / "player.log"
        with open(self.log, "wb") as log:
            self.process = self.start([sys.executable, HERE / "play.py", str(seed), str(rounds)], log)
        self._lines = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, command, log):
        """The process, with pipes for its input and output."""
        settings = {"GAMELAN_RUNTIME_DIR": str(self.folder), "GAMELAN_ENGINES": str(self.ranks), "PYTHONUNBUFFERED": "1"}
        inherited = {name: value for name, value in os.environ.items() if name != "GAMELAN_CONNECT"}
        variables = {"PYTHONPATH": str(BUILD / "python"), **inherited, **settings}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=variables)

    def act(self, kind, chance):
        """What befalls; comes back when it is over."""
        if kind in ("interrupt", "two_interrupts"):
            self.process.send_signal(signal.SIGINT)
            if kind == "two_interrupts":
                time.sleep(chance.uniform(0.01, 0.5))
                self.process.send_signal(signal.SIGINT)
            return
        victim = chance.choice(self.engines())
        if kind == "kill":
            self.signal(victim, signal.SIGKILL)
            return
        self.signal(victim, signal.SIGSTOP)
        time.sleep(chance.uniform(0.2, LONGEST_STOP_S))
        self.signal(victim, signal.SIGCONT)

    def engines(self):
        """What `signal` takes for each rank."""
        return engines_of(self.folder)

    def signal(self, engine, number):
        os.kill(engine, number)

    def _listen(self):
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put({})

    def heard(self):
        """The next facts; {} when it has ended. A TimeoutError has its stacks."""
        try:
            return self._lines.get(timeout=SILENCE_S)
        except queue.Empty:
            self.process.send_signal(signal.SIGUSR1)
            time.sleep(1)
            raise TimeoutError(f"no word for {SILENCE_S} s; it stands at\n{self.said()}") from None

    def say_acted(self):
        self.process.stdin.write(f"acted {time.monotonic()}\n")
        self.process.stdin.flush()

    def said(self):
        return self.log.read_text(errors="replace")[-6000:]

    def end(self):
        self.process.kill()
        self.process.wait()
        for pid in engines_of(self.folder):
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def play(kind, ranks, seed, rounds=10_000, seconds=float("inf"), start=Player, program="chaos.py"):
    """Rounds of one kind on so many ranks, of the seeds from `seed` on, until either limit; their Figures."""
    figures, end, current = Figures(), time.monotonic() + seconds, seed
    again = f"python tests/chaos/{program} --ranks {ranks} --kinds {kind} --seed {{}} --rounds 1"
    player = start(ranks, seed, rounds)
    try:
        while facts := player.heard():
            if "begins" in facts:
                current = facts["begins"]
                chance = random.Random(f"{kind} {current}")
                time.sleep(chance.uniform(0.0, LATEST_S))
                player.act(kind, chance)
                player.say_acted()
            elif "outcome" in facts:
                _count(figures, facts, again)
                if time.monotonic() > end:
                    break
        else:
            if figures.rounds < rounds:
                raise RuntimeError(f"the program ended by itself ({player.process.wait()}):\n{player.said()}")
    except Exception as error:
        _count(figures, {"outcome": "wrong", "why": f"{type(error).__name__}: {error}", "seed": current}, again)
    finally:
        player.end()
    return figures


def _count(figures, facts, again):
    figures.outcomes[facts["outcome"]] += 1
    if "go_on_s" in facts:
        figures.go_on_s.append(facts["go_on_s"])
    if facts["outcome"] == "wrong":
        figures.wrong.append(
            f"{facts['why']}\nagain (the moment differs; more --rounds, other seeds): {again.format(facts['seed'])}"
        )


def tell(name, figures, told):
    """Prints the figures of one kind of chaos, and notes them for conclude()."""
    print(f"{name}: {figures}", *figures.wrong, sep="\n", flush=True)
    told[name] = {"outcomes": figures.outcomes, "go_on_s": figures.go_on_s, "wrong": figures.wrong}


def conclude(told, path):
    """Writes what was told to a file, if one is wished; the exit status."""
    if path:
        path.write_text(json.dumps(told, indent=1))
    return 1 if any(each["wrong"] for each in told.values()) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120, help="of all together")
    parser.add_argument("--ranks", default="1,2,3")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10_000, help="at most, of each kind on each number of ranks")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    wishes = parser.parse_args()
    cases = [(kind, int(ranks)) for kind in wishes.kinds.split(",") for ranks in wishes.ranks.split(",")]
    told = {}
    for kind, ranks in cases:
        figures = play(kind, ranks, wishes.seed, wishes.rounds, wishes.seconds / len(cases))
        tell(f"{kind} on {ranks} ranks", figures, told)
    return conclude(told, wishes.json)


if __name__ == "__main__":
    sys.exit(main())
