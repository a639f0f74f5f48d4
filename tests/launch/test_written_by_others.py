# SPDX-License-Identifier: BSD-3-Clause
"""Engines are lost after another client has written into a published array: what the log cannot know is named as lost, and never
comes back with other numbers."""

import pytest
from lost_engines import run

_OTHER = """
from gamelan import _session
def other(code):
    environment = os.environ | {"GAMELAN_CONNECT": str(_session.engines().connection_file)}
    subprocess.run([sys.executable, "-c", "import gamelan as np; " + code + "; np.sync()"], env=environment, check=True)
def told(action):
    try:
        return action()
    except np.EngineLostError as error:
        return "another client" in str(error)
def hear():
    "A heartbeat tells of the other's write."
    limit = time.monotonic() + 20
    while "written_by_others" not in _core.last_status():
        assert time.monotonic() < limit
        time.sleep(0.05)
import subprocess, sys
x = np.zeros(300_000); before = x + 1; np.publish("x", x); np.sync()
WRITE = "w = np.attach('x', writeable=True); w[:] = 3"
"""


def _lines(program, ranks=2, **variables):
    return run(_OTHER + program, ranks, GAMELAN_DISTRIBUTE_FROM="1000", **variables)


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_was_computed_from_anothers_write_is_lost(runtime, ranks):
    lines = _lines(
        """
seen = x * 2; np.sync(); other(WRITE)
y = x * 10; z = y + 1
print(float(y[0]), float(x[0]))
for turn in range(2):
    lose()
    print(*[told(lambda: float(array[0])) for array in (before, seen, x, y, z)])
x = np.ones(300_000); y = x * 10; lose()
print(float(y[0]), float(before[0]))
""",
        ranks,
    )
    assert lines == ["30.0 3.0", *2 * ["1.0 0.0 True True True"], "10.0 1.0"]


def test_an_array_that_others_only_read_comes_back(runtime):
    lines = _lines(
        """
other("r = np.attach('x'); float(r.sum())")
y = x * 10 + 1; x += 2; np.sync(); time.sleep(1.5); lose()
print(float(y[0]), float(x[0]), float(before[0]))
"""
    )
    assert lines == ["1.0 2.0 1.0"]


def test_a_write_that_this_program_has_not_seen(runtime):
    lines = _lines("other(WRITE); hear(); lose(); print(told(lambda: float(x[0])), float(before[0]))")
    assert lines == ["True 1.0"], "a heartbeat has told"


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_a_checkpoint_has_what_others_wrote(runtime, tmp_path, place):
    lines = _lines(
        """
other(WRITE); np.checkpoint(); y = x * 10; np.sync(); lose()
print(float(y[0]), float(x[0]))
other(WRITE.replace("3", "4")); z = x * 10; print(float(z[0])); lose()
print(*[told(lambda: float(array[0])) for array in (y, x, z, before)])
""",
        GAMELAN_PROTECT="memory" if place == "memory" else str(tmp_path),
    )
    assert lines == ["30.0 3.0", "40.0", "30.0 True True 1.0"]


def test_what_is_kept_for_the_next_kernel_knows_of_a_write_that_only_a_heartbeat_told(runtime, tmp_path):
    lines = _lines(
        f"""
from gamelan._saved import _keeping, _repeating
other(WRITE); hear()
kept = _keeping.Snapshot({{"x": x, "before": before}}, 1 << 20, lambda: None, _repeating.KeptLog())
kept.write(__import__("pathlib").Path({str(tmp_path)!r}), set())
found = _keeping.read({str(tmp_path)!r})
print("another client" in found.missing.get("x", str(found.get("x"))), float(found["before"][0]))
"""
    )
    assert lines == ["True 1.0"]


def test_what_was_computed_before_anothers_write_stays_safe(runtime, tmp_path):
    """A checkpoint is made of it, and the log's limit does not take it, although the array that it was computed from is lost."""
    lines = _lines(
        f"folder = {str(tmp_path)!r}"
        """
np.config.log_bytes = 3_000_000
y = x * 10; np.sync(); other(WRITE); float(x[0])
lose(); print(told(lambda: float(x[0])), float(y[0]))
big = np.asarray(numpy.ones(600_000)); np.sync()
lose(); print(float(y[0]), float(before[0]))
big = None; np.config.protect = folder; print(np.checkpoint() > 0)
lose(); print(float(y[0]), float(before[0]), told(lambda: float(x[0])))
"""
    )
    assert lines == ["True 0.0", "0.0 1.0", "True", "0.0 1.0 True"]
