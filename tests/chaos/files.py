# SPDX-License-Identifier: BSD-3-Clause
"""Befalls files. Each call of the system with which a session or a checkpoint is written or read fails in turn: there is no
space, an input/output error, an interrupted call, half of the bytes. And a saved session is cut off at, and changed in, every byte.

    python files.py [--kinds save,load,checkpoint,torn] [--ranks 2] [--step 1] [--first 1]

What is there then is the old state or the new one, whole, or what is missing is named. Prints a line for each kind.
"""

import argparse
import contextlib
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
FAILURES = {"no space": 1, "input/output error": 2, "interrupted": 3, "short": 4}  # the numbers of failing_calls.c
MUST_SUCCEED = "interrupted", "short"  # the system may do so at any time
KINDS = "save", "load", "checkpoint", "torn"
LIBRARY, CONTROL, FOLDER = "LD_PRELOAD", "FAILING_CONTROL", "FAILING_FOLDER"


class Control:
    """Which call fails, in whichever process: the numbers that failing_calls.c maps."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self.numbers = mmap.mmap(file.fileno(), 24)
        self.is_reached = True

    @contextlib.contextmanager
    def failing(self, number, failure):
        """Within, that call fails. Then `is_reached` says whether there were as many."""
        self.numbers[:] = struct.pack("qqq", number, 0, FAILURES[failure])
        try:
            yield
        finally:
            self.is_reached = struct.unpack("qqq", self.numbers[:])[0] <= 0
            self.numbers[:] = bytes(24)


class Trial:
    """Counts outcomes; `wrong` says in words those that may not be."""

    def __init__(self, name):
        self.name, self.counts, self.wrong = name, Counter(), []

    def note(self, outcome, why=""):
        self.counts[outcome] += 1
        if outcome == "wrong":
            self.wrong.append(why)

    def tell(self):
        said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.counts.items()))
        print(f"{self.name}: {said}", *self.wrong[:20], sep="\n  ", flush=True)


def variables(number, size=2000):
    """A session's variables, others for each number."""
    import gamelan

    a = gamelan.arange(float(size)) + number
    return {"a": a, "part": a[5:], "b": gamelan.ones((7, 30)) * number, "n": [number], "held": [a * 2, "x" * number]}


def differing(loaded, number, **size):
    """Variables of a session that are not those of that number, or are not there. What `loaded` calls missing is left out."""
    expected = variables(number, **size)
    names = [name for name in expected if name not in loaded.missing]
    return [name for name in names if name not in loaded or not _is_equal(loaded[name], expected[name])]


def _is_equal(x, y):
    if isinstance(y, list):
        return len(x) == len(y) and all(map(_is_equal, x, y))
    return numpy.array_equal(x, y)


def load(path):
    import gamelan

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # names what is missing
        return gamelan.load_session(path)


def try_save(control, folder, failure, first, step):
    """A session is replaced by the next, and a call fails."""
    import gamelan

    trial, path, old, call = Trial(f"save, {failure}"), folder / "session", 1, first
    gamelan.save_session(path, variables(old))
    while control.is_reached:
        new, error = old + 1, None
        with control.failing(call, failure):
            try:
                gamelan.save_session(path, variables(new))
            except OSError as raised:
                error = raised
        loaded = load(path)
        is_new, is_old = (not loaded.missing and not differing(loaded, number) for number in (new, old))
        left = os.listdir(folder)
        if left != ["session"] or not (is_new or is_old) or (is_old and not error) or (error and failure in MUST_SUCCEED):
            trial.note("wrong", f"call {call}: {error!r}; old {is_old}, new {is_new}; files {left}")
        else:
            trial.note("saved" if not error else f"refused, {'old' if is_old else 'new'} session")
        old, call = new if is_new else old, call + step
    return trial


def try_load(control, folder, failure, first, step):
    """A session is loaded, and a call fails."""
    import gamelan

    trial, path, call = Trial(f"load, {failure}"), folder / "session", first
    gamelan.save_session(path, variables(1))
    while control.is_reached:
        loaded, error = None, None
        with control.failing(call, failure):
            try:
                loaded = load(path)
            except OSError as raised:
                error = raised
        if loaded is None:
            trial.note("refused" if failure not in MUST_SUCCEED else "wrong", f"call {call}: {error!r}")
        elif differing(loaded, 1) or (loaded.missing and failure in MUST_SUCCEED):
            trial.note("wrong", f"call {call}: differ {differing(loaded, 1)}, missing {loaded.missing}")
        else:
            trial.note("loaded but what is named" if loaded.missing else "loaded")
        call += step
    return trial


def try_checkpoint(control, folder, failure, first, step):
    """A checkpoint is made, and a call fails; then all engines are killed."""
    import gamelan
    from chaos import engines_of

    trial, call = Trial(f"checkpoint, {failure}"), first
    a, b, number = gamelan.arange(6000.0), gamelan.ones((7, 900)), 0  # smaller ones are in the log
    gamelan.checkpoint()
    while control.is_reached:
        a += 1
        b[number % 7] *= 2
        number += 1
        error = None
        with control.failing(call, failure):
            try:
                gamelan.checkpoint()
            except OSError as raised:
                error = raised
        for pid in engines_of(os.environ["GAMELAN_RUNTIME_DIR"]):
            os.kill(pid, signal.SIGKILL)
        rows = [2.0 ** len(range(row, number, 7)) for row in range(7)]
        is_right = numpy.array_equal(a, numpy.arange(6000.0) + number) and numpy.array_equal(b[:, 0], rows)
        is_allowed = is_right and not (error and failure in MUST_SUCCEED)
        trial.note(("refused" if error else "saved") if is_allowed else "wrong", f"call {call}: {error!r}, equal: {is_right}")
        call += step
    return trial


def try_torn(folder, change, first, step):
    """Each file of a session is cut off at, or changed in, each byte."""
    import gamelan

    trial, path = Trial(f"a byte {change}"), folder / "session"
    gamelan.save_session(path, variables(1, size=20))
    for file in sorted(each for each in path.rglob("*") if each.is_file()):
        whole = file.read_bytes()
        for at in range(first - 1, len(whole), step):
            file.write_bytes(whole[:at] if change == "cut off" else whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            try:
                loaded = load(path)
            except ValueError:  # the manifest
                trial.note("refused")
                continue
            if wrong := differing(loaded, 1, size=20):
                trial.note("wrong", f"{file.name} at {at}: {wrong}")
            else:
                trial.note("loaded but what is named" if loaded.missing else "loaded")
        file.write_bytes(whole)
    return trial


def trials(kind, control, folder, first, step):
    """The trials of a kind, in a folder of each."""
    if kind == "torn":
        changes = [(try_torn, change) for change in ("cut off", "changed")]
    else:
        play = {"save": try_save, "load": try_load, "checkpoint": try_checkpoint}[kind]
        changes = [(play, failure) for failure in FAILURES]
    for number, (play, change) in enumerate(changes):
        place = folder / f"{kind}{number}"
        place.mkdir(mode=0o700)
        arguments = (place, change, first, step)
        control.is_reached = True
        yield play(*arguments) if kind == "torn" else play(control, *arguments)


def begin_again(arguments):
    """This program once more, with the library preloaded, so that its engines have it, too; its exit status."""
    with tempfile.TemporaryDirectory(prefix="gc-", dir="/tmp") as name:
        folder, library, control = Path(name), Path(name, "failing_calls.so"), Path(name, "control")
        build = ["cc", "-O1", "-shared", "-fPIC", "-o", library, HERE / "failing_calls.c", "-ldl"]
        subprocess.run(build, check=True, timeout=60)
        control.write_bytes(bytes(24))
        for each in ("run", "files"):
            (folder / each).mkdir(mode=0o700)
        settings = {
            LIBRARY: library,
            CONTROL: control,
            FOLDER: folder / "files",
            "GAMELAN_RUNTIME_DIR": folder / "run",
            "GAMELAN_ENGINES": arguments.ranks,
            "GAMELAN_PROTECT": folder / "files",
        }
        environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
        return subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=environment).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--first", type=int, default=1, help="the first call or byte")
    parser.add_argument("--step", type=int, default=1, help="between two calls or bytes")
    wishes = parser.parse_args()
    if CONTROL not in os.environ:
        return begin_again(wishes)
    import gamelan

    gamelan.config.distribute_from = 0
    control, folder, wrong = Control(os.environ[CONTROL]), Path(os.environ[FOLDER]), 0
    for kind in wishes.kinds.split(","):
        for trial in trials(kind, control, folder, wishes.first, wishes.step):
            trial.tell()
            wrong += len(trial.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
