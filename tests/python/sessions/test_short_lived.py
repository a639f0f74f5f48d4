# SPDX-License-Identifier: BSD-3-Clause
"""What a loop names only to read it at once is not stored; whenever the program asks for it after all, it has NumPy's values."""

import threading
import warnings

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core

RANDOM = numpy.random.default_rng(23)
SHAPE = (900, 701)  # more than 4 MiB
A, B = RANDOM.random(SHAPE), RANDOM.random(SHAPE) + 0.5


@pytest.fixture
def engines(engine, ranks):
    if not ranks:
        pytest.skip("the model has no memory")


def inputs(np):
    arrays = [np.asarray(each.copy()) for each in (A, B)]
    if np is gamelan:
        np.sync()
    return arrays


def rebound(np, a, b):
    found = []
    for k in [0.3, 1.9, 0.7, 2.0, 5.5, 1.1]:
        shifted = (a - k) * b
        found.append(float(shifted.sum()))
    return [*found, shifted]


def read_again_later(np, a, b):
    found, total = [], np.zeros(SHAPE)
    for k in range(8):
        x = a * 1.3**k + b
        found.append(float(x.max()))
        if k % 3 == 2:
            found.append(float(x[5, 7]))
            total = total + x
    return [*found, total, x]


def operand_changes(np, a, b):
    found = []
    for k in range(8):
        x = a + b
        found.append(float(x.sum()))
        if k > 3:
            a[k] += 1.0
        found.append(float(x.min()))
    return [*found, x, a]


def result_changes(np, a, b):
    found = []
    for k in range(6):
        x = a * b
        found.append(float(x.sum()))
        if k > 2:
            x[::2] -= k
            found.append(float(x.sum()))
    return [*found, x]


def of_temporaries(np, a, b):
    found = []
    for k in range(6):
        c = np.asarray(numpy.full(SHAPE[1], float(k)))
        x = np.sqrt((a - c) ** 2 + b)
        y = x.mean(axis=1) + k
        found.append(float(y.max()))
        del c
    return [*found, x, y]


def two_names(np, a, b):
    found = []
    for k in range(6):
        x = a * (k + 1.0)
        y = x + b
        found.append(float(y.sum()))
        found.append(float((x * y).sum()))
    return [*found, x, y]


def iterate(np, a, b):
    x = a
    found = []
    for k in range(6):
        step = (x - b) * 0.5
        x = x - step
        found.append(float((step * step).sum()))
    return [*found, x, step]


def views(np, a, b):
    found = []
    for k in range(6):
        x = (a + k)[1:-1, ::-1]
        y = x.T
        found.append(float((y * 2.0).sum()))
    return [*found, x, y]


PROGRAMS = (rebound, read_again_later, operand_changes, result_changes, of_temporaries, two_names, iterate, views)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values(engine, program):
    oracle.check(lambda np: [numpy.array(each) for each in program(np, *inputs(np))])


def names():
    return [each["op"] for each in _core.pending()["commands"]]


NUMBERS = [0.3, 1.9, 0.7, 2.0, 5.5, 1.1]  # no loop whose next turns are known


def test_it_stays_pending_and_takes_no_memory(engines):
    a, b = inputs(gamelan)
    for k in NUMBERS:
        x = (a - k) * b
        float(x.sum())
    assert len(names()) == 2
    gamelan.stats(reset=True)  # computes it
    before = gamelan.stats()["heap_peak"]
    for k in NUMBERS:
        x = (a - k) * b
        float(x.sum())
    del x
    assert gamelan.stats()["heap_peak"] - before < A.nbytes / 2


def test_what_is_read_again_is_stored(engines):
    a, b = inputs(gamelan)
    for k in NUMBERS:
        x = (a - k) * b
        float(x.sum())
        float((x + 1.0).max())
    assert not names()


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_warnings_come_once(engines, turns):
    def program(np):
        a, b = inputs(np)
        told = []
        with numpy.errstate(all="warn"):
            for k in range(turns):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    x = b / (a * 0.0)
                    float(x.min())
                    told.append(len(caught))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                float(x[3, 4]), float(x.max())
                told.append(len(caught))
        return told

    assert program(gamelan) == program(numpy) == [1] * turns + [0]


def test_threads(engines):
    a, b = inputs(gamelan)
    found, expected, failures = {}, {}, []

    def run(name, np, x, y, found):
        try:
            found[name] = []
            for k in range(20):
                z = x * (k + name) + y
                found[name].append(float(z.max()))
                if k % 7 == 6:
                    found[name].append(float(z[3, 3]))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(name, gamelan, a, b, found)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    for name in range(3):
        run(name, numpy, A, B, expected)
    assert not failures and found == expected


def test_an_error_of_the_users_changes_nothing(engines):
    a, b = inputs(gamelan)
    for k in range(5):
        x = (a - k) * b
        float(x.sum())
        with pytest.raises(IndexError):
            a[[0, 2000]]
    assert numpy.array_equal(numpy.asarray(x), (A - 4) * B)
