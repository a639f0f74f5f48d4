# SPDX-License-Identifier: BSD-3-Clause
"""Engines are lost, and others compute the arrays again from the session's log: the same values, whatever was under way."""

import subprocess

import pytest
from lost_engines import run


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_was_made_in_many_ways_is_there_again(runtime, tmp_path, ranks):
    lines = run(
        f"""
rng = np.random.default_rng(7)
numpy.save({str(tmp_path / "in.npy")!r}, numpy.arange(300_000.0))
def program():
    a = rng.random(300_000); b = np.array(numpy.arange(300_000) % 7); c = np.load({str(tmp_path / "in.npy")!r})
    view = a[10::3]; turned = a.reshape(600, 500).T
    a[5:50] = b[5:50]; view += 1
    d = np.sort(turned, axis=0); e = np.concatenate([a, c[::-1]]); f = np.where(b > 3, a, c)
    x = np.empty(300_000); x[:] = 2; x[b == 2] = -1
    for turn in range(20):
        a = a * 0.5 + b
    np.save({str(tmp_path / "out.npy")!r}, a)
    return dict(locals())
made = program()
before = {{name: numpy.array(value) for name, value in made.items() if isinstance(value, np.ndarray)}}
os.unlink({str(tmp_path / "out.npy")!r})
lose()
print(all((numpy.array(made[name]) == value).all() for name, value in before.items()), len(before), np.stats()["ranks"])
view, a = made["view"], made["e"]
a[:3] = 9
print(float(a[1]), os.path.exists({str(tmp_path / "out.npy")!r}))
""",
        ranks,
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == [f"True 9 {ranks}", "9.0 False"], "the file is not written again"


@pytest.mark.parametrize("ranks", [1, 2])
def test_engines_that_die_over_turns_computed_ahead(runtime, ranks):
    """The first turns of a loop ride along with what comes before it; they are neither repeated nor sent again."""
    lines = run(
        """
LABELS = numpy.arange(2_000_000) % 9
labels = np.array(LABELS)
def operand(of, turn):
    return (of * (turn + 1) + turn) % 7
def iteration(turn):
    now = operand(labels, turn)
    return now, [int((now == k).sum()) for k in range(7)]
arrays, first = [], None
for turn in range(60):
    first = first or _session.engines().status()["processes"][0]["pid"]
    if turn == 40: threading.Thread(target=lambda: (time.sleep(0.002), kill(0))).start()
    before = _core.stats()["sent_batches"]
    now, found = iteration(turn)
    if 10 < turn < 40: assert _core.stats()["sent_batches"] == before + 1, "the turns ride along"
    arrays.append(now)
    assert found == numpy.bincount(operand(LABELS, turn), minlength=7).tolist(), turn
assert _session.engines().status()["processes"][0]["pid"] != first, "these are others"
lose()
print([int(each.sum()) for each in arrays] == [operand(LABELS, turn).sum() for turn in range(60)])
""",
        ranks,
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["True"]


def test_kills_while_threads_wait(runtime):
    lines = run(
        """
arrays = [np.full(400_000, float(k)) for k in range(3)]
def work(k):
    for turn in range(150):
        arrays[k] += 1
        float(arrays[k][turn])
threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
for thread in threads: thread.start()
time.sleep(0.05)
kill()
for thread in threads: thread.join()
print([float(a.sum()) for a in arrays])
"""
    )
    assert lines == [str([400_000 * (150.0 + k) for k in range(3)])]


def test_an_interrupt_while_arrays_are_computed_again_loses_nothing(runtime):
    lines = run(
        """
a = np.random.default_rng(1).random((1200, 1200)) / 1200
for turn in range(20): a = a @ a
before = float(a.sum())
lose()
use = _session.use
def use_and_interrupt(engines):
    use(engines)  # from here on they compute what was lost
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
_session.use = use_and_interrupt
try:
    print(float(a.sum()) == before and "too fast")
except KeyboardInterrupt:
    print("interrupted")
_session.use = use
for again in range(4):  # more often than engines may be lost in a row
    _core.part("once more"); _core.end_part()
print(float(a.sum()) == before)
"""
    )
    assert lines[0] in ("interrupted", "too fast") and lines[1] == "True"


def test_only_what_cannot_be_computed_again_is_lost(runtime, tmp_path):
    lines = run(
        f"""
path = {str(tmp_path / "in.npy")!r}
numpy.save(path, numpy.zeros(100_000))
loaded = np.load(path); sent = np.array(numpy.ones(200_000)); made = np.arange(100_000.0); joined = made + loaded
np.sync()
numpy.save(path, numpy.ones(100_000))
np.config.log_bytes = 1_000
for turn in range(2_000): made += 1; made -= 1
np.sync()
np.config.log_bytes = 1_000_000
more = np.arange(100_000.0) + 1
lose()
print(float(more[3]))
print(error_of(lambda: float(loaded[0])))
print(error_of(lambda: float(sent[0])))
print(float((more + 1)[0]))
print(error_of(lambda: float((more + made)[0])))
""",
    )
    assert lines[0] == "4.0" and lines[3] == "2.0", lines
    assert all(
        line.startswith("EngineLostError: this array was lost with its engines: ") for line in lines[1:3] + lines[4:]
    ), lines


def test_a_command_that_fails_costs_nothing_that_its_batch_has_given_back(runtime):
    """The engines that follow have less memory: one array is too big for them, and what stands behind it in its batch is not."""
    lines = run(
        """
u = np.arange(500_000.0)[::-1] + 0
kept = np.arange(1000.0)
seen = kept + 1
np.sync()
def program():
    t = np.sort(u)  # given back with the batch
    big = np.ones(6_000_000) + 1
    kept[:] = t[:1000] + 5  # in place, and not done twice
    return big, np.cumsum(t)
big, y = program()
np.sync()
_session.engines()._settings["heap"] = "16M"
lose()
print(float(u[10]), float(y[10]), float(kept[3]), float(seen[3]))
print(error_of(lambda: float(big[10])))
"""
    )
    assert lines[0] == "499989.0 55.0 8.0 4.0", lines
    assert lines[1].startswith("EngineLostError: this array was lost with its engines: ") and "[memory]" in lines[1], lines


def test_a_file_that_has_changed_is_named(runtime, tmp_path):
    lines = run(
        f"""
path = {str(tmp_path / "in.npy")!r}
numpy.save(path, numpy.zeros(100_000))
loaded = np.load(path); made = np.arange(100_000.0); joined = made + loaded
np.sync()
time.sleep(0.05)
numpy.save(path, numpy.ones(100_000))
late = made * 2; broken = joined + 1; later = made * 3
lose()
print(error_of(lambda: float(broken[0])))
print(float(made[3]), float(late[3]))
""",
    )
    assert "in.npy has changed" in lines[0] and lines[1] == "3.0 6.0", lines


def test_a_statement_that_kills_the_engines_ends_in_an_error_and_the_arrays_are_as_before_it(runtime, tmp_path):
    source, library = tmp_path / "deadly.c", tmp_path / "deadly.so"
    source.write_text("#include <stdlib.h>\nint die(int a, const int* b, int c, const double* d) { abort(); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    lines = run(
        """
a = np.arange(100_000.0)
a += 1
die = np.routine("die")
def attempt():
    die(a)
    return float(a.sum())
print(error_of(attempt).split(":")[0])
print(float(a[1]), float(np.ones(100_000).sum()))
""",
        GAMELAN_ROUTINES=str(library),
    )
    assert lines == ["EngineLostError", "2.0 100000.0"], lines


def test_a_routine_of_another_library_is_not_called_again(runtime, tmp_path):
    """What it made is lost and says why; a new call takes the library that is there."""
    source, library = tmp_path / "ones.c", tmp_path / "ones.so"
    text = (
        "#include <ga.h>\nint fill(int a, const int* h, int n, const double* v) { double x = %s; GA_Fill(h[0], &x); return 0; }\n"
    )
    compiler = ["mpicc.openmpi", "-shared", "-fPIC", "-x", "c", "-o"]
    source.write_text(text % 1)
    subprocess.run([*compiler, library, source], check=True)
    source.write_text(text % 2)
    subprocess.run([*compiler, tmp_path / "twos.so", source], check=True)
    lines = run(
        f"""
fill = np.routine("fill")
a, b = np.zeros((300, 300)), np.arange(100_000.0)
fill(a)
np.sync()
kill()
time.sleep(2)
print(float(a.sum()), float(b[3]))
os.rename({str(tmp_path / "twos.so")!r}, {str(library)!r})
kill()
time.sleep(2)
print(error_of(lambda: float(a.sum())))
c = np.zeros((300, 300))
fill(c)
print(float(b[3]), float(c.sum()))
""",
        GAMELAN_ROUTINES=str(library),
    )
    assert lines[0] == "90000.0 3.0" and lines[2] == "3.0 180000.0", lines
    assert f'the routine "fill" of {library} is not the one that was called: the library has changed since' in lines[1], lines


def test_they_take_no_more_memory_than_the_first_time(runtime):
    """What fused away then is not stored now."""
    lines = run(
        """
u = np.zeros((1000, 1000))
u[0] = 1.0
for turn in range(200):
    u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
first, most = float(u.sum()), np.stats()["heap_peak"]
lose()
print(float(u.sum()) == first, np.stats()["heap_peak"] <= most + (1 << 20), most, np.stats()["heap_peak"])
"""
    )
    assert lines[0].startswith("True True"), lines


def test_a_session_is_saved_without_what_is_lost(runtime, tmp_path):
    lines = run(
        """
np.config.log_bytes = 0
gone = np.arange(300_000.0)
np.sync()
kill()
limit = time.monotonic() + 60
while error_of(lambda: float(np.ones(300_000).sum())) != 300_000 and time.monotonic() < limit:  # however their end is told
    time.sleep(0.1)
there = np.ones(300_000)
saved = np.save_session(sys.argv[1], {"gone": gone, "part": gone[5:], "held": [gone], "there": there, "n": 3})
print(sorted(saved), sorted(saved.missing), float(np.load_session(sys.argv[1])["there"].sum()))
""".replace("sys.argv[1]", repr(str(tmp_path / "s")))
    )
    assert lines[-1] == "['n', 'there'] ['gone', 'held', 'part'] 300000.0", lines


def test_a_checkpoint_takes_the_place_of_the_log(runtime, tmp_path):
    lines = run(
        f"""
import json, pathlib
np.config.protect = {str(tmp_path)!r}
a = np.random.default_rng(3).random((700, 500)); turned = a.T[::-1]; flags = a > 0.5; tiny = np.full(70_000, 1j)[:5].sum()
for turn in range(300): a *= 0.999; a += 0.001
before = [numpy.array(each) for each in (a, turned, flags)]
written = np.checkpoint()
stats = np.stats()
print(stats["log_commands"] < 6, written > a.nbytes)
[folder] = pathlib.Path({str(tmp_path)!r}).glob("*/*")
manifest = json.loads((folder / "manifest.json").read_text())
print(all(numpy.load(folder / each["file"]).shape == tuple(each["shape"]) for each in manifest["arrays"]))
lose()
print(all((numpy.array(each) == old).all() for each, old in zip((a, turned, flags), before)), complex(tiny))
a += 1; lose(); np.checkpoint(); lose()
print((numpy.array(turned) == before[1] + 1).all(), len(list(folder.parent.iterdir())))
"""
    )
    assert lines == ["True True", "True", "True 5j", "True 1"], lines
    assert not list(tmp_path.iterdir()), "the checkpoints of a session go with it"


def test_checkpoints_are_made_by_themselves_within_a_loop(runtime, tmp_path):
    lines = run(
        """
a, turns, deadline = np.zeros(100_000), 0, time.monotonic() + 60
while turns < 30_000 or np.stats()["log_commands"] > turns // 2:  # written behind the program; a batch is not sent yet
    for _ in range(1000):
        a += 1
    turns += 1000
    assert time.monotonic() < deadline, (turns, np.stats())
lose()
for _ in range(1000):
    a += 1
print(float(a.sum()) == 1e5 * (turns + 1000), np.stats()["log_commands"] < turns)
""",
        GAMELAN_PROTECT=str(tmp_path),
        GAMELAN_PROTECT_SECONDS="0.02",
    )
    assert lines == ["True True"], lines


def test_folders_of_killed_processes_go_when_they_are_old(runtime, tmp_path):
    program = f"np.config.protect = {str(tmp_path)!r}; a = np.ones(100_000); np.checkpoint()\n"
    lines = run(
        program
        + """
import pathlib, socket, subprocess
[mine] = pathlib.Path(np.config.protect).iterdir()
child = subprocess.Popen(["sleep", "60"])
from gamelan._launch._sessions import process_start
host, old = socket.gethostname(), time.time() - 15 * 86400
def folder(name, when):
    path = mine.parent / name
    (path / "1").mkdir(parents=True)
    os.utime(path, (when, when))
folder(f"gamelan-{host}-1-7-aa", old)  # that process has not number 1 any more
folder(f"gamelan-{host}-1-7-bb", time.time() - 86400)
folder(f"gamelan-{host}-{child.pid}-{process_start(child.pid)}-cc", old)
folder("gamelan-elsewhere-1-7-dd", old)
folder("gamelan-7-ee", old)
folder("mine-1-7-ff", old)
os.symlink(mine, mine.parent / f"gamelan-{host}-1-7-gg")
np.config.protect = np.config.protect + "/."
from gamelan import _protection
_protection.folder._base = None  # as in another process
np.checkpoint()
print(sorted(path.name[-2:] for path in mine.parent.iterdir() if path.name[-3:-2] == "-"))
child.kill()
"""
    )
    assert lines == ["['bb', 'cc', 'dd', 'ee', 'ff', 'gg']"], lines


def test_a_checkpoint_that_cannot_be_written_is_told_once_and_ends_nothing(runtime, tmp_path):
    lines = run(
        f"""
np.config.protect = "/proc/nowhere"
np.config.protect_seconds = 1e-6
a = np.zeros(100_000)
for turn in range(5):
    a += 1
    np.sync()
print(float(a.sum()), error_of(np.checkpoint).split(":")[0])
np.config.protect = {str(tmp_path)!r}
np.sync(); a += 1; lose()
print(float(a.sum()))
"""
    )
    assert lines[0] in ("500000.0 FileNotFoundError", "500000.0 OSError") and lines[1] == "600000.0", lines
