# SPDX-License-Identifier: BSD-3-Clause
"""Files that are read again after the engines were lost: what was read from them is compared, not their times."""

import pytest
from lost_engines import run

FILES = """
import os
def put(name, array):
    path = os.path.join(folder, name)
    numpy.save(path, array)
    return path

def touch(path):
    "Copies it back: another file with another time and the same content."
    content = open(path, "rb").read()
    os.remove(path)
    open(path, "wb").write(content)
    os.utime(path, (1, 1))

def replace_unseen(path, array):
    "Other elements, with the same size and time."
    before = os.stat(path)
    numpy.save(path, array)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = os.stat(path)
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
"""


@pytest.mark.parametrize(("ranks", "then"), [(1, 2), (2, 1), (4, 3)])
def test_a_file_that_was_copied_back_is_read_again(runtime, tmp_path, ranks, then):
    lines = run(
        f"folder, then = {str(tmp_path)!r}, {then}\n"
        + FILES
        + """
random = numpy.random.default_rng(1)
theirs = {  # each in blocks of its own, as the files have it
    "row.npy": random.random(100_003),
    "grid.npy": random.random((700, 601)),
    "columns.npy": numpy.asfortranarray(random.random((300, 500))),
    "swapped.npy": random.random((400, 300)).astype(">f8"),
    "bools.npy": random.random((900, 700)) < 0.5,
    "box.npy": random.random((30, 70, 110)).astype(numpy.complex64),
}
paths = {name: put(name, array) for name, array in theirs.items()}
ours = {name: np.load(path) for name, path in paths.items()}
sums = {name: array.sum() for name, array in ours.items()}
for array in ours.values():
    if array.dtype != bool: array += 1
np.sync()
for path in paths.values(): touch(path)
_session.engines()._settings["n"] = then
lose()
for name, array in theirs.items():
    assert numpy.array_equal(numpy.asarray(ours[name]), array if array.dtype == bool else array + 1), name
print(_core.ranks())
""",
        ranks=ranks,
    )
    assert lines == [str(then)]


@pytest.mark.parametrize("ranks", [1, 4])
def test_a_file_with_other_elements_is_refused_whatever_its_time(runtime, tmp_path, ranks):
    lines = run(
        f"folder = {str(tmp_path)!r}\n"
        + FILES
        + """
first = put("first.npy", numpy.zeros((700, 601)))
second = put("second.npy", numpy.ones((700, 601)))
a, b = np.load(first), np.load(second)
made = a + 1
b += 1
np.sync()
changed = numpy.zeros((700, 601))
changed[350, 300] = 1e-300
replace_unseen(first, changed)
lose()
print(error_of(lambda: float(a[0, 0])))
print(error_of(lambda: float(made[0, 0])))
print(float(b[0, 0]))
""",
        ranks=ranks,
    )
    assert lines[2] == "2.0", lines
    for line in lines[:2]:
        assert line.startswith("EngineLostError") and "first.npy has changed" in line, lines


def test_one_that_is_gone_or_shorter_is_named(runtime, tmp_path):
    lines = run(
        f"folder = {str(tmp_path)!r}\n"
        + FILES
        + """
gone, short = put("gone.npy", numpy.zeros(100_000)), put("short.npy", numpy.zeros(100_000))
a, b = np.load(gone), np.load(short)
np.sync()
os.remove(gone)
os.truncate(short, 80_000)
lose()
print(error_of(lambda: float(a[0])))
print(error_of(lambda: float(b[0])))
"""
    )
    assert "gone.npy is gone" in lines[0] and "short.npy has changed" in lines[1], lines


def test_a_part_of_a_file_is_compared_alone(runtime, tmp_path):
    lines = run(
        f"folder = {str(tmp_path)!r}\n"
        + FILES
        + """
path = put("in.npy", numpy.zeros(300_000))
part = np.fromfile(path, dtype=float, count=100_000, offset=128)
np.sync()
changed = numpy.zeros(300_000)
changed[200_000] = 1
replace_unseen(path, changed)
os.utime(path, (1, 1))
lose()
print(float(part[5]), np.stats()["log_commands"] > 0)
"""
    )
    assert lines == ["0.0 True"]
