# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of texts, dates, records and objects are here; masks and indices from the engines come to them."""

import gamelan
import numpy
import pytest

from oracle import check

MANY = 300_000  # elements: a mask of so many is on the engines


def dates(n):
    return numpy.datetime64("2020-01-01") + numpy.arange(n) % 1000


KINDS = {
    "dates": dates,
    "spans": lambda n: dates(n) - dates(1)[0],
    "texts": lambda n: numpy.arange(n).astype("U6"),
    "bytes": lambda n: numpy.arange(n).astype("S6"),
    "records": lambda n: numpy.rec.fromarrays([numpy.arange(n), numpy.arange(n) / 2], names="a,b").view(numpy.ndarray),
    "objects": lambda n: numpy.arange(n).astype(object),
    "other byte order": lambda n: numpy.arange(n).astype(">i8"),
}
CALLS = {
    "mask": lambda np, d, p: d[p > 0.5],
    "mask of rows": lambda np, d, p: d.reshape(-1, 10)[p[::10] > 0.5],
    "index": lambda np, d, p: d[np.argsort(p, kind="stable")],
    "index and slice": lambda np, d, p: d.reshape(-1, 10)[(p[:50] * 9).astype(int), 1:4],
    "where": lambda np, d, p: np.where(p > 0.5, d, d[::-1]),
    "where with one": lambda np, d, p: np.where(p > 0.5, d, d[3]),
    "compress": lambda np, d, p: np.compress(p > 0.5, d),
    "extract": lambda np, d, p: np.extract(p > 0.5, d),
    "take": lambda np, d, p: np.take(d, np.argsort(p, kind="stable")[:9]),
    "mask too short": lambda np, d, p: d[(p > 0.5)[:-1]],
    "where of other shapes": lambda np, d, p: np.where((p > 0.5)[:-1], d, d),
    "index outside": lambda np, d, p: d[(p * 2 * d.size).astype(int)],
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_chosen_by_arrays_on_the_engines(ordinary, kind, call):
    def program(np):
        return CALLS[call](np, np.asarray(KINDS[kind](MANY)), np.asarray(numpy.random.default_rng(3).random(MANY)))

    check(program)


@pytest.mark.parametrize("kind", ["dates", "texts"])
def test_the_result_is_a_small_array_of_ours(ordinary, kind):
    d = gamelan.asarray(KINDS[kind](MANY))
    chosen = d[gamelan.asarray(numpy.arange(MANY)) % 3 == 0]
    assert type(chosen) is gamelan.ndarray and chosen.shape == (MANY // 3,)
    chosen[:] = chosen[0]
    assert d[3] != d[0]
