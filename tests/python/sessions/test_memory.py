# SPDX-License-Identifier: BSD-3-Clause
"""Engines with little memory: a command that does not fit says so at its line, and costs nobody else anything."""

import gc
import inspect
import re

import numpy
import pytest

import engines
import gamelan as np
from gamelan import _core, _session

HEAP_BYTES = 64 << 20  # of one rank


@pytest.fixture
def memory(ranks, request, _connected):
    """Engines of their own with a small heap; yields the bytes that all of them have together."""
    if ranks == 0:
        pytest.skip("needs engines")
    running = engines.Engines(ranks, HEAP_BYTES, request.config.getoption("--ranks-per-node"))
    try:
        _session.use(running)
        yield ranks * HEAP_BYTES
    finally:
        _session.release()
        running.stop()
        _session.use(_connected)


def in_use():
    gc.collect()
    _core.flush(True)
    return _session.status()["heap_bytes"]


def test_one_array_that_never_fits_is_refused_where_it_is_made(memory):
    with pytest.raises(MemoryError, match=r"Unable to allocate .* shape \(\d+,\)"):
        np.zeros(memory // 8 + 100_000)
    assert float(np.ones(1000).sum()) == 1000


def test_the_command_that_does_not_fit_is_blamed_and_earlier_ones_are_done(memory):
    count = memory // 8 * 2 // 5
    a = np.ones(count)
    before = in_use()
    b = a + 1
    guilty = inspect.currentframe().f_lineno + 1
    c = a + b
    with pytest.raises(MemoryError, match="engines") as failed:
        np.sync()
    assert failed.value.line == guilty and failed.value.file == __file__
    assert re.search(rf"\] add needs .* on each .*test_memory.py:{guilty}\)$", str(failed.value)), failed.value
    assert float(a[0]) == 1 and float(b[count - 1]) == 2
    with pytest.raises(MemoryError):
        float(c[0])
    del b, c
    assert in_use() == before
    assert float((a + 2)[count - 1]) == 3


_SEVERAL = """
def several(np, small, a, b):
    np.add(small, 1, out=small)
    part, large = small * 2, a + b
    np.add(small, large[: small.size], out=small)
    return part, large
"""


def test_a_call_that_does_not_fit_has_not_happened(memory):
    """A function that records several commands is refused from its first one on."""
    names = {}
    exec(compile(_SEVERAL, f"{np.__path__[0]}/several.py", "exec"), names)  # as one of the package
    count = memory // 8 * 2 // 5
    a, small = np.ones(count), np.ones(200_000)
    b = a + 1
    small += 1
    part, large = _core.Call(names["several"])(np, small, a, b)
    with pytest.raises(MemoryError, match="engines"):
        np.sync()
    assert float(small.min()) == float(small.max()) == 2 and float(b[count - 1]) == 2
    for lost in (part, large):
        with pytest.raises(MemoryError):
            float(lost[0])


def test_a_command_that_does_not_fit_among_ten_thousand(memory):
    """It arrives later than its line, names it all the same, and costs neither other arrays nor memory."""
    x, half = np.ones(1000), np.ones(memory // 8 * 2 // 5)
    kept = [half]
    before = in_use()
    with pytest.raises(MemoryError, match="engines") as failed:
        for turn in range(10_000):
            x = x * 0.5 + 1
            if 3_000 <= turn < 3_003:
                guilty = inspect.currentframe().f_lineno + 1
                kept.append(half + turn)
        np.sync()
    assert failed.value.line == guilty and failed.value.file == __file__
    assert float(kept[1][7]) == 3_001, "what stood before it was done"
    for _ in range(100):
        x = x * 0.5 + 1
    assert float(x[0]) == 2
    del kept[1:]
    assert in_use() <= before + 8 * 1000


@pytest.mark.parametrize("share", [0.3, 0.45, 0.6, 0.9])
def test_a_flat_array_looked_at_by_rows_where_memory_is_short(memory, share):
    rows = 512
    columns = int(memory * share) // 8 // rows
    flat = np.arange(rows * columns, dtype=float)
    np.sync()
    expected = numpy.arange(rows * columns, dtype=float).reshape(rows, columns)
    picture = flat.reshape(rows, columns)
    assert float(picture[3:5, 10].sum()) == expected[3:5, 10].sum()
    assert numpy.array_equal(numpy.asarray(picture[::100, ::1000]), expected[::100, ::1000])
    picture[1:-1, 5] = -1
    expected[1:-1, 5] = -1
    assert float(flat.sum()) == pytest.approx(expected.sum(), rel=1e-12)
    assert float(flat[columns + 5]) == -1


def fail(v):
    v = v + 1
    np.sync()
    raise ValueError("with an array in its traceback")


@pytest.mark.parametrize("share, is_on", [(0.03, True), (0.2, False)], ids=["collector on", "collector off"])
def test_arrays_in_the_cycles_of_failed_calls_do_not_fill_the_memory(memory, share, is_on):
    v = np.ones(int(memory * share) // 8)
    (gc.enable if is_on else gc.disable)()
    try:
        for _ in range(int(3 / share)):
            try:
                fail(v)
            except ValueError as error:
                error.itself = error
    finally:
        gc.enable()
    assert float(v.sum()) == v.size
    w = np.concatenate([v, v])
    assert float(w.sum()) == 2 * v.size


def test_a_loop_that_fills_the_memory_and_leaves_no_cycles_collects_rarely(memory):
    collections = []

    def note(phase, facts):
        if phase == "start" and facts["generation"] == 2:
            collections.append(facts)

    v = np.ones(memory // 8 // 5)
    gc.callbacks.append(note)
    try:
        for turn in range(200):
            parts = [v + turn, v * turn, v - turn]
            np.sync()
            del parts
    finally:
        gc.callbacks.remove(note)
    assert len(collections) < 20
