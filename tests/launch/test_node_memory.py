# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints in the memory of several nodes, each of which is a rank of this machine: which pieces are read, and what becomes
of them. On real hosts: tests/cluster/test_node_memory.py."""

import os
import shutil
from pathlib import Path

import pytest
from gamelan._launch import _open_mpi
from test_arrays_again import run

PIECES = """
import pathlib
base = pathlib.Path(f"/dev/shm/gamelan-kept-{os.geteuid()}")
def checkpoints():
    return sorted(base.glob(f"pieces-*-{os.getpid()}-*/*"))
def pieces(of="*"):
    return sorted(base.glob(f"pieces-*-{os.getpid()}-*/*/*/{of}"))
def damage(file):
    with open(file, "r+b") as opened:
        opened.seek(100); was = opened.read(1)
        opened.seek(100); opened.write(bytes([was[0] ^ 1]))
"""
SETTINGS = {"GAMELAN_PROTECT": "memory", "GAMELAN_DISTRIBUTE_FROM": "1000"}
MPIEXEC = """#!/bin/bash
words=()
for word in "$@"; do  # ranks of different nodes have no memory in common
  if [ "${words[-1]}" = osc ]; then word=sm,pt2pt; fi
  words+=("$word")
done
exec mpiexec.openmpi --mca btl tcp,self "${words[@]}"
"""


@pytest.fixture(autouse=True)
def mpiexec(tmp_path, monkeypatch):
    if shutil.which("mpiexec.openmpi") is None or _open_mpi.release("mpiexec.openmpi") >= (5, 0):
        pytest.skip("the ranks of this machine count as several nodes with Open MPI 4")
    program = tmp_path / "mpiexec"
    program.write_text(MPIEXEC)
    program.chmod(0o755)
    monkeypatch.setenv("GAMELAN_MPIEXEC", str(program))


def run_on_nodes(program, ranks, per_node=1):
    return run(PIECES + program, ranks, GAMELAN_RANKS_PER_NODE=str(per_node), **SETTINGS)


@pytest.mark.parametrize(("ranks", "per_node"), [(2, 1), (3, 1), (4, 2), (3, 2)])
def test_arrays_of_any_form_come_back_from_either_copy(runtime, ranks, per_node):
    """Both copies, originals alone, copies alone; the same commands are not repeated."""
    lines = run_on_nodes(
        """
rng = np.random.default_rng(1)
made = [rng.random(700_001), rng.random((3, 70_000)).T, rng.random((40, 50, 60)), np.arange(100_000) % 7 == 0,
        rng.random((5000, 40)).astype(np.complex64), np.ones((1, 300_000), np.int16), np.sort(rng.random((50_001, 5)), axis=0)]
for turn in range(30): made[0] += 1
np.sync()
want = [numpy.array(each) for each in made]
print(np.checkpoint() > sum(each.nbytes for each in want if each.size > 4096) - 1, len(checkpoints()))
def are_right():
    return all((numpy.array(each) == value).all() and each.dtype == value.dtype for each, value in zip(made, want))
def commands(): return np.stats()["log_commands"]
lose()
print(are_right(), commands() < 12)
for file in pieces(): os.rename(file, f"{file}.gone") if file.name.endswith("-copy") else None
lose()
print(are_right())
for file in pieces():
    if file.name.endswith(".gone"): os.rename(file, str(file)[:-5])
    else: file.unlink()
lose()
print(are_right(), len(pieces()) > 0)
""",
        ranks,
        per_node,
    )
    assert lines == ["True 1", "True True", "True", "True True"], lines


def test_another_number_of_ranks_finds_them(runtime):
    lines = run_on_nodes(
        """
from gamelan import launch
a = np.random.default_rng(3).random((2000, 501)); b = a.T[3:].copy()
np.sync(); want, other = numpy.array(a), numpy.array(b)
np.checkpoint()
for ranks in (1, 5, 2):
    os.environ["GAMELAN_RANKS_PER_NODE"] = str(max(1, ranks // 2))
    engines = _session.engines()
    _core.part("the test moves to another number of ranks")
    _session.use(engines.restart(n=ranks))
    _core.end_part()
    print(np.stats()["ranks"], (numpy.array(a) == want).all(), (numpy.array(b) == other).all())
    a += 1; want += 1
    if ranks == 5: np.checkpoint()
print(len(checkpoints()))
""",
        4,
        2,
    )
    assert lines == ["1 True True", "5 True True", "2 True True", "1"], lines


def test_a_damaged_piece_is_not_used_and_lost_ones_are_named(runtime):
    lines = run_on_nodes(
        """
a = np.arange(300_000.0) + 1; b = np.arange(300_000.0) * 2; c = np.arange(300_000) * 3
a[5] = 4
np.sync(); want = numpy.array(a)
np.checkpoint()
held = {}
for file in pieces():
    held.setdefault(file.parent, []).append(file)
def of(number):
    "The files of the array that has this as its element 1."
    for files in held.values():
        for file in files:
            if file.name.startswith("0-") and file.stat().st_size and numpy.fromfile(file, a.dtype if number != 3 else c.dtype, 2)[1] == number:
                return files
damage(next(file for file in of(2.0) if file.name.startswith("0-") and not file.name.endswith("-copy")))  # a: 1 + 1
lose()
print((numpy.array(a) == want).all(), (numpy.array(b) == numpy.arange(300_000) * 2.0).all())
for file in of(3): damage(file) if file.name.startswith("0-") else None  # of c: both
lose()
print(error_of(lambda: int(c[0])))
print((numpy.array(a) == want).all(), (numpy.array(b) == numpy.arange(300_000) * 2.0).all())
for file in pieces(): file.unlink()
a += 1; np.sync()
lose()
print(error_of(lambda: float(a[0])))
d = np.ones(300_000); print(float(d.sum()))
""",
        3,
    )
    assert lines[0] == "True True" and lines[2] == "True True" and lines[4] == "300000.0", lines
    for line in (lines[1], lines[3]):
        assert line.startswith("EngineLostError: this array was lost") and "do not have byte 0 of 2400000" in line, line


def test_killed_engines_and_unfinished_checkpoints(runtime):
    lines = run_on_nodes(
        """
from gamelan import _node_memory
a = np.random.default_rng(2).random(700_000); want = numpy.array(a)
for turn in range(50): a += 1; want += 1
np.checkpoint()
kill(0)
print((numpy.array(a) == want).all(), np.stats()["log_commands"] < 10, len(checkpoints()))
real = _node_memory.NodePieces.copy
def copy(*all):
    kill(1)
    real(*all)
_node_memory.NodePieces.copy = copy
a += 1; want += 1
print(error_of(np.checkpoint).split(":")[0])
_node_memory.NodePieces.copy = real
print((numpy.array(a) == want).all())
np.checkpoint()
float(a[0])  # behind the removal of the one before
print(len(checkpoints()))
lose()
print((numpy.array(a) == want).all())
""",
        3,
    )
    assert lines[0] == "True True 1" and lines[1] == "OSError" and lines[2:] == ["True", "1", "True"], lines


def test_engines_that_die_amid_one_do_not_end_those_that_come_by_themselves(runtime):
    lines = run_on_nodes(
        """
sys.stderr = sys.stdout
from gamelan import _node_memory, _protection
def store():
    _core.ask_for_checkpoint(True)
    np.sync()
    _protection.wait_for_writer()
a = np.random.default_rng(2).random(700_000); want = numpy.array(a)
real = _node_memory.NodePieces.copy
def copy(*all):
    kill(1)
    float(a[0])
    raise OSError("the nodes copied 0 bytes to each other")  # what those engines had written is not there
_node_memory.NodePieces.copy = copy
store()
_node_memory.NodePieces.copy = real
print((numpy.array(a) == want).all())
for turn in range(50): a += 1; want += 1
store()
few = np.stats()["log_commands"] < 10
float(a[0])  # behind the removal of the one before
print(len(checkpoints()), few)
lose()
print((numpy.array(a) == want).all())
""",
        3,
    )
    told = [line for line in lines if line.startswith("gamelan: ")]
    assert len(told) == 2 and all("New engines start" in line for line in told), lines
    assert [line for line in lines if line not in told] == ["True", "1 True", "True"], lines


def test_a_sessions_own_pieces_are_held_before_old_ones_go(runtime):
    """Its engines may have been stopped for more than an hour."""
    lines = run_on_nodes(
        """
from gamelan import _node_memory
a = np.arange(300_000.0)
np.checkpoint()
[first] = checkpoints()
a += 1
os.utime(first.parent, (time.time() - 7200,) * 2)
real = _node_memory.NodePieces.prepare
_node_memory.NodePieces.prepare = lambda pieces, count: real(pieces, 1 << 50)
print(error_of(np.checkpoint).split(":")[0], first.exists(), time.time() - first.parent.stat().st_mtime < 100)
lose()
print(float(a[1]))
""",
        2,
    )
    assert lines == ["MemoryError True True", "2.0"], lines


def test_room_is_asked_for_by_the_rank_that_writes_most(runtime):
    lines = run_on_nodes(
        """
from gamelan import _node_memory
asked, real = [], _node_memory.NodePieces.prepare
_node_memory.NodePieces.prepare = lambda pieces, count: (asked.append(count), real(pieces, count))
a = np.ones((1, 2, 150_000)) * 2; np.sync()  # two rows: the first of three ranks writes one of them, the last nothing
np.checkpoint()
print(asked == [3 * a.nbytes // 2], asked)
lose()
print(float(a.sum()))
""",
        3,
    )
    assert lines[0].startswith("True") and lines[1] == "600000.0", lines


def test_one_that_does_not_fit_is_refused_on_all_ranks(runtime):
    lines = run_on_nodes(
        """
a = np.arange(300_000.0); np.sync(); np.checkpoint()
from gamelan import _node_memory
real = _node_memory.NodePieces.prepare
_node_memory.NodePieces.prepare = lambda pieces, count: real(pieces, 1 << 50)
print(error_of(np.checkpoint))
_node_memory.NodePieces.prepare = real
a += 1
lose()
print(float(a[1]), len(checkpoints()))
""",
        2,
    )
    assert lines[0].startswith("MemoryError: ") and "of the arrays " in lines[0] and " takes up to " in lines[0], lines
    assert "takes up to 1.0 PiB with copies" in lines[0] and "half of that at most: name a folder on a disk" in lines[0], lines
    assert lines[1] == "2.0 1", lines


def test_nothing_is_left_by_sessions_that_end_and_an_hour_by_those_that_were_killed(runtime):
    base = Path(f"/dev/shm/gamelan-kept-{os.geteuid()}")
    program = "a = np.arange(300_000.0); np.sync(); np.checkpoint(); a += 1; np.checkpoint(); print(checkpoints()[0].parent)"
    [left] = run_on_nodes(program, 2)
    assert not os.path.exists(left), "it goes with the session"
    with pytest.raises(AssertionError):
        run_on_nodes(
            program.replace("print(checkpoints()[0].parent)", "")
            + "\nfor process in _session.engines().status()['processes']: os.kill(process['pid'], signal.SIGKILL)"
            "\nos.kill(os.getpid(), signal.SIGKILL)",
            2,
        )
    kept = [path for path in base.glob("pieces-*") if not is_held(path)]
    assert len(kept) == 1, kept
    run_on_nodes(program, 2)
    assert kept[0].exists()
    os.utime(kept[0], (os.stat(kept[0]).st_mtime - 7200,) * 2)
    run_on_nodes(program, 2)
    assert not kept[0].exists()


def is_held(path):
    """Does the process live whose session it is?"""
    return os.path.exists(f"/proc/{path.name.split('-')[-3]}")


def test_the_next_kernel_reads_them_and_has_them_removed(runtime, tmp_path):
    (tmp_path / "kept").mkdir(mode=0o700)
    kept = f"""
from gamelan._saved import _keeping
from gamelan._saved._repeating import KeptLog
kept = pathlib.Path({str(tmp_path / "kept")!r})
"""
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
        run_on_nodes(kept + killed, 2)
    lines = run_on_nodes(
        kept
        + """
[old] = base.glob(f"pieces-*-{(kept / 'pid').read_text()}-*")
a = _keeping.read(kept)["a"]
print(float(a[5]))
lose()
print(float(a[5]), old.exists())
a += 1; np.checkpoint()
lose()
print(float(a[5]), old.exists())
""",
        3,
    )
    assert lines == ["5.0", "5.0 True", "6.0 False"], lines
