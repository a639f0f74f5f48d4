# SPDX-License-Identifier: BSD-3-Clause
"""Elements picked one by one, whose values a program wants at once: what was read ahead must never outlive a write, and
must be worth it."""

import gamelan
import numpy
import pytest
from oracle import check

WANTED = 5  # values, one after the other: more than are fetched alone


def _read(array, indices):
    return [array[index].item() for index in indices]


WRITES = {
    "an element": lambda np, a: a.__setitem__(4, 100.0),
    "all": lambda np, a: a.fill(7.0),
    "through a slice": lambda np, a: a[2:6].__iadd__(1.0),
    "through another shape": lambda np, a: a.reshape(5, 6).__setitem__((slice(None), 1), -1.0),
    "through a ufunc": lambda np, a: np.sqrt(a, out=a),
    "through a mask": lambda np, a: a.__setitem__(a > 4, 0.5),
    "through indices": lambda np, a: a.__setitem__(np.asarray([3, 4, 9]), np.asarray([5.0, 6.0, 7.0])),
    "in place, sorted": lambda np, a: a[::-1].sort(),
}


@pytest.mark.parametrize("how", WRITES)
def test_a_write_is_seen_at_once(engine, how):
    def program(np):
        a = np.arange(30.0)
        seen = _read(a, range(WANTED))
        WRITES[how](np, a)
        seen += _read(a, range(WANTED)) + _read(a, range(29, 0, -3))
        WRITES[how](np, a)
        return seen + _read(a, range(WANTED)), a

    check(program)


VIEWS = {
    "transposed": lambda np, a: a.reshape(6, 10).T,
    "backwards, every third": lambda np, a: a[::-3],
    "bytes of another dtype": lambda np, a: a.view(np.int16),
    "from inside an element": lambda np, a: a.view(np.uint8)[4:16].view(np.int32),
    "one number many times": lambda np, a: np.broadcast_to(a[7:8], (12,)),
}


@pytest.mark.parametrize("which", VIEWS)
def test_any_view_is_read(engine, which):
    def program(np):
        view = VIEWS[which](np, np.arange(60.0) * 1.5)
        places = [numpy.unravel_index(place, view.shape) for place in range(0, view.size, 2)]
        return _read(view, places)

    check(program)


def test_parts_of_complex_elements(engine):
    def program(np):
        a = np.arange(20) * (1 + 2j)
        seen = _read(a, range(WANTED)) + _read(a.imag, range(WANTED)) + _read(a.real, range(WANTED))
        picked = a[11]
        seen += [picked.real.item(), picked.imag.item(), picked.real[()].item(), picked[()].item()] * WANTED
        return seen

    check(program)


def test_a_loop_that_only_reads_asks_seldom(engine):
    a = gamelan.arange(500)
    before = gamelan.stats()["sent_batches"]
    assert sum(int(a[place]) for place in range(500)) == 500 * 499 // 2
    assert gamelan.stats()["sent_batches"] - before < 10


def test_a_loop_that_reads_and_writes_does_not_read_ahead(engine):
    a = gamelan.zeros(5000)
    gamelan.sync()
    before = gamelan.stats()["fetch_bytes"]
    for place in range(20):
        a[place + 1] = float(a[place]) + 1
    assert gamelan.stats()["fetch_bytes"] - before <= 20 * a.itemsize
    assert float(a[20]) == 20


def test_a_value_does_not_keep_the_array_it_was_picked_from(engine, ranks):
    if ranks == 0:
        pytest.skip("the model has no heap")
    gamelan.sync()
    before = gamelan.stats()["heap_bytes"]
    a = gamelan.arange(30_000.0)
    values = [a[place] for place in range(3)]
    assert [float(value) for value in values] == [0, 1, 2] and gamelan.stats()["heap_bytes"] - before >= a.nbytes
    del a
    gamelan.sync()
    assert gamelan.stats()["heap_bytes"] - before < 10_000
    assert [float(value + 1) for value in values] == [1, 2, 3]
