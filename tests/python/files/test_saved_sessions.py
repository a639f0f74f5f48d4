# SPDX-License-Identifier: BSD-3-Clause
"""save_session and load_session: every value comes back as it was, what shared memory or an object shares it again, and the
arrays are Zarr arrays that other programs read."""

import datetime
import json
import os
import random
from collections import OrderedDict, deque
from dataclasses import dataclass
from fractions import Fraction

import numpy
import pytest

import gamelan
from gamelan._saved import _arrays
from oracle import assert_same

DTYPES = ["?", "u1", "i2", "i8", "f2", "f4", "f8", "c8", "c16"]


@dataclass
class Model:
    weights: object
    steps: int


class Changing:
    """Makes a view of its array, or another array, each time it is pickled."""

    def __init__(self, array, makes_new=False):
        self.array, self.makes_new = array, makes_new

    def __getstate__(self):
        return {"array": self.array + 1 if self.makes_new else self.array[1:], "makes_new": self.makes_new}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session"


def again(path, **variables):
    saved = gamelan.save_session(path, variables)
    assert not saved.missing and not saved.refusal, (saved.missing, saved.refusal)
    loaded = gamelan.load_session(path)
    assert not loaded.missing and list(loaded) == list(saved) == list(variables)
    return loaded


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_shapes_and_orders(engine, path, dtype):
    data = (numpy.arange(60) % 7).reshape(3, 4, 5).astype(dtype)
    number = gamelan.array(data)
    arrays = dict(a=number, t=gamelan.array(data).T, back=gamelan.array(data)[::-1, :, ::2], flat=gamelan.array(data).ravel())
    arrays.update(none=number[:0], point=gamelan.array(3, dtype), line=gamelan.zeros((0, 4), dtype), one=number[1, 2, 3])
    loaded = again(path, **arrays)
    for name, array in arrays.items():
        assert_same(loaded[name], numpy.asarray(array), name, exact=True)
        assert loaded[name].dtype == dtype, name


def test_arrays_of_one_memory_share_it_again(engine, path):
    a = gamelan.arange(200.0).reshape(20, 10)
    windows = gamelan.lib.stride_tricks.as_strided(gamelan.arange(50.0), (40, 10), (8, 8))
    bits = gamelan.arange(40.0)
    variables = dict(a=a, same=a, rows=a[2:], part=a.T[::2, 3:], held=[a[5], {"deep": a[:, 1]}], windows=windows)
    loaded = again(path, **variables, bits=bits, raw=bits.view("u8"), real=(gamelan.ones(30) * 1j).imag)
    assert loaded["same"] is loaded["a"] and loaded["rows"].base is not None
    loaded["a"][5, 1] = -1
    assert [loaded["rows"][3, 1], loaded["held"][0][1], loaded["held"][1]["deep"][5]] == [-1, -1, -1]
    loaded["part"][1, 0] = -2
    assert loaded["a"][3, 2] == -2
    assert_same(loaded["windows"], numpy.asarray(windows), exact=True)
    assert loaded["windows"].strides == windows.strides and not loaded["windows"].flags.writeable
    loaded["raw"][1] = 0
    assert loaded["bits"][1] == 0
    assert_same(loaded["real"], numpy.ones(30))
    assert len(json.loads((path / "manifest.json").read_text())["session"]["bases"]) == 4


def test_small_arrays_share_memory_again(mixed, path):
    a, n = gamelan.arange(5), numpy.arange(6.0).reshape(2, 3)
    read_only = numpy.arange(3)
    read_only.flags.writeable = False
    loaded = again(path, a=a, tail=a[2:], n=n, turned=n.T[::-1], alone=numpy.arange(4)[1:], fixed=read_only, records=[n, n])
    loaded["a"][3] = 9
    loaded["n"][1, 2] = 8
    assert loaded["tail"][1] == 9 and loaded["turned"][0, 1] == 8 and loaded["records"][0] is loaded["n"]
    assert type(loaded["tail"]) is type(a) and type(loaded["turned"]) is numpy.ndarray
    assert_same(loaded["alone"], numpy.arange(4)[1:])
    assert not loaded["fixed"].flags.writeable


def test_values_of_all_kinds(engine, path):
    shared = [1, 2]
    variables = dict(
        numbers=[1, 2.5, 1j, None, True, 10**40, Fraction(1, 3)],
        text="ä\n",
        when=datetime.datetime(2026, 1, 2),
        ordered=OrderedDict(a=1),
        queue=deque([1], 3),
        model=Model(gamelan.arange(30), 7),
        ours=gamelan,
        sine=gamelan.sin,
        kind=gamelan.float32,
        words=numpy.array(["a", "bc"]),
        days=numpy.array(["2026-01-02"], "M8[D]"),
        things=numpy.array([{}, [1]], object),
        masked=numpy.ma.masked_array([1, 2], [True, False]),
        first=shared,
        second=(shared, "x"),
        value=gamelan.arange(10.0).sum(),
    )
    variables["itself"] = itself = []
    itself.append(itself)
    loaded = again(path, **variables)
    for name in ("numbers", "text", "when", "ordered", "queue", "first", "second", "ours", "sine", "kind"):
        assert loaded[name] == variables[name] and type(loaded[name]) is type(variables[name]), name
    assert_same(loaded["model"].weights, numpy.arange(30))
    assert loaded["second"][0] is loaded["first"] and loaded["itself"][0] is loaded["itself"]
    assert isinstance(loaded["value"], float) and loaded["value"] == 45 and loaded["masked"].sum() == 2
    assert loaded["things"].tolist() == [{}, [1]] and loaded["days"][0] == variables["days"][0]


def test_random_state(mixed, path):
    own, numpys = gamelan.random.default_rng(5), numpy.random.default_rng(6)
    own.random(3)
    gamelan.random.seed(7)
    random.seed(8)
    draw = gamelan.random.random
    gamelan.save_session(path, {"own": own, "numpys": numpys, "draw": draw})

    def drawn(own, numpys, draw):
        return [
            *draw(20),
            *gamelan.random.random(3),
            *numpy.random.random(2),
            random.random(),
            *own.random(12),
            *numpys.random(2),
        ]

    expected = list(map(float, drawn(own, numpys, draw)))
    loaded = gamelan.load_session(path)
    assert list(map(float, drawn(**loaded))) == expected
    gamelan.random.seed(9)
    after = float(gamelan.random.random())
    gamelan.random.seed(9)
    gamelan.load_session(path, ["own"])
    assert float(gamelan.random.random()) == after


def test_what_cannot_be_saved_is_named(engine, path):
    variables = {
        "f": (each for each in ()),
        "good": gamelan.arange(10),
        "held": {"g": (each for each in ()), "array": gamelan.ones(1000)},
        "view": Changing(gamelan.arange(20)),
        "new": Changing(gamelan.arange(20), makes_new=True),
    }
    saved = gamelan.save_session(path, variables)
    assert list(saved) == ["good", "view"] and list(saved.missing) == ["f", "held", "new"]
    assert saved.missing["f"] == "a generator" and "each time when it is pickled" in saved.missing["new"]
    loaded = gamelan.load_session(path)
    assert_same(loaded["view"].array, numpy.arange(1, 20))
    assert loaded.not_saved == saved.missing and not loaded.missing
    assert sorted(os.listdir(path / "arrays")) == [".zgroup", "array-1", "array-2", "good"]  # nothing of held's


def test_names_are_chosen_and_unknown_ones_refused(engine, path):
    gamelan.save_session(path, {"a": gamelan.arange(10), "b": gamelan.ones(5), "c": 3})
    assert list(gamelan.load_session(path, ["c", "a"])) == ["a", "c"]
    with pytest.raises(KeyError, match="has no d"):
        gamelan.load_session(path, ["a", "d"])


def test_others_read_the_arrays(engine, path, monkeypatch):
    zarr = pytest.importorskip("zarr", reason="python3-zarr is not installed")
    monkeypatch.setattr(_arrays, "CHUNK_BYTES", 1000)  # of some rows, the last with fewer
    data = numpy.arange(37 * 29.0).reshape(37, 29)
    loaded = again(path, big=gamelan.array(data), wide=gamelan.arange(1001), mask=gamelan.array(data) > 500, ä=gamelan.ones(4))
    assert_same(loaded["big"], data, exact=True)
    assert_same(loaded["wide"], numpy.arange(1001), exact=True)
    group = zarr.open_group(str(path / "arrays"), mode="r")
    assert sorted(group.array_keys()) == ["array-3", "big", "mask", "wide"] and len(os.listdir(path / "arrays/big")) == 11
    assert (group["big"][...] == data).all() and (group["mask"][...] == (data > 500)).all()
    assert_same(gamelan.load_zarr(path / "arrays/wide"), numpy.arange(1001))


def test_an_array_in_a_file_stays_in_its_file(engine, path, tmp_path):
    gamelan.save(tmp_path / "a.npy", gamelan.arange(60.0).reshape(6, 10).T)
    loaded = again(path, file=gamelan.load(tmp_path / "a.npy", mmap_mode="r"))
    assert_same(loaded["file"][2:5], numpy.arange(60.0).reshape(6, 10).T[2:5])
    assert (path / "variables.pickle").stat().st_size < 10_000


def test_a_threshold_may_change(engine, path):
    a = gamelan.arange(30.0)
    gamelan.save_session(path, {"a": a, "b": a[3:], "s": a.sum(), "none": a[:0]})
    with gamelan.options(distribute_from=1000):
        loaded = gamelan.load_session(path)
        loaded["a"][3] = -1
        assert isinstance(loaded["a"], numpy.ndarray) and loaded["b"][0] == -1 and type(loaded["s"]) is numpy.float64
        gamelan.save_session(path, loaded)
    assert_same(gamelan.load_session(path)["b"], numpy.r_[-1, 4.0:30])


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(mixed, path, seed):
    """Random namespaces of arrays, views and containers: values, types, and who sees what is written."""
    chance = random.Random(seed)
    variables = {}
    for number in range(chance.randrange(3, 25)):
        shape = [chance.randrange(0, 7) for _ in range(chance.randrange(1, 4))]
        known = [value for value in variables.values() if isinstance(value, numpy.ndarray) and value.ndim]
        kind = chance.choice(["new", "numpy", "view", "turned", "held", "same", "value"] if known else ["new", "numpy"])
        if kind in ("new", "numpy"):
            data = numpy.arange(numpy.prod(shape)).astype(chance.choice(DTYPES)).reshape(shape)
            value = gamelan.array(data) if kind == "new" else data
        else:
            value = chance.choice(known)
            first, step = chance.randrange(3), chance.choice([1, 2, -1])
            value = {
                "view": lambda: value[first::step],
                "turned": lambda: value.T,
                "held": lambda: {"of": [value, number], "more": value[::step]},
                "same": lambda: value,
                "value": lambda: value.sum(),
            }[kind]()
        variables[f"v{number}"] = value
    loaded = again(path, **variables)
    for each in (variables, loaded):
        for number, name in enumerate(variables):
            if isinstance(each[name], numpy.ndarray) and each[name].ndim:
                each[name][...] = number % 2
    for name, value in variables.items():
        for new, old in zip(_arrays_in(loaded[name]), _arrays_in(value), strict=True):
            assert_same(new, numpy.asarray(old), f"seed {seed}, {name}", exact=True)
            assert type(new) is type(old) or not old.ndim, name  # a value of the engines comes back as NumPy's
    order = list(variables)
    for i, j in ((i, j) for i in order for j in order):
        assert (variables[i] is variables[j]) == (loaded[i] is loaded[j]) or not isinstance(variables[i], numpy.ndarray), (i, j)


def _arrays_in(value):
    return [*value["of"][:1], value["more"]] if isinstance(value, dict) else [value]
