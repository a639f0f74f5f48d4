# SPDX-License-Identifier: BSD-3-Clause
"""Elements found by a selection instead of a sort: medians, quantiles and partitions of long rows."""

import itertools

import numpy
import pytest

import gamelan
from gamelan._sorting import _selection
from oracle import check_all

COUNT = 400


@pytest.fixture(
    params=[(16, 1 << 17), (16, 0), (4096, 1 << 17)], ids=["a coarse sample", "candidates are sorted there", "all is sampled"]
)
def selects(engine, monkeypatch, request):
    monkeypatch.setattr(_selection, "_LEAST", 8)
    monkeypatch.setattr(_selection, "_SAMPLES", request.param[0])
    monkeypatch.setattr(_selection, "_MOST_HERE", request.param[1])


def rows():
    draw = numpy.random.RandomState(3)
    numbers = draw.standard_normal(COUNT)
    nans = numpy.where(draw.rand(COUNT) < 0.1, numpy.nan, numbers)
    return {
        "random": numbers,
        "sorted": numpy.sort(numbers),
        "falling": numpy.sort(numbers)[::-1],
        "periodic": numpy.tile(numpy.arange(25.0), COUNT // 25),
        "two values": (numbers > 0.3).astype(float),
        "one value": numpy.ones(COUNT),
        "power law": numpy.floor(draw.rand(COUNT) ** -2.0),
        "zeros of both signs": numpy.where(numbers > 0, 0.0, -0.0),
        "infinite": numpy.where(numbers > 0.5, numpy.inf, -numpy.inf),
        "nans": nans,
        "only nans": numpy.full(COUNT, numpy.nan),
        "one number": numpy.where(numpy.arange(COUNT) == 7, 1.0, numpy.nan),
        "int8": draw.randint(-128, 128, COUNT).astype("i1"),
        "uint64": draw.randint(0, 2**62, COUNT).astype("u8") * 4,
        "int64": draw.randint(-(2**62), 2**62, COUNT),
        "float32": numbers.astype("f4"),
        "float16": numbers.astype("f2"),
    }


LAYOUTS = {
    "row": lambda a: a,
    "backwards": lambda a: a[::-1],
    "odd length": lambda a: a[1:],
    "steps": lambda a: a[::3],
    "matrix": lambda a: a.reshape(20, -1),
    "turned": lambda a: a.reshape(20, -1).T,
}


@pytest.mark.parametrize("kind", rows())
def test_order_statistics_are_numpys(selects, kind):
    data = rows()[kind]

    def programs():
        for name, layout in LAYOUTS.items():
            for function in ("median", "nanmedian"):
                yield f"{function} {name}", lambda np: getattr(np, function)(layout(np.array(data)))
                yield f"{function} {name} kept", lambda np: getattr(np, function)(layout(np.array(data)), keepdims=True)
            for function, q in itertools.product(
                ("quantile", "nanquantile"), (0, 1, 0.3, [0.5], [0.0, 0.25, 0.5, 1.0], [[0.1, 0.9]])
            ):
                yield f"{function} {name} {q}", lambda np: getattr(np, function)(layout(np.array(data)), q)
        for method in ("lower", "nearest", "midpoint", "hazen", "inverted_cdf", "median_unbiased"):
            yield f"percentile {method}", lambda np: np.percentile(np.array(data), [5, 50, 95], method=method)

    check_all(programs())


@pytest.mark.parametrize("kind", rows())
def test_a_row_is_partitioned_by_a_selection(selects, kind):
    data = rows()[kind]
    for layout, place in itertools.product(("row", "backwards", "steps"), (0, 1, -1, 57, 120)):
        theirs = LAYOUTS[layout](data)
        ours = LAYOUTS[layout](gamelan.array(data))
        place %= theirs.size
        parted, order = (numpy.asarray(function(ours, place)) for function in (gamelan.partition, gamelan.argpartition))
        ordered = numpy.sort(theirs)
        assert sorted(order) == list(range(theirs.size)), (layout, place)
        for got in (parted, theirs[order]):
            assert numpy.array_equal(numpy.sort(got), ordered, equal_nan=got.dtype.kind == "f")
            assert got[place] == ordered[place] or got[place] != got[place] and ordered[place] != ordered[place]
            first, rest = numpy.sort(got[:place]), numpy.sort(got[place:])
            assert numpy.array_equal(numpy.concatenate((first, rest)), ordered, equal_nan=got.dtype.kind == "f")


@pytest.mark.parametrize("most_here", [1 << 17, 0], ids=["here", "sorted there"])
@pytest.mark.parametrize("many", [1 << 20, 1], ids=["a small sample", "a larger one"])
@pytest.mark.parametrize("kind", ["random", "float32", "int64", "nans", "power law", "sorted"])
def test_several_places_are_found_in_one_order(engine, monkeypatch, kind, many, most_here):
    """Without a sort of the row: what is picked is less than a quarter of it."""
    for name, value in (("_LEAST", 8), ("_SAMPLES", 2000), ("_MANY", many), ("_MOST_HERE", most_here)):
        monkeypatch.setattr(_selection, name, value)
    data = numpy.resize(rows()[kind], 20_001)
    if kind != "power law":
        data = (data + numpy.arange(data.size).astype(data.dtype) // 7).astype(data.dtype)
    if kind == "random":
        data[::2] *= -1
    found = []
    real = _selection._in_order
    monkeypatch.setattr(_selection, "_in_order", lambda row, places: found.append((row.size, places)) or real(row, places))
    places = [1000, 1001, 9000, 17000]
    ordered = numpy.sort(data)
    got = numpy.asarray(_selection.elements_at(gamelan.array(data), places))
    assert numpy.array_equal(got, ordered[places], equal_nan=data.dtype.kind == "f"), kind
    if kind in ("random", "float32", "int64", "sorted"):
        (picked, inner), *_ = found  # among those that were picked, it may pick again
        assert len(inner) == 4 and 4 * picked < data.size, (picked, inner)


def test_a_row_is_partitioned_in_place(selects):
    data = rows()["random"]
    ours = gamelan.array(data)
    ours.partition(50)
    got = numpy.asarray(ours)
    assert numpy.array_equal(numpy.sort(got[:50]), numpy.sort(data)[:50]) and got[50] == numpy.sort(data)[50]


def test_among_the_candidates_it_selects_again(engine):
    draw = numpy.random.default_rng(2)
    for data in (draw.random(1_500_001), draw.integers(0, 10**6, 1_500_001), numpy.round(draw.standard_normal(1_500_001), 3)):
        for other in (data, numpy.where(numpy.arange(data.size) == 4321, numpy.nan, data)):
            for q in ([5, 50, 95], [0, 0.01, 50.0001, 99.99, 100]):
                check_all([(f"{data.dtype} {q}", lambda np: np.percentile(np.array(other), q))])
            check_all(
                [(f"{data.dtype} {name}", lambda np: getattr(np, name)(np.array(other))) for name in ("median", "nanmedian")]
            )


def test_a_long_row(engine):
    data = numpy.random.RandomState(1).standard_normal(100_003)
    data[::7] = 0.25

    def programs():
        for function in ("median", "nanmedian"):
            yield function, lambda np: getattr(np, function)(np.array(data))
        yield "percentile", lambda np: np.percentile(np.array(data), [1, 5, 50, 95, 99])
        yield "partition", lambda np: np.partition(np.array(data), 5000)[5000]

    check_all(programs())
