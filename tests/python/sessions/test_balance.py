# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of a node help each other: the same bits whoever computes, and it shows where a rank is late.

With balance "always" every pass is cut, however small, and a rank looks for others' work before its own.
"""

import os
import signal
import subprocess
import time

import gamelan
import numpy
import pytest
from gamelan import _core

PROGRAMS = {
    "elementwise": lambda np, a: [np.sqrt(a * a + 1) - a / 3],
    "strided": lambda np, a: [a[::2, ::-1] * 2 - a[:1]],
    "transposed": lambda np, a: [a.T * 2 + a.T[::-1], a[: min(a.shape), : min(a.shape)] + a[: min(a.shape), : min(a.shape)].T],
    "broadcast": lambda np, a: [a + a[:1] * a[:, :1], np.where(a[0] > 0, a, -a)],
    "casts": lambda np, a: [(a > 0).astype("i4") + a.astype("f4"), a.astype("c16") * 1j],
    "sums": lambda np, a: [a.sum(), a.sum(axis=0), (a * a).sum(axis=1), a.max(), a.min(axis=0)],
    "stencil": lambda np, a: _stencil(np, a),
    "in place": lambda np, a: _in_place(np, a),
    "sequences": lambda np, a: [np.arange(a.size) * 2.5 + np.arange(a.size)[::-1]],
}


def _stencil(np, a):
    grid = a.copy()
    for _ in range(3):
        old = grid.copy()
        grid[1:-1, 1:-1] = (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]) / 4
        delta = ((grid - old) ** 2).sum()
    return [grid, delta]


def _in_place(np, a):
    grid = a.copy()
    grid[1:] += grid[:-1]
    grid[:, ::2] *= 0.5
    return [grid]


@pytest.fixture
def balance(engine, ranks, request):
    """Sets the balance of the engines, and puts it back."""
    if min(ranks, request.config.getoption("--ranks-per-node") or ranks) < 2:
        pytest.skip("nobody is there to help")

    def choose(value):
        _core.flush(True)
        _core.configure([("balance", value)])

    yield choose
    choose("on")


def helped():
    return gamelan.stats()["pieces_helped"]


@pytest.mark.parametrize("shape", [(64, 48), (5, 400), (700, 3), (2, 2)], ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits_whoever_computes(balance, name, shape):
    data = numpy.random.default_rng(7).standard_normal(shape)
    program = PROGRAMS[name]
    results = {}
    for choice in ("off", "always"):
        balance(choice)
        results[choice] = [numpy.asarray(each) for each in program(gamelan, gamelan.array(data))]
    if shape == (64, 48):
        before, end = helped(), time.monotonic() + 30
        while helped() == before and time.monotonic() < end:
            again = [numpy.asarray(each) for each in program(gamelan, gamelan.array(data))]
            assert [each.tobytes() for each in again] == [each.tobytes() for each in results["off"]]
        assert helped() > before, "nobody ever helped with this program"
    for off, always, wanted in zip(results["off"], results["always"], program(numpy, data), strict=True):
        assert off.dtype == always.dtype == wanted.dtype
        assert off.tobytes() == always.tobytes()
        numpy.testing.assert_allclose(always, wanted, rtol=1e-5 if wanted.dtype == "f4" else 1e-12)


def test_others_do_help(balance):
    balance("always")
    before = helped()
    a = gamelan.arange(40_000.0)
    for _ in range(50):
        a = a * 0.5 + 1
        float(a[0])
    assert helped() > before
    balance("off")
    float((a + 1)[0])  # counters of the batch before have been told by then
    before = helped()
    for _ in range(20):
        a = a * 0.5 + 1
        float(a[0])
    assert helped() == before


def test_a_rank_that_is_late_is_helped(balance, engine, ranks):
    """Another process takes turns with one rank on its core; what that rank does not come to, the others do."""
    pid = _last_rank_of(engine, ranks)
    own = os.sched_getaffinity(pid)
    if len(own) < 2:
        pytest.skip("one core")
    core = {max(own)}
    burner = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        os.sched_setaffinity(burner.pid, core)
        os.sched_setaffinity(pid, core)
        balance("on")
        a = gamelan.linspace(0.1, 1.0, 1_500_000 * ranks)
        end, before = time.monotonic() + 60, helped()
        while helped() == before and time.monotonic() < end:
            for _ in range(5):
                a = gamelan.exp(-a * a) + gamelan.sqrt(a)
            float(a[0])
        assert helped() > before
    finally:
        burner.send_signal(signal.SIGKILL)
        burner.wait(10)
        os.sched_setaffinity(pid, own)


def _last_rank_of(engine, ranks):
    found = subprocess.run(["pgrep", "-P", str(engine.process.pid)], capture_output=True, text=True, check=True)
    for pid in found.stdout.split():
        with open(f"/proc/{pid}/environ") as file:
            if f"OMPI_COMM_WORLD_RANK={ranks - 1}\0" in file.read():
                return int(pid)
    raise LookupError("no such rank among the children of mpiexec")


def test_an_unknown_choice_is_refused(balance):
    with pytest.raises(ValueError, match="balance: got 'sometimes', expected off, on or always"):
        balance("sometimes")
