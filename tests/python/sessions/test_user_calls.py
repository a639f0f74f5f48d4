# SPDX-License-Identifier: BSD-3-Clause
"""Functions and methods that record several commands are one call to the user: what they record stays together, and an
interrupt that ends one undoes it, or, where a part has left, its arrays say so."""

import copy
import inspect
import pickle
import threading
import weakref

import numpy
import pytest

import gamelan as np
from gamelan import CancelledError, _core


def _calls():
    """How many of the pending commands each call has."""
    lengths = []
    for command in _core.pending()["commands"]:
        if command["goes_on"]:
            lengths[-1] += 1
        else:
            lengths.append(1)
    return lengths


def test_operators_are_calls_of_their_own(model):
    a = np.zeros(6)
    for _ in range(3):
        a += 1
    b = a * 2 + 1
    assert _calls() == [1, 1, 1, 1, 1, 1] and b.shape == (6,)


@pytest.mark.parametrize("call", [
    lambda a: np.gradient(a), lambda a: np.roll(a, 3), lambda a: np.ptp(a), lambda a: np.divmod(a, 3, out=(a, a)),
    lambda a: divmod(a, 3),
    lambda a: numpy.gradient(a), lambda a: np.pad(a, 2), lambda a: np.r_[a, a], lambda a: np.linalg.norm(a.reshape(2, 3), 1),
    lambda a: np.array_api.std(a), lambda a: np.nan_to_num(a, copy=False), lambda a: np.fft.fftshift(np.fft.fft(a)),
])  # fmt: skip
def test_others_are_one_call_each_time(model, call):
    a = np.zeros(6)
    np.sync()
    call(a)
    lengths = _calls()
    for _ in range(2):
        call(a)
    assert _calls() == lengths * 3 and max(lengths) > 1


def test_what_a_function_of_the_users_records_within_a_call_belongs_to_it(model):
    a = np.zeros(6)
    np.sync()
    np.apply_along_axis(lambda row: row + 1, 0, a)
    np.gradient(a)
    lines = [command["origin"][1] for command in _core.pending()["commands"]]
    assert len(set(lines)) == 2


def test_a_batch_is_not_cut_within_a_call(model):
    a = np.zeros(6)
    np.sync()
    np.gradient(a)
    length = len(_core.pending()["commands"])
    np.sync()
    _core.set_cut_limits(2 * length - 1, 2 * length - 1, 1 << 26)
    sent = model.batches
    for _ in range(10):
        np.gradient(a)
        assert len(_core.pending()["commands"]) % length == 0
    assert model.batches - sent >= 4


@_core.Call
def _interrupted(array, has_left):
    array[1:] = 7
    if has_left:
        float(array[0])
    array += 1
    raise KeyboardInterrupt


def test_an_interrupted_call_has_not_happened(engine):
    a, b = np.zeros(6), np.ones(6)
    b += 1
    a += 1
    with pytest.raises(KeyboardInterrupt):
        _interrupted(a, False)
    a *= 3
    assert a.tolist() == [3.0] * 6 and b.tolist() == [2.0] * 6


def test_of_a_call_that_has_left_in_part_the_arrays_are_lost(engine, ranks):
    if not ranks:
        pytest.skip("the model knows of every array that dies")
    a, b = np.zeros(6), np.ones(6)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(a, True)
    with pytest.raises(CancelledError):
        a.tolist()
    with pytest.raises(CancelledError):
        (a + b).tolist()
    assert b.tolist() == [1.0] * 6


def test_a_call_of_many_commands_leaves_in_parts(engine):
    """Half of it has run when it ends; what is cut off is told where it is read."""
    a, b = np.zeros(6), np.zeros(6)

    @_core.Call
    def many(ending):
        for _ in range(100):
            np.add(a, 1, out=a)
        if ending:
            raise ending
        np.add(b, 1, out=b)

    before = 2000, 4000, 64 << 20
    try:
        _core.set_cut_limits(10, 10, before[2])
        many(None)
        assert a.tolist() == [100.0] * 6 and b.tolist() == [1.0] * 6
        with pytest.raises(KeyboardInterrupt):
            many(KeyboardInterrupt)
        with pytest.raises(CancelledError):
            a.tolist()
        assert b.tolist() == [1.0] * 6
    finally:
        _core.set_cut_limits(*before)


def test_an_exception_of_the_program_undoes_nothing(engine):
    """Functions look before they record; what a function of the user's has done within one stays, as in NumPy."""
    a = np.zeros(6)

    def add(row):
        np.add(a, 1, out=a)
        raise ValueError

    with pytest.raises(ValueError):
        np.apply_along_axis(add, 0, np.zeros(6))
    assert a.tolist() == [1.0] * 6


def test_an_interrupt_undoes_the_call_of_its_thread_only(engine):
    a, b = np.zeros(6), np.zeros(6)
    begun, goes_on = threading.Event(), threading.Event()

    @_core.Call
    def other():
        np.add(b, 1, out=b)
        begun.set()
        goes_on.wait(30)
        np.add(b, 1, out=b)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait(30)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(a, False)
    goes_on.set()
    thread.join(30)
    assert a.tolist() == [0.0] * 6 and b.tolist() == [2.0] * 6


def test_a_new_shape_stands(engine):
    """The name stands for the new array already when the interrupt comes."""
    a = np.arange(6)

    @_core.Call
    def resize():
        a.resize((2, 4), refcheck=False)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resize()
    assert a.tolist() == [[0, 1, 2, 3], [4, 5, 0, 0]]


def test_calls_look_like_the_functions_they_are():
    assert np.roll.__name__ == "roll" and np.roll.__module__ == "gamelan" and np.roll.__doc__.startswith("Shift the elements")
    assert list(inspect.signature(np.roll).parameters) == ["a", "shift", "axis"]
    assert list(inspect.signature(np.zeros(2).sort).parameters) == ["axis", "kind", "order", "stable", "descending"]
    assert inspect.getfullargspec(np.roll).args == ["a", "shift", "axis"] and np.roll.__code__ is not None
    assert inspect.isroutine(np.roll) and weakref.ref(np.roll)() is np.roll and copy.deepcopy(np.roll) is np.roll
    assert np.amax is np.max and np.lib.stride_tricks.broadcast_to is np.broadcast_to
    for function in (np.roll, np.linalg.inv, np.fft.fft, np.array_api.roll, np.ndarray.sort, np.random.Generator.normal):
        assert pickle.loads(pickle.dumps(function)) is function
    assert pickle.loads(pickle.dumps(np.random.normal))(size=3).shape == (3,)


def test_an_interrupt_in_a_file_whose_name_is_not_utf8_is_an_interrupt(model):
    """The line of what the interrupt undoes cannot be told; the interrupt itself stays what it is."""
    source = """
def stop(row):
    row + 1
    raise KeyboardInterrupt
np.apply_along_axis(stop, 0, np.ones((4, 5)))
"""
    with pytest.raises(KeyboardInterrupt):
        exec(compile(source, "\udcffbad.py", "exec"), {"np": np})
