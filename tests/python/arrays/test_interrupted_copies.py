# SPDX-License-Identifier: BSD-3-Clause
"""NumPy asks an array for a buffer, drops whatever that raises, and asks for `__array__`: an interrupt, or an error, that comes
while NumPy copies a distributed array is raised nevertheless, and once."""

import gc
import signal
import weakref

import numpy
import pytest

import gamelan as np

HERE = numpy.zeros((3, 4))


def put(x):
    HERE[1] = x


COPIES = {"asarray": numpy.asarray, "array": numpy.array, "put": put, "list": lambda x: numpy.array([x, x]), "memory": memoryview}


@pytest.fixture
def timer():
    """Starts a timer; the list that it returns has an element for each time that it has interrupted."""
    fired = []

    def interrupt(*_):
        fired.append(True)
        raise KeyboardInterrupt

    def start(seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return fired

    before = signal.signal(signal.SIGALRM, interrupt)
    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_an_interrupt_is_raised(engine, ranks, timer, copy):
    if not ranks:
        pytest.skip("the model is interrupted in the middle of a batch")
    table = np.asarray(numpy.random.default_rng(1).random((250_000, 4)))
    np.sync()
    for turn in range(25):
        with pytest.raises(KeyboardInterrupt):
            fired = timer(0.002 * (turn + 1))
            while len(fired) == turn:
                copy(np.where(table > 0.5, table, 0.0).sum(axis=0))
        assert len(fired) == turn + 1
    assert numpy.array_equal(numpy.asarray(table[7:9]), numpy.asarray(table)[7:9])


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_an_error_is_raised(engine, copy):
    with np.options(distribute_from=0, gather_limit=3):
        x = np.arange(4.0)
        with pytest.raises(ValueError, match="gather_limit"):
            copy(x)
        with np.options(gather_limit=4):
            copy(x)
            assert numpy.array_equal(x.__array__(), numpy.arange(4.0))


def test_an_error_keeps_no_array(engine):
    def fail():
        x = np.arange(4.0)
        with pytest.raises(ValueError, match="gather_limit"):
            memoryview(x)
        return weakref.ref(x)

    with np.options(distribute_from=0, gather_limit=3):
        left = fail()
        gc.collect()
        assert left() is None
