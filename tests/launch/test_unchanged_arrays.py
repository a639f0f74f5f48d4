# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints that take over the files of arrays to which nothing was written, and write over the memory of older ones."""

import os

import pytest
from test_arrays_again import run

START = """
from gamelan._checkpoint_folder import MEMORY_FOLDER
def folders():
    place = MEMORY_FOLDER if np.config.protect == "memory" else __import__("pathlib").Path(np.config.protect)
    return sorted(path for path in place.glob(f"gamelan-*-{os.getpid()}-*/*") if path.name != "spare")
def files():
    "The number of the file of each array, by the array's name in this program."
    [folder] = folders()
    names = {f"{array._b.id:x}.npy": name for name, array in globals().items() if isinstance(array, np.ndarray) and array._b}
    return {names[file.name]: file.stat().st_ino for file in folder.glob("*.npy") if file.name in names}
def spare_bytes():
    "That wait to be written over."
    from gamelan._checkpoint_folder import MEMORY_FOLDER
    return sum(file.stat().st_size for file in MEMORY_FOLDER.glob(f"gamelan-*-{os.getpid()}-*/spare/*"))
def taken_over():
    "The arrays that the next checkpoint does not write."
    before = files()
    np.checkpoint()
    return "".join(sorted(name for name, number in files().items() if before.get(name) == number))
"""
PLACES = pytest.mark.parametrize("place", ["disk", "memory"])


def run_in(place, tmp_path, program, ranks=2):
    where = "memory" if place == "memory" else str(tmp_path)
    return run(START + program, ranks, GAMELAN_PROTECT=where, GAMELAN_DISTRIBUTE_FROM="1000")


@PLACES
def test_what_was_written_since_is_written_again_and_nothing_else(runtime, tmp_path, place):
    lines = run_in(
        place,
        tmp_path,
        """
a, b, c, d, e, f, g, h, k = [np.random.default_rng(n).random((300, 400)) for n in range(9)]
want = {name: numpy.array(globals()[name]) for name in "abcdefghk"}
np.checkpoint()
print(taken_over())
def change(a, b, c, d, e, f, g, np):
    a[3, 5] = 7
    b += 1
    np.add(c, 1, out=c)
    d.T[5:, ::2] *= 3
    e.sort(axis=1)
    np.put(f, [3, 700], 2.5)
    np.copyto(g[:2], 4)
change(a, b, c, d, e, f, g, np)
change(*(want[name] for name in "abcdefg"), numpy)
made = h + k
float(h.sum()); used = numpy.array(h)  # that is read does not matter
print(taken_over())
print(taken_over())
def are_right():
    return all((numpy.array(globals()[name]) == value).all() for name, value in want.items())
print(are_right(), (numpy.array(made) == want["h"] + want["k"]).all())
lose()
print(are_right(), len(folders()))
h -= 1; want["h"] -= 1
print(taken_over())  # what was read from a checkpoint lies there
lose()
print(are_right(), len(folders()))
""",
        3,
    )
    assert lines[:3] == ["abcdefghk", "hk", "abcdefghkmade"], lines
    assert lines[3:] == ["True True", "True 1", "abcdefgkmade", "True 1"], lines


@PLACES
def test_a_file_that_was_changed_is_not_taken_over(runtime, tmp_path, place):
    lines = run_in(
        place,
        tmp_path,
        """
a, b, c = np.arange(200_000.0), np.arange(200_000.0) + 1, np.arange(200_000.0) + 2
np.checkpoint()
[folder] = folders()
with open(folder / f"{a._b.id:x}.npy", "r+b") as opened: opened.seek(1000); opened.write(b"x")
(folder / f"{b._b.id:x}.npy").unlink()
print(taken_over())
lose()
print([float(each.sum()) for each in (a, b, c)])
""",
    )
    assert lines == ["c", "[19999900000.0, 20000100000.0, 20000300000.0]"], lines


def test_what_others_may_write_is_written_again(runtime, tmp_path):
    lines = run_in(
        "disk",
        tmp_path,
        """
a, b = np.arange(200_000.0), np.arange(200_000.0) + 1
np.publish("a", a)
np.checkpoint()
print(taken_over())
np.unpublish("a")
print(taken_over())  # who has attached it may write it
""",
    )
    assert lines == ["b", "b"], lines


@PLACES
def test_what_was_freed_is_not_taken_over(runtime, tmp_path, place):
    lines = run_in(
        place,
        tmp_path,
        """
a, b = np.arange(200_000.0), np.arange(300_000.0)
np.checkpoint()
before = files()
del a
np.checkpoint()
[folder] = folders()
print(len(list(folder.glob("*.npy"))), files() == {"b": before["b"]})
""",
    )
    assert lines == ["1 True"], lines


def test_spare_memory_is_given_back_where_it_does_not_fit(runtime, tmp_path):
    lines = run_in(
        "memory",
        tmp_path,
        """
from pathlib import Path
parts = [np.full(100_000, float(n)) for n in range(8)]
for turn in range(3):
    for part in parts: part += 1
    np.checkpoint()
print(spare_bytes() > 6_000_000)
parts = np.concatenate(parts)
np.sync()
real = Path.read_text
Path.read_text = lambda path: "MemAvailable: 13000 kB" if str(path) == "/proc/meminfo" else real(path)
np.checkpoint()  # of 6.4 MB, twice as many are free
print(spare_bytes())
Path.read_text = lambda path: "MemAvailable: 10000 kB" if str(path) == "/proc/meminfo" else real(path)
parts += 1
print(error_of(np.checkpoint)[:11], float(parts[-1]))
""",
    )
    assert lines == ["True", "0", "MemoryError 11.0"], lines


def test_a_file_that_somebody_else_has_taken_over_is_not_written_over(runtime, tmp_path):
    lines = run_in(
        "memory",
        tmp_path,
        """
a = np.arange(200_000.0)
for turn in range(3):
    a += 1
    np.checkpoint()
[file] = folders()[0].parent.glob("spare/*.npy")
elsewhere = file.parent.parent / "elsewhere"
os.link(file, elsewhere)
theirs = elsewhere.read_bytes()
a += 1
np.checkpoint()
print(elsewhere.read_bytes() == theirs)
lose()
print(float(a[0]))
""",
    )
    assert lines == ["True", "4.0"], lines


def test_a_file_system_without_links_costs_the_time_of_writing(runtime, tmp_path):
    lines = run_in(
        "disk",
        tmp_path,
        """
def link(*all, **more): raise PermissionError(1, "Operation not permitted")
os.link = link
a = np.arange(200_000.0)
np.checkpoint()
print(repr(taken_over()), len(folders()))
lose()
print(float(a[7]))
""",
    )
    assert lines == ["'' 1", "7.0"], lines


def test_files_are_taken_over_behind_the_program_and_while_it_fails(runtime, tmp_path):
    lines = run_in(
        "disk",
        tmp_path,
        """
from gamelan import _protection
def store():
    _core.ask_for_checkpoint(True); np.sync(); _protection.wait_for_writer()
a, b = np.arange(200_000.0), np.arange(200_000.0) + 1
np.sync(); store()
first = files()
b += 1
real = _protection.write
def write(*all, **more): raise OSError(28, "No space left on device")
_protection.write = write
print(error_of(np.checkpoint))
_protection.write = real
print(files() == first)
b += 1
store()
print([name for name in files() if files()[name] == first[name]], len(folders()))
lose()
print(float(a[5]), float(b[5]))
""",
    )
    assert lines == ["OSError: [Errno 28] No space left on device", "True", "['a'] 1", "5.0 8.0"], lines


def test_memory_of_the_checkpoint_before_the_last_is_written_over(runtime, tmp_path):
    lines = run_in(
        "memory",
        tmp_path,
        """
def again():
    "Makes a checkpoint; is its memory that of the last but one?"
    global a, b
    a += 1; b += 2
    np.checkpoint()
    seen.append(files())
    return len(seen) > 2 and sorted(seen[-1].values()) == sorted(seen[-3].values())
def are_right():
    return float(a[7]), float(b[-1]), float(a.sum()), len(folders())
seen = []
a, b = np.zeros(200_000), np.zeros(300_000)
print([again() for turn in range(5)])
lose()
print(are_right())
b = np.zeros(150_000); c = np.ones(250_000)  # a shorter one, and a longer one
np.sync()
print(again())
lose()
print(are_right(), float(c.sum()))
from pathlib import Path
real = Path.read_text
Path.read_text = lambda path: "MemAvailable: 12000 kB" if str(path) == "/proc/meminfo" else real(path)
c += 1
again()
print(spare_bytes())  # arrays may need what is left
Path.read_text = real
again()
lose()
print(are_right(), float(c.sum()), spare_bytes() > 2_000_000)
print(folders()[0].parent)
""",
        3,
    )
    assert lines[0] == "[False, False, True, True, True]", lines
    assert lines[1] == "(5.0, 10.0, 1000000.0, 1)" and lines[2] == "False", lines
    assert lines[3] == "(6.0, 2.0, 1200000.0, 1) 250000.0" and lines[4] == "0", lines
    assert lines[5] == "(8.0, 6.0, 1600000.0, 1) 500000.0 True", lines
    assert not os.path.exists(lines[6]), "the spare memory goes with the session"


def test_memory_that_a_kept_state_names_is_not_written_over(runtime, tmp_path):
    (tmp_path / "kept").mkdir(mode=0o700)
    lines = run_in(
        "memory",
        tmp_path,
        f"""
from gamelan._saved import _keeping
from gamelan._saved._repeating import KeptLog
kept = __import__("pathlib").Path({str(tmp_path / "kept")!r})
a = np.zeros(800_000); b = np.ones(800_000)
log = KeptLog()
np.checkpoint()
there = _keeping.Snapshot({{"a": a, "b": b}}, 10**7, lambda: None, log).write(kept, set())
for turn in range(3):
    a += 1; np.checkpoint()
print(float(_keeping.read(kept)["a"][3]), float(_keeping.read(kept)["b"][3]))
a += 1
np.sync()
there = _keeping.Snapshot({{"a": a, "b": b}}, 10**7, lambda: None, log).write(kept, there)
for turn in range(3):
    a += 1; np.checkpoint()
print(float(_keeping.read(kept)["a"][3]), float(_keeping.read(kept)["b"][3]))
""",
    )
    assert lines == ["0.0 1.0", "4.0 1.0"], lines
