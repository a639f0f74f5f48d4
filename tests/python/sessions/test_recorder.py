# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded and when it is sent: on the model, where every batch can be looked at."""

import gc
import os
import threading
import warnings

import numpy
import pytest

import gamelan
from gamelan import _core
from gamelan._imported_numpy import ComplexWarning


def test_a_command_says_what_numpy_would_do(model):
    a = gamelan.arange(6, dtype="i2").reshape(2, 3)
    b = a[:, ::-1].T + gamelan.ones(2, "f4")
    *_, command = _core.pending()["commands"]
    assert command["op"] == "add" and command["loop"] == "float32" and command["creates"]
    left, right = command["in"]
    assert (left["dtype"], left["offset"], left["extents"], left["strides"]) == ("int16", 4, (3, 2), (-2, 6))
    assert (right["extents"], right["strides"]) == ((3, 2), (0, 4)), "operands come broadcast"
    file, line = command["origin"]
    assert file == __file__ and "ones(2" in open(file).read().splitlines()[line - 1]
    assert b.shape == (3, 2)


def test_nothing_is_sent_until_a_value_is_wanted(model):
    a = gamelan.zeros(100)
    for _ in range(10):
        a = a * 2 + 1
    assert model.batches == 0 and model.commands == 0
    assert float(a[0]) == 1023
    assert model.batches == 1


def test_frees(model):
    a = gamelan.zeros(10)
    b = a[2:]
    del a
    gc.collect()
    gamelan.sync()
    assert len(model.arrays) == 1, "a view keeps its base"
    del b
    gamelan.zeros(3)  # dead before it is sent: still one command, freed in the same batch
    gamelan.sync()
    assert len(model.arrays) == 0


def test_reading_sends_frees_too(model):
    total = gamelan.arange(10).sum()
    assert int(total) == 45 and len(model.arrays) == 1


def test_a_loop_is_cut_at_its_seam(model):
    _core.set_cut_limits(100, 200, 1 << 26)
    a = gamelan.zeros(4)
    lengths = []
    before = 0
    for _ in range(200):
        a += 1
        a *= 2
        a -= 1
        if model.batches != len(lengths):
            lengths.append(model.commands - before)
            before = model.commands
    assert len(lengths) >= 3 and all(length <= 200 for length in lengths)
    assert len({length % 3 for length in lengths[1:]}) == 1 and lengths[1] % 3 == 0, f"whole turns of the loop: {lengths}"
    assert float(a[0]) == float(_loop_on_numpy(200))


def test_a_nest_is_cut_where_its_outer_loop_comes_round(model):
    _core.set_cut_limits(100, 200, 1 << 26)
    a = gamelan.zeros(4)
    starts, sent = [], model.batches
    for _ in range(40):
        a += 1
        a *= 2
        starts.append(model.batches)
        for _ in range(8):
            a -= 1
            a /= 2
            assert len(starts) < 12 or model.batches == starts[-1], "a cut inside a turn"
    assert model.batches - sent >= 3


def _loop_on_numpy(turns):
    a = numpy.zeros(1)
    for _ in range(turns):
        a += 1
        a *= 2
        a -= 1
    return a[0]


def test_payloads_are_bounded(model):
    _core.set_cut_limits(2000, 4000, 10_000)
    arrays = [gamelan.array(numpy.random.rand(500)) for _ in range(20)]
    assert model.batches >= 6
    assert all(array.shape == (500,) for array in arrays)


def test_small_operands_are_taken_when_recorded(model):
    with gamelan.options(distribute_from=5):
        large, small = gamelan.zeros(6), gamelan.array([1.0])
        result = large + small
        small[0] = 9
        data = numpy.ones(6)
        other = large + data
        data[:] = 9
        assert float(result[0]) == 1 and float(other[0]) == 1


def test_threads_record_in_program_order(model):
    results = []

    def work(seed):
        a = gamelan.full(50, float(seed))
        for _ in range(50):
            a += 1
        results.append((seed, float(a[0])))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(results) == [(seed, seed + 50.0) for seed in range(4)]


def test_a_forked_child_is_refused_politely(model):
    a = gamelan.arange(10.0)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            float(a.sum())
            text = "no error"
        except RuntimeError as error:
            text = str(error)
        os.write(writer, text.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert "fork" in os.read(reader, 1000).decode()
    assert float(a.sum()) == 45


def test_a_session_that_ended_is_named(model):
    a = gamelan.arange(10.0)
    _core.lose("rank 2 was killed by signal 9")
    with pytest.raises(gamelan.EngineLostError, match="signal 9"):
        float(a[0])
    with pytest.raises(gamelan.EngineLostError, match="signal 9"):
        a + 1


def test_arrays_of_two_sessions_do_not_mix(model):
    import reference

    a = gamelan.arange(10.0)
    reference.connect()
    b = gamelan.arange(10.0)
    with pytest.raises(gamelan.EngineLostError):
        a + b
    with pytest.raises(gamelan.EngineLostError):
        b[:] = a
    assert float((b + 1)[0]) == 1


def test_counters(model):
    before = gamelan.stats()
    with gamelan.options(distribute_from=100):
        gamelan.arange(3) + 1
    gamelan.zeros(200)
    after = gamelan.stats()
    assert after["host_ops"] == before["host_ops"] + 2  # the range and the sum
    assert after["recorded_commands"] == before["recorded_commands"] + 1


def test_complex_to_real_warns(model):
    a = gamelan.zeros(3)
    with pytest.warns(ComplexWarning):
        a[:] = gamelan.array([1j, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a[:] = 1.5


def test_every_public_function_is_documented():
    undocumented = [name for name in gamelan.__all__ if callable(getattr(gamelan, name)) and not getattr(gamelan, name).__doc__]
    assert undocumented == []
