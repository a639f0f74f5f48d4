# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints that are written while the program goes on: what they hold, and that half of one, or a damaged one, is never
read."""

import os
import subprocess

import pytest
from lost_engines import CHECKPOINTS, run


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_changes_while_it_is_written_is_repeated(runtime, tmp_path, ranks):
    lines = run(
        CHECKPOINTS
        + """
a = np.random.default_rng(1).random((3000, 1000)); turned = a.T; flags = a > 0.5; gone = np.arange(500_000.0) + 1
np.sync()
want = numpy.array(a)
store()
began = _protection._writer is not None
del gone
for turn in range(30):
    a += 1; want += 1
used = a[:5] * 2; made = np.sqrt(a); flags[0] = False
np.sync()
_protection.wait_for_writer()
commands = np.stats()["log_commands"]
lose()
print(began, (numpy.array(a) == want).all(), (numpy.array(turned) == want.T).all(), (numpy.array(made) == numpy.sqrt(want)).all())
print((numpy.array(used) == want[:5] * 2).all(), not flags[0].any(), commands < 50, len(folders()))
store(); _protection.wait_for_writer(); a -= 1; lose()
print((numpy.array(a) == want - 1).all(), len(folders()))
""",
        ranks,
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["True True True True", "True True True 1", "True 1"], lines


def test_engines_that_are_killed_while_they_write_leave_the_checkpoint_before(runtime, tmp_path):
    lines = run(
        CHECKPOINTS
        + """
a = np.arange(4_000_000.0)
np.sync(); np.checkpoint()
[first] = folders()
a += 1
np.sync()
real, are_killed = _protection._state, threading.Event()
def state():
    if threading.current_thread().name == "gamelan-checkpoint": are_killed.wait()
    return real()
_protection._state = state
store()
kill()
[half] = set(folders()) - {first}
for file in half.glob("*.npy"): os.truncate(file, 1_000_000)  # a quick machine has written all of it
a += 1
print(float(a[0]), float(a[3_999_999]))
are_killed.set()
_protection.wait_for_writer()
print((first / "manifest.json").exists(), folders() == [first])
lose()
print(float(a[0]))
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["2.0 4000001.0", "True True", "2.0"], lines
    assert not list(tmp_path.iterdir())


def test_engines_that_are_replaced_between_two_copies_leave_the_checkpoint_before(runtime, tmp_path):
    lines = run(
        CHECKPOINTS
        + """
a = np.arange(2_000_000.0); b = np.arange(300_000.0)
a += 1; b += 1
np.sync()
real, written = _protection.write, []
def write(array, file, *rest, **more):
    sums = real(array, file, *rest, **more)
    written.append(file)
    if len(written) == 1:
        kill()  # what they were to write may be in no file
    return sums
_protection.write = write
store(); _protection.wait_for_writer()
_protection.write = real
print(len(written), len(folders()))
lose()
print(float(a[1_999_999]), float(b[20]), float(a.sum()))
store(); _protection.wait_for_writer()
print(len(folders()))
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["2 0", "2000000.0 21.0 2000001000000.0", "1"], lines


def test_a_file_that_is_not_what_was_written_is_never_read(runtime, tmp_path):
    lines = run(
        CHECKPOINTS
        + """
a = np.arange(300_000.0); b = np.arange(300_000.0) * 2; c = np.array(numpy.arange(300_000) % 2 == 0)
np.checkpoint()
[folder] = folders()
for file in folder.glob("*.npy"):
    if numpy.load(file)[1] == 2.0:
        facts = file.stat()
        with open(file, "r+b") as opened:
            opened.seek(facts.st_size - 100); opened.write(b"x")
        os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
lose()
print((numpy.array(a) == numpy.arange(300_000)).all(), int(c.sum()))
print(error_of(lambda: float(b[0])))
""",
        3,
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines[0] == "True 150000", lines
    assert lines[1].startswith("EngineLostError: this array was lost") and "checkpoint is damaged" in lines[1], lines


def test_a_full_disk_costs_the_checkpoint_and_nothing_else(runtime, tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", place], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("no file system of three megabytes can be mounted here")
    try:
        lines = run(
            CHECKPOINTS
            + """
import sys
sys.stderr = sys.stdout
a = np.arange(200_000.0)
store(); _protection.wait_for_writer()
before = folders()
b = np.arange(300_000.0); a += 1
store(); _protection.wait_for_writer()
print(folders() == before, len(before))
print(error_of(np.checkpoint))
lose()
print(float(a[0]), float(b[1]), float(a[199_999]))
""",
            GAMELAN_PROTECT=str(place),
            GAMELAN_DISTRIBUTE_FROM="1000",
        )
    finally:
        subprocess.run(["umount", place], check=True)
    assert "gamelan: no checkpoint in" in lines[0] and "No space left on device" in lines[0], lines
    assert "The one before stays valid" in lines[0] and lines[1] == "True 1", lines
    assert lines[2].startswith("OSError: [Errno 28] No space left on device"), lines
    assert lines[-1] == "1.0 1.0 200000.0", lines
    assert not os.listdir(place)


def test_checkpoints_in_memory_outlive_the_engines_and_go_with_the_session(runtime):
    lines = run(
        CHECKPOINTS
        + """
from gamelan._checkpoint_folder import MEMORY_FOLDER
a = np.random.default_rng(2).random(700_000); want = numpy.array(a)
for turn in range(50): a += 1; want += 1
store(); _protection.wait_for_writer()
[folder] = MEMORY_FOLDER.glob(f"gamelan-*-{os.getpid()}-*/*")
print((folder / "manifest.json").exists(), MEMORY_FOLDER.stat().st_mode & 0o777 == 0o700)
a -= 2; want -= 2
kill()
print((numpy.array(a) == want).all(), np.stats()["log_commands"] < 10)
from gamelan import _checkpoint_folder
real = _checkpoint_folder.Path.read_text
_checkpoint_folder.Path.read_text = lambda path: "MemAvailable: 4096 kB" if str(path) == "/proc/meminfo" else real(path)
print(error_of(np.checkpoint))
_checkpoint_folder.Path.read_text = real
lose()
print((numpy.array(a) == want).all(), folder.exists())
print(folder.parent)
""",
        GAMELAN_PROTECT="memory",
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines[:2] == ["True True", "True True"] and lines[3] == "True True", lines
    assert lines[2].startswith("MemoryError: the arrays have 5.34 MiB, 4 MiB of memory is free"), lines
    assert not os.path.exists(lines[4]), "the checkpoints go with the process"


def test_one_that_cannot_be_waited_for_leaves_nothing(runtime, tmp_path):
    """No thread, or an interrupt there: the next one is made."""
    lines = run(
        CHECKPOINTS
        + """
a = np.arange(200_000.0)
np.sync()
real = threading.Thread.start
for raised in (RuntimeError("can't start new thread"), KeyboardInterrupt()):
    def start(thread):
        if thread.name == "gamelan-checkpoint": raise raised
        real(thread)
    threading.Thread.start = start
    try:
        store()
        print("told", len(folders()))
    except KeyboardInterrupt:
        print("interrupted", len(folders()))
    threading.Thread.start = real
    np.config.protect = np.config.protect
    a += 1
    store(); _protection.wait_for_writer()
    print(len(folders()), np.stats()["log_commands"] < 3)
lose()
print(float(a[3]))
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["told 0", "1 True", "interrupted 1", "1 True", "5.0"], lines


def test_what_a_thread_records_that_waited_for_room_is_not_forgotten(runtime, tmp_path):
    lines = run(
        CHECKPOINTS
        + """
a = np.arange(200_000.0)
np.sync()
real, made = _core.wait_for_others, []
def wait_for_others():
    real()
    if not made: made.append(a * 2)  # as such a thread does
_core.wait_for_others = wait_for_others
np.checkpoint()
lose()
print(float(a[3]), error_of(lambda: float(made[0][3])))
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["3.0 6.0"], lines


def test_one_that_is_asked_for_while_another_is_written_is_made_behind_it(runtime, tmp_path):
    """The end of a job is near: what was computed since then must not be lost."""
    lines = run(
        CHECKPOINTS
        + """
from gamelan import _next_job
finish = _protection.finish
def slowly(*all):
    go_on.wait()
    finish(*all)
_protection.finish, go_on = slowly, threading.Event()
class Engines: ending = None
def ask_before_the_end():
    global thread
    thread = threading.Thread(target=_next_job._store_before_the_end, args=(Engines,))
    thread.start()
    time.sleep(1.0)
    print(thread.is_alive())
a = np.arange(200_000.0)
np.sync(); store()
a += 1
np.sync()
ask_before_the_end()
go_on.set()
thread.join(20); _protection.wait_for_writer()
print(_core.is_checkpoint_asked_for(), np.stats()["log_commands"] < 2, len(folders()))
go_on.clear()
store()
a += 1; np.sync()
ask_before_the_end()
go_on.set(); _protection.wait_for_writer()
a += 1; np.sync()  # the program itself is there first, or the thread
thread.join(20); _protection.wait_for_writer()
print(_core.is_checkpoint_asked_for(), np.stats()["log_commands"] < 3, len(folders()))
lose()
print(float(a[0]))
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["True", "False True 1", "True", "False True 1", "3.0"], lines


def test_one_begins_when_the_one_before_has_ended(runtime, tmp_path):
    """What ends late must not end the next one, whose files it would remove, and whose freed arrays would come back."""
    lines = run(
        CHECKPOINTS
        + """
accept, go_on = _protection.folder.accept, threading.Event()
def slowly(*all):
    go_on.wait(20)
    accept(*all)
_protection.folder.accept = slowly
a, b = np.arange(200_000.0), np.arange(200_000.0)
np.sync(); store(); time.sleep(0.5)  # the log begins with it
before = _protection._writer
a += 1; store()
print(_protection._writer is before, len(folders()))
go_on.set(); _protection.wait_for_writer()
store()
del b; np.sync()  # while it is written, or later
_protection.wait_for_writer()
print(_protection._writer is before, len(folders()))
a += 1; np.checkpoint()
print(len(_core.log_arrays()), len(folders()))
lose()
print(float(a[3]))
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["True 1", "False 1", "1 1", "5.0"], lines


KEPT = """
from gamelan._saved import _keeping
from gamelan._saved._repeating import KeptLog
from gamelan._checkpoint_folder import MEMORY_FOLDER
"""


def test_a_kept_state_that_names_a_checkpoint_keeps_it(runtime, tmp_path):
    """Another checkpoint comes between the moment of the state and its writing."""
    (tmp_path / "kept").mkdir(mode=0o700)
    (tmp_path / "checkpoints").mkdir()
    lines = run(
        KEPT
        + CHECKPOINTS
        + f"""
kept = __import__("pathlib").Path({str(tmp_path / "kept")!r})
a = np.arange(800_000.0); a += 1
log = KeptLog()
np.checkpoint()
[first] = folders()
snapshot = _keeping.Snapshot({{"a": a}}, 10**7, lambda: None, log)
a += 1; np.checkpoint()
there = snapshot.write(kept, set())
print(first.exists(), len(folders()))
print(float(_keeping.read(kept)["a"][3]))
there = _keeping.Snapshot({{"a": a}}, 10**7, lambda: None, log).write(kept, there)
print(first.exists(), float(_keeping.read(kept)["a"][3]))
""",
        GAMELAN_PROTECT=str(tmp_path / "checkpoints"),
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["True 2", "4.0", "False 5.0"], lines


def test_checkpoints_in_memory_stay_while_somebody_lives_who_took_them_over(runtime, tmp_path):
    (tmp_path / "kept").mkdir(mode=0o700)
    settings = {"GAMELAN_PROTECT": "memory", "GAMELAN_DISTRIBUTE_FROM": "1000"}
    kept = KEPT + f"kept = __import__('pathlib').Path({str(tmp_path / 'kept')!r})\n"
    killed = """
a = np.arange(400_000.0)
log = KeptLog()
np.checkpoint()
_keeping.Snapshot({"a": a}, 10**7, lambda: None, log).write(kept, set())
(kept / "pid").write_text(str(os.getpid()))
for process in _session.engines().status()["processes"]: os.kill(process["pid"], signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""
    with pytest.raises(AssertionError):
        run(kept + killed, **settings)
    lines = run(
        kept
        + """
import subprocess
[old] = MEMORY_FOLDER.glob(f"gamelan-*-{(kept / 'pid').read_text()}-*")
a = _keeping.read(kept)["a"]
print(float(a[5]))
def two_hours_later():
    os.utime(old, (time.time() - 7200,) * 2)
    program = "import gamelan as np; x = np.ones(400_000); np.checkpoint()"  # of somebody else
    subprocess.run([sys.executable, "-c", program], check=True)
two_hours_later()
lose()
print(float(a[5]), old.exists())
a += 1; np.checkpoint()
two_hours_later()
print(float(a[5]), old.exists())
""",
        **settings,
    )
    assert lines == ["5.0", "5.0 True", "6.0 False"], lines
