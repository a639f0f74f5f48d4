# SPDX-License-Identifier: BSD-3-Clause
"""Iteration over the elements of an array that the body of the loop writes: each is what it is when its turn comes."""

import itertools
import threading

import pytest

import gamelan
import oracle
from oracle import check, check_all

N = 3000

WRITES = """
    x.fill(7)
    x.put(2, 9)
    x[4:] = 5
    x[::-1][:] = np.arange(N)
    x.reshape(30, 100)[:, 3:] += 1
    np.copyto(x, 8)
    np.putmask(x, x > 4, 3)
    np.place(x, x > 2, [1])
    np.add.at(x, [5, 5, 6, 20], 5)
    x.view('u1')[8 * 9 : 8 * 16 : 8] = 77
    x[x > 50] = 4
    x.flat[11:] = 44
    x.itemset(12, 45)
    np.multiply(x, 2, out=x)
    x -= 1
    np.cumsum(np.ones(N, int), out=x)
    np.sum(np.ones((3, N), int), axis=0, out=x)
    np.take(np.arange(N) * 3, np.arange(N), out=x)
    x[[18, 19, 20]] = 6
    np.put_along_axis(x, np.array([19, 20, 21]), 66, 0)
    x.sort()
    x.byteswap(True)
    np.fill_diagonal(x.reshape(30, 100), -1)
    x.real = 5
"""


def _lines(text):
    return map(str.strip, text.strip().splitlines())


def _walk(np, line, iterator):
    x = np.arange(N)[::-1].copy()
    turns, got = iterator(x), []
    for _ in range(12):
        got += [int(next(turns)), int(next(turns))]
        exec(line, {"np": np, "x": x, "N": N})
    return got


@pytest.mark.parametrize("how", ["iter", "flat", "transposed", "map", "zip"])
def test_every_write_is_seen(engine, how):
    iterator = {"iter": iter, "flat": lambda x: x.flat, "transposed": lambda x: x.reshape(30, 100).T.flat, "map": lambda x: map(int, x),
                "zip": lambda x: (one for one, other in zip(x, x[1:]))}[how]  # fmt: skip
    check_all((line, lambda np, line=line: _walk(np, line, iterator)) for line in _lines(WRITES))


def test_numbers_drawn_into_it(engine):
    x = gamelan.arange(float(N)) + 5
    turns = iter(x)
    assert next(turns) == 5
    gamelan.random.default_rng(1).random(out=x)
    assert next(turns) < 1 and next(turns) < 1


def test_a_sieve(engine):
    def program(np):
        sieve, found = np.ones(N, bool), []
        sieve[:2] = False
        for number, is_prime in enumerate(sieve):
            if is_prime:
                found.append(number)
                if len(found) < 20:
                    sieve[number * number :: number] = False
        return found

    check(program)


def test_the_cursor_of_flat(engine):
    def program(np):
        x = np.arange(12).reshape(3, 4)
        flat = x.T.flat
        got = [next(flat), next(flat), flat.index, flat.coords]
        flat[3] = 100
        got += [flat.index, next(flat), next(flat)]
        got += [flat[2], flat.index, list(flat), flat.index, list(flat)]
        return [int(item) if getattr(item, "ndim", None) == 0 else item for item in got]

    check(program)


def test_what_else_goes_through_elements(engine):
    def program(np):
        x = np.arange(N) % 97
        some = (
            list(x[:5]),
            list(itertools.islice(x, 3)),
            sorted(x[:9], reverse=True),
            [int(v) for v in reversed(x[-5:])],
            [*x[:0]],
        )
        return some, max(x), min(x), sum(x[:50]), 5 in x

    check(program)


def test_threads_that_share_an_iterator_get_each_element_once(engine, ranks):
    """The thread that brings the next elements lets the others in while it waits."""
    if not ranks:
        pytest.skip("nobody waits for the model")
    turns, got = iter(gamelan.arange(200_000)), []
    threads = [threading.Thread(target=lambda: got.extend(turns)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, got)) == list(range(200_000))
    oracle.count()


def test_reading_asks_seldom(engine, ranks):
    if not ranks:
        pytest.skip("the model sends no batches")
    x = gamelan.arange(70000)
    before = gamelan.stats()["sent_batches"]
    assert sum(1 for _ in x) == 70000
    assert gamelan.stats()["sent_batches"] - before <= 3
    for number in x[:3000]:
        x[number] = 0
        oracle.count()


READS = """
    [x.item(i) for i in range(9)]
    [x.item((i,)) for i in range(9)]
    [x.reshape(30, 100).item(i, i) for i in range(9)]
    [float(x[i : i + 1]) for i in range(9)]
    [int(x[i : i + 1]) for i in range(9)]
    [complex(x[i : i + 1]) for i in range(9)]
    [bool(x[i : i + 1]) for i in range(9)]
    [x[i : i + 1].item() for i in range(9)]
    [x[i : i + 1].reshape(1, 1).item(0) for i in range(9)]
    [x[i].item() for i in range(9)]
    [x.flat[i] for i in range(9)]
    [x.flat[i : i + 1].item() for i in range(9)]
    [x.take(i).item() for i in range(9)]
    [round(x[i]) for i in range(9)]
    [hash(x[i]) for i in range(9)]
    [repr(x[i]) for i in range(9)]
    [f"{x[i]:d}" for i in range(9)]
    [np.zeros(10)[x[i]] for i in range(9)]
    [len(range(x[i])) for i in range(9)]
    [w.item(), w.item(), w.item(), w.item(0), float(w), int(w), bool(w), complex(w)]
    [(x.item(i), x.put(i + 1, 50)) for i in range(9)]
    [(int(x[i]), x.reshape(30, 100).T.fill(i)) for i in range(9)]
"""


def test_single_elements_in_a_row(engine):
    def program(np, line):
        x = np.arange(N)
        return eval(line, {"np": np, "x": x, "w": x[3:4]})

    check_all((line, lambda np, line=line: program(np, line)) for line in _lines(READS))
