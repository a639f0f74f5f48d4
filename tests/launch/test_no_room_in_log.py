# SPDX-License-Identifier: BSD-3-Clause
"""Arrays for which the session's log has no room: they are named with what to do, and a checkpoint has them, too."""

import pytest
from lost_engines import CHECKPOINTS, run

_LARGE = """
np.config.log_bytes = 3_000_000
def upload(value):
    return np.asarray(numpy.full(500_000, value))
def told(*arrays):
    return [error_of(lambda: float(array[7])) for array in arrays]
"""


def _lines(program, ranks=2, **variables):
    return run(CHECKPOINTS + _LARGE + program, ranks, GAMELAN_DISTRIBUTE_FROM="1000", **variables)


def test_without_protection_it_is_named_with_what_to_do(runtime):
    lines = _lines(
        """
x = upload(1.0); y = x + 1; z = np.ones(300_000); np.sync()
print(sorted(_core.unlogged()) == sorted(array._b.id for array in (x, y)))
lose()
print(*told(x, z), sep="\\n")
print(_core.unlogged(), _core.has_newly_unlogged())
"""
    )
    assert lines[0] == "True" and lines[2:] == ["1.0", "{} True"]
    assert "np.config.log_bytes); np.config.protect ('memory', or a folder)" in lines[1] and "EngineLostError" in lines[1]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("place", ["folder", "memory"])
def test_with_protection_it_comes_back(runtime, tmp_path, place, ranks):
    lines = _lines(
        """
x = upload(1.0); y = x + 1; gone = x * 3; del gone; np.sync()
x += 5; z = x * y; np.sync()
for turn in range(2):
    lose()
    values = told(x, y, z); np.sync()
    print(*values, len(_core.log_arrays()), _core.unlogged())
""",
        ranks,
        GAMELAN_PROTECT="memory" if place == "memory" else str(tmp_path),
    )
    assert lines == ["6.0 2.0 12.0 3 {}"] * 2


def test_protection_that_is_set_afterwards(runtime, tmp_path):
    """What was written meanwhile is in the checkpoint, by itself or by np.checkpoint()."""
    for last in ("np.sync()", "print(np.checkpoint()); np.sync()"):
        lines = _lines(
            f"""
x = upload(1.0); y = x + 1; np.sync(); x += 5; np.sync()
np.config.protect = {str(tmp_path)!r}
{last}
x += 1; lose()
print(*told(x, y))
"""
        )
        assert lines[-1] == "7.0 2.0" and lines[:-1] in ([], ["8000256"])


def test_what_is_written_behind_a_checkpoint_that_is_on_its_way_is_not_taken_from_it(runtime, tmp_path):
    lines = _lines(
        """
from gamelan._protection import _Checkpoint
_core.set_checkpoint_due(0)
x = upload(1.0); y = x + 1; kept = np.ones(500_000); np.sync()
with _Checkpoint(np.config.protect) as made:
    with _core.Alone():
        made.copy(is_behind=False)
    x += 5; kept += y; late = y * 2; np.sync()
    print(made.accept() is not None)
print(sorted(_core.unlogged()) == sorted(array._b.id for array in (x, kept, late)), *told(x, kept, late))
lose()
print(*["EngineLostError" in str(each) or each for each in told(x, y, kept, late)])
""",
        GAMELAN_PROTECT=str(tmp_path),
    )
    assert lines == ["True", "True 6.0 3.0 4.0", "True 2.0 True True"]


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_was_made_before_large_elements_came_in_stays(runtime, tmp_path, ranks):
    """Of a file that is saved over the same is true. With protection the array itself comes back, too."""
    lines = _lines(
        f"folder = {str(tmp_path)!r}"
        """
x = np.zeros(500_000); before = x + 1; y = np.zeros(500_000); np.save(folder + "/f.npy", np.full(500_000, 4.0)); old = y - 1; np.sync()
x[:] = numpy.full(500_000, 7.0); after = x * 2; y += np.load(folder + "/f.npy"); new = y * 2; np.sync()
np.save(folder + "/f.npy", before); np.sync()
lose()
print(*["EngineLostError" in str(each) or each for each in told(before, x, after, old, y, new)])
np.config.protect = folder + "/kept"
x = before + 1; first = x * 3; np.sync(); x[:] = numpy.full(500_000, 7.0); after = x * 2; np.sync()
for turn in range(2):
    lose()
    print(*told(before, first, x, after)); np.sync()
""",
        ranks,
    )
    assert lines == ["1.0 True True -1.0 True True", *2 * ["1.0 6.0 7.0 14.0"]]
